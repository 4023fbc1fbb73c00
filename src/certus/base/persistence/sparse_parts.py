"""Sparse matrices from a file: built from their arrays, with every index checked."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from certus.guarantees.records import CertusFileError

# The arrays that make up a matrix of each format.
SPARSE_FIELDS = {
    "csr": ("data", "indices", "indptr"),
    "csc": ("data", "indices", "indptr"),
    "coo": ("data", "row", "col"),
}
_CLASSES = {
    kind.__name__: kind
    for kind in (
        sparse.csr_matrix, sparse.csc_matrix, sparse.coo_matrix,
        sparse.csr_array, sparse.csc_array, sparse.coo_array,
    )
}  # fmt: skip


def sparse_fields(name: Any) -> tuple[str, ...]:
    """The arrays of the sparse class with this name."""
    if not isinstance(name, str) or name not in _CLASSES:
        raise CertusFileError(f"{name!r} is not a sparse matrix that may be in a file.")
    return SPARSE_FIELDS[name[:3]]


def build_sparse(name: str, shape: Any, fields: dict[str, Any]) -> Any:
    """The matrix; a malformed one is refused, because compiled code trusts its indices."""
    if not isinstance(shape, list) or len(shape) != 2 or not all(type(size) is int for size in shape):
        raise CertusFileError(f"a sparse matrix has the shape {shape!r}, which is not one.")
    for part, array in fields.items():
        if not isinstance(array, np.ndarray) or array.ndim != 1 or array.dtype.kind not in "biuf":
            raise CertusFileError(f"the {part} of a sparse matrix is not a vector of numbers.")
    data, first, second = (fields[part] for part in SPARSE_FIELDS[name[:3]])
    try:
        if name.startswith("coo"):
            return _CLASSES[name]((data, (first, second)), shape=tuple(shape))
        matrix = _CLASSES[name]((data, first, second), shape=tuple(shape))
        matrix.check_format(full_check=True)
    except (ValueError, TypeError) as error:
        raise CertusFileError(f"a sparse matrix is malformed: {error}") from error
    return matrix
