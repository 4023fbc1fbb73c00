"""What turns rows into a sparse graph of training rows, whichever of them count as neighbors."""

from __future__ import annotations

from typing import Any

from sklearn.base import ClassNamePrefixFeaturesOutMixin

from certus.base import Transformer
from certus.base.inputs import TableLike, TargetLike


class NeighborGraph(ClassNamePrefixFeaturesOutMixin, Transformer):
    """Base of the transformers; beside it stands a mixin that remembers rows."""

    n_samples_fit_: int

    @property
    def _n_features_out(self) -> int:
        return int(self.n_samples_fit_)

    def transform(self, X: TableLike) -> Any:
        """The graph of neighbors.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_queries, n_features)
            The rows.

        Returns
        -------
        sparse matrix of shape (n_queries, n_samples_fit)
            In CSR format, each row by increasing distance.
        """
        raise NotImplementedError

    def fit_transform(self, X: TableLike, y: TargetLike | None = None) -> Any:
        """The graph of the training rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training rows.
        y : ignored
            There for compatibility.

        Returns
        -------
        sparse matrix of shape (n_samples, n_samples)
            As from `transform`: every row is a neighbor of itself.
        """
        return self.fit(X, y).transform(X)
