"""What transformers with random Fourier features share."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import ClassNamePrefixFeaturesOutMixin
from sklearn.utils import Tags

from certus.base import Transformer, check_X, predict_method
from certus.base.persistence import check_shapes
from certus.kernels.functions.kernel import Array

AT_ONCE = 4096  # rows that are transformed together
FOURIER_STATE = ("random_weights_", "_n_features_out", "n_features_in_", "feature_names_in_")


class FourierFeatures(ClassNamePrefixFeaturesOutMixin, Transformer):
    """Shared part of the transformers that take cosines of random projections; not a learner by itself."""

    random_weights_: Array
    _n_features_out: int

    def _read_rows(self, X: Any) -> Any:
        return check_X(self, X, reset=True, accept_sparse="csr")

    def _waves(self, projections: Array) -> Array:
        """The features from the projections of some rows onto the frequencies."""
        raise NotImplementedError

    @predict_method
    def transform(self, X: Any) -> Array:
        """The features of rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_features_out)
            The features.
        """
        X = check_X(self, X, accept_sparse="csr")
        out = np.empty((X.shape[0], self._n_features_out), dtype=X.dtype)
        for first in range(0, X.shape[0], AT_ONCE):
            block = X[first : first + AT_ONCE]
            product = block @ self.random_weights_.astype(np.float64)
            out[first : first + AT_ONCE] = self._waves(product.toarray() if sparse.issparse(product) else product)
        return out

    def _restored(self) -> None:
        if hasattr(self, "random_weights_"):
            check_shapes(self, random_weights_=(self.n_features_in_, None))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
