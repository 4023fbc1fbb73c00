"""What transformers with random Fourier features share."""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np
from scipy import sparse
from sklearn.base import ClassNamePrefixFeaturesOutMixin
from sklearn.utils import Tags

from certus.base import TableLike, Transformer, check_X, fit_method, predict_method
from certus.base.persistence import check_shapes
from certus.guarantees import Report
from certus.kernels._native_calls import Array, Rows
from certus.kernels.evidence.fourier_certificate import fourier_certificate

AT_ONCE = 4096  # rows that are transformed together
FOURIER_STATE = ("random_weights_", "_n_features_out", "n_features_in_", "feature_names_in_")


class FourierFeatures(ClassNamePrefixFeaturesOutMixin, Transformer):
    """Shared part of the transformers that take cosines of random projections; not a learner by itself.

    Attributes
    ----------
    random_weights_ : ndarray of shape (n_features, n_components)
        The frequencies, one per column.
    report_ : Report
        A bound on the error of all kernel values of two training rows, which holds with probability 95 % over the
        draws.
    """

    _takes_sparse = True
    _span: ClassVar[float]  # length of the interval in which a term of an approximated kernel value lies
    _exact_diagonal: ClassVar[bool]  # whether k(x, x) is approximated without error

    n_components: int
    random_weights_: Array
    _n_features_out: int

    @fit_method
    def fit(self, X: TableLike, y: object = None) -> Self:
        """Draw the frequencies."""
        table = check_X(self, X, reset=True, accept_sparse="csr")
        self._draw(table)
        self.report_ = Report(
            [
                fourier_certificate(
                    table.shape[0], self.n_components, span=self._span, exact_diagonal=self._exact_diagonal
                )
            ]
        )
        return self

    def _draw(self, table: Rows) -> None:
        """Set the frequencies and what else is drawn, and the number of features."""
        raise NotImplementedError

    def _waves(self, projections: Array) -> Array:
        """The features from the projections of some rows onto the frequencies."""
        raise NotImplementedError

    @predict_method
    def transform(self, X: TableLike) -> Array:
        """The features of rows."""
        table = check_X(self, X, accept_sparse="csr")
        out = np.empty((table.shape[0], self._n_features_out), dtype=table.dtype)
        for first in range(0, table.shape[0], AT_ONCE):
            block = table[first : first + AT_ONCE]
            product = block @ self.random_weights_.astype(np.float64)
            out[first : first + AT_ONCE] = self._waves(product.toarray() if sparse.issparse(product) else product)
        return out

    def _restored(self) -> None:
        if hasattr(self, "random_weights_"):
            check_shapes(self, random_weights_=(self.n_features_in_, None))
            if self._waves(np.zeros((1, self.random_weights_.shape[1]))).shape != (1, self._n_features_out):
                raise ValueError("random_weights_ gives another number of features than there should be.")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
