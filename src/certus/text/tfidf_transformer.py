"""Counts weighted by how rare their terms are. Salton, Buckley (1988)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import OneToOneFeatureMixin

from certus.base import Boolean, Exactly, OneOf, Transformer, check_X, fit_method, predict_method, register
from certus.base.inputs import TableLike
from certus.base.persistence import check_shapes
from certus.guarantees import Report
from certus.text import _native_calls
from certus.text.counting.sparse_interface import as_configured


@register(guarantees=(), cost="fit and transform O(nnz)")
class TfidfTransformer(OneToOneFeatureMixin, Transformer, auto_wrap_output_keys=None):  # type: ignore[call-arg]
    """Counts times the rarity of their columns, in rows of length one.

    With n rows, of which df_t have term t, the entry of row d and term t becomes ``tf(t, d) idf(t)``, with
    ``idf(t) = log((1 + n) / (1 + df_t)) + 1``, as if one more row had every term; then rows are divided by their norm.

    Parameters
    ----------
    norm : {"l1", "l2"}, default="l2"
        Norm by which each row is divided; None for none.
    use_idf : bool, default=True
        Whether columns are weighted; else idf is 1.
    smooth_idf : bool, default=True
        Whether a row with every term is imagined; else ``idf(t) = log(n / df_t) + 1``.
    sublinear_tf : bool, default=False
        Whether a count c becomes ``1 + log(c)``.

    Attributes
    ----------
    idf_ : ndarray of shape (n_features,)
        The weights of the columns, if ``use_idf``.
    document_counts_ : ndarray of shape (n_features,)
        Rows that have each term.
    n_documents_ : int
        Number of rows.
    report_ : Report
        Empty: counting promises nothing.

    Examples
    --------
    >>> from certus.text import TfidfTransformer
    >>> model = TfidfTransformer().fit([[3, 0, 1], [2, 0, 0], [3, 2, 0]])
    >>> print(model.idf_.round(3))
    [1.    1.693 1.693]
    >>> print(model.transform([[3, 0, 1]]).toarray().round(3))
    [[0.871 0.    0.492]]
    """

    _arguments: ClassVar = {
        "": """
X : {array-like, sparse matrix} of shape (n_samples, n_features)
    Counts.
"""
    }
    _constraints: ClassVar = {
        "norm": [OneOf("l1", "l2"), Exactly(None)],
        "use_idf": [Boolean()],
        "smooth_idf": [Boolean()],
        "sublinear_tf": [Boolean()],
    }
    _state = ("idf_", "document_counts_", "n_documents_")
    _takes_sparse = True
    idf_: NDArray[Any]
    document_counts_: NDArray[np.int64]
    n_documents_: int

    def __init__(
        self, *, norm: str | None = "l2", use_idf: bool = True, smooth_idf: bool = True, sublinear_tf: bool = False
    ) -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(self, X: TableLike, y: Any = None) -> TfidfTransformer:
        """Learn how rare each term is."""
        table = check_X(self, X, reset=True, accept_sparse=["csr", "csc"], dtype="numeric")
        self._forget_rows()
        return self._add_rows(_present(table), table.shape[0], table.dtype)

    @fit_method
    def partial_fit(self, X: TableLike, y: Any = None) -> TfidfTransformer:
        """Add further rows to what is known about the terms."""
        first = not hasattr(self, "document_counts_")
        table = check_X(self, X, reset=first, accept_sparse=["csr", "csc"], dtype="numeric")
        return self._add_rows(_present(table), table.shape[0], table.dtype)

    @predict_method
    def transform(self, X: TableLike, copy: bool = True) -> Any:
        """Weigh counts.

        Parameters
        ----------
        copy : bool, default=True
            False weighs a CSR table of floats in place.

        Returns
        -------
        sparse table of shape (n_samples, n_features)
        """
        table = check_X(self, X, accept_sparse="csr", dtype=(np.float64, np.float32), copy=copy)
        if not sparse.issparse(table):
            table = sparse.csr_array(table, dtype=table.dtype)
        return self._weigh(table)

    def _weigh(self, table: Any) -> Any:
        """Weigh a CSR table of floats in place."""
        if self.sublinear_tf:
            np.log(table.data, table.data)
            table.data += 1.0
        weights = getattr(self, "idf_", None)
        if weights is not None and len(weights) != table.shape[1]:
            raise ValueError(f"idf_ has {len(weights)} weights, but the table has {table.shape[1]} columns.")
        _native_calls.weigh_rows(table, weights, self.norm)
        return as_configured(table)

    def _forget_rows(self) -> None:
        for name in ("idf_", "document_counts_", "n_documents_"):
            self.__dict__.pop(name, None)

    def _add_rows(self, present: NDArray[np.int64], rows: int, dtype: Any) -> TfidfTransformer:
        """Add rows by how many of them have each term; there may be more terms than before."""
        if hasattr(self, "document_counts_"):
            self.n_documents_ += rows
            earlier = self.document_counts_
            present = present + np.pad(earlier, (0, len(present) - len(earlier)))
        elif hasattr(self, "idf_"):
            raise ValueError(
                "idf_ was set by hand: how many rows it comes from is not known, so none can be added.\n"
                "Hint: call fit instead of partial_fit."
            )
        else:
            self.n_documents_ = int(rows)
        self.document_counts_ = present
        if self.use_idf:
            self.idf_ = self._weights(dtype if dtype in (np.float64, np.float32) else np.float64)
        self.report_ = Report()
        return self

    def _weights(self, dtype: Any) -> NDArray[Any]:
        counts = self.document_counts_.astype(dtype)
        counts += float(self.smooth_idf)
        weights = np.full_like(counts, self.n_documents_ + int(self.smooth_idf))
        weights /= counts
        np.log(weights, out=weights)
        weights += 1.0
        return weights

    def _restored(self) -> None:
        if hasattr(self, "document_counts_"):
            check_shapes(self, document_counts_=(None,))
            if type(self.n_documents_) is not int:
                raise ValueError("n_documents_ is not a count.")
        if hasattr(self, "idf_"):
            width = getattr(self, "n_features_in_", None)
            check_shapes(self, idf_=(width,))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _present(table: Any) -> NDArray[np.int64]:
    """How many rows have an entry in each column."""
    if not sparse.issparse(table):
        return np.count_nonzero(table, axis=0).astype(np.int64)
    if table.format == "csc":
        return np.diff(table.indptr).astype(np.int64)
    return np.bincount(table.indices, minlength=table.shape[1]).astype(np.int64)
