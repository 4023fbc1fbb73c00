"""Losses as a compact string, so that a certificate can carry what its check needs."""

import base64
import hashlib
import zlib

import numpy as np

from certus.guarantees.errors import CertificateError

LARGEST = 100_000  # rows that a witness carries itself; beyond it holds their digest only


def pack(values: np.ndarray) -> str:
    """Little-endian doubles, deflated, in base 64."""
    return base64.b64encode(zlib.compress(values.astype("<f8").tobytes(), 1)).decode("ascii")


def unpack(text: str, rows: int) -> np.ndarray:
    """Inverse of `pack` for exactly `rows` values; never inflates more than they need."""
    try:
        raw = base64.b64decode(text, validate=True)
        inflate = zlib.decompressobj()
        data = inflate.decompress(raw, rows * 8 + 1)
    except (ValueError, zlib.error) as error:
        raise CertificateError(f"the packed losses are damaged: {error}") from error
    if len(data) != rows * 8 or not inflate.eof:
        raise CertificateError(f"the packed losses are not {rows} numbers")
    return np.frombuffer(data, dtype="<f8").astype(np.float64)


def digest(values: np.ndarray) -> str:
    """SHA-256 of the values in their order."""
    return hashlib.sha256(values.astype("<f8").tobytes()).hexdigest()
