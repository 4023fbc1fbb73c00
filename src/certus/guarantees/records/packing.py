"""Losses as a string, so that a certificate can carry what its check needs."""

import base64
import hashlib

import numpy as np

from certus.guarantees.records.certificate_error import CertificateError

LARGEST = 100_000  # rows that a witness carries itself; beyond it holds their digest only


def pack(values: np.ndarray) -> str:
    """Little-endian doubles in base 64."""
    return base64.b64encode(values.astype("<f8").tobytes()).decode("ascii")


def unpack(text: str, rows: int) -> np.ndarray:
    """Inverse of `pack` for exactly `rows` values."""
    try:
        data = base64.b64decode(text, validate=True)
    except (TypeError, ValueError) as error:
        raise CertificateError(f"the packed losses are damaged: {error}") from error
    if len(data) != rows * 8:
        raise CertificateError(f"the packed losses are not {rows} numbers.")
    return np.frombuffer(data, dtype="<f8").astype(np.float64)


def digest(values: np.ndarray) -> str:
    """SHA-256 of the values in their order."""
    return hashlib.sha256(values.astype("<f8").tobytes()).hexdigest()
