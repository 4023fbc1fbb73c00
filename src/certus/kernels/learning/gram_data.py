"""The data against which certificates of kernel machines are checked: kernel values, targets, weights."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.guarantees import Certificate, CertificateError
from certus.guarantees.training import training_data
from certus.kernels._native_calls import Array


def gram_data(certificate: Certificate, data: Any) -> tuple[Array, Any, Array]:
    """(K, y, weights) from ``(K, y)`` or ``(K, y, sample_weight)``."""
    K, y, weights = training_data(data)
    if K.ndim != 2 or K.shape[0] != K.shape[1]:
        raise CertificateError(
            f"{certificate.quantity}: the data must be (K, y) or (K, y, sample_weight) with the square matrix K of "
            f"kernel values of the training rows; got a matrix of shape {K.shape}."
        )
    return np.asarray(K, dtype=np.float64), y, weights


def one_against_rest(codes: NDArray[np.intp], classes: int) -> Array:
    """Targets -1 and 1 (rows x problems); two classes are one problem."""
    if classes == 2:
        return np.where(codes == 1, 1.0, -1.0)[:, None]
    return np.where(codes[:, None] == np.arange(classes), 1.0, -1.0)
