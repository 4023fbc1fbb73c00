"""The data against which certificates of kernel machines are checked: kernel values, targets, weights."""

from __future__ import annotations

from typing import Any

import numpy as np

from certus.guarantees import Certificate, CertificateError
from certus.kernels._native_calls import Array


def gram_data(certificate: Certificate, data: Any, *, kept: str, most: str) -> tuple[Array, Any, Array]:
    """(K, y, weights) from ``(K, y)`` or ``(K, y, sample_weight)``.

    Raises unless the witness holds ``kept``; ``most`` says how many numbers would have been kept.
    """
    K, y, *rest = data
    K = np.asarray(K, dtype=np.float64)
    if K.ndim != 2 or K.shape[0] != K.shape[1]:
        raise CertificateError(
            f"{certificate.quantity}: the data must be (K, y) or (K, y, sample_weight) with the square matrix K of "
            f"kernel values of the training rows; got a matrix of shape {K.shape}"
        )
    if kept not in certificate.witness:
        raise CertificateError(
            f"{certificate.quantity}: more than {most} are not kept in a certificate, so data cannot "
            "be checked against it"
        )
    weights = np.ones(len(K)) if not rest or rest[0] is None else np.broadcast_to(rest[0], (len(K),))
    return K, y, np.asarray(weights, dtype=np.float64)
