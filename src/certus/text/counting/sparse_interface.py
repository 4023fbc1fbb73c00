"""The kind of sparse table that scikit-learn's configuration asks for."""

from __future__ import annotations

from typing import Any

from scipy import sparse
from sklearn import get_config


def as_configured(table: Any) -> Any:
    """The table as array or matrix, by ``sklearn.set_config(sparse_interface=…)``; nothing is copied."""
    kind = sparse.csr_array if get_config()["sparse_interface"] == "sparray" else sparse.csr_matrix
    if isinstance(table, kind) and sparse.isspmatrix(table) == (kind is sparse.csr_matrix):
        return table
    return kind(table)
