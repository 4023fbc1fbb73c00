"""The base of random projections: the number of directions, the report, and the way back."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import ClassNamePrefixFeaturesOutMixin
from sklearn.exceptions import DataDimensionalityWarning
from sklearn.utils import Tags, check_array

from certus.base import Transformer, fit_method, predict_method, resolve_seed, resolve_threads
from certus.base.inputs import TableLike, TargetLike, check_X
from certus.base.params import Boolean, Interval, OneOf, RandomState
from certus.base.persistence import check_shapes
from certus.components.learning.component_learner import LARGEST
from certus.components.learning.projected_rows import projected_rows
from certus.components.random_projections import johnson_lindenstrauss_min_dim
from certus.guarantees import Report


class RandomProjection(ClassNamePrefixFeaturesOutMixin, Transformer):
    """What random projections share.

    Parameters
    ----------
    n_components : int or "auto", default="auto"
        Number of directions; "auto" is `johnson_lindenstrauss_min_dim` of the rows and ``eps``.
    eps : float, default=0.1
        Largest relative change of a squared distance that "auto" aims at.
    compute_inverse_components : bool, default=False
        Whether the pseudo-inverse is kept, which makes `inverse_transform` fast.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the directions.

    Attributes
    ----------
    n_components_ : int
        Number of directions.
    components_ : ndarray or sparse matrix of shape (n_components_, n_features)
        The directions.
    inverse_components_ : ndarray of shape (n_features, n_components_)
        Their pseudo-inverse, if it was asked for.
    """

    _constraints: ClassVar[Any] = {
        "n_components": [Interval(1, None, integer=True), OneOf("auto")],
        "eps": [Interval(0, None, closed="neither")],
        "compute_inverse_components": [Boolean()],
        "random_state": [RandomState()],
    }
    _state: ClassVar[tuple[str, ...]] = ("components_", "n_components_", "inverse_components_")
    _takes_sparse: ClassVar[bool] = True

    n_components: int | str
    eps: float
    compute_inverse_components: bool
    random_state: Any
    n_components_: int
    components_: Any
    inverse_components_: NDArray[Any]

    @abstractmethod
    def _drawn(self, count: int, width: int, rng: np.random.RandomState) -> Any:
        """The directions."""

    @abstractmethod
    def _promised(self, rows: int, count: int) -> Report:
        """What is known about distances between so many rows."""

    @fit_method
    def fit(self, X: TableLike, y: TargetLike | None = None) -> Self:
        """Draw the directions; of the rows only their number counts.

        Parameters
        ----------
        y : ignored
            There for compatibility.
        """
        table = check_X(self, X, reset=True, accept_sparse="csr", largest=LARGEST)
        rows, width = table.shape
        self.n_components_ = self._count(rows, width)
        drawn = self._drawn(self.n_components_, width, np.random.RandomState(resolve_seed(self.random_state) % 2**32))
        self.components_ = drawn.astype(table.dtype)
        if self.compute_inverse_components:
            self.inverse_components_ = self._inverse().astype(table.dtype)
        self.report_ = self._promised(rows, self.n_components_) if rows > 1 else Report([])
        return self

    def _count(self, rows: int, width: int) -> int:
        if self.n_components == "auto":
            count = int(johnson_lindenstrauss_min_dim(rows, eps=self.eps))
            asked = f"eps={self.eps:f} and n_samples={rows} lead to a target dimension of {count} which is "
            if count <= 0:
                raise ValueError(f"{asked}invalid")
            if count > width:
                raise ValueError(
                    f"{asked}larger than the original space with n_features={width}\n"
                    "Hint: set n_components, or a larger eps."
                )
            return count
        count = int(self.n_components)
        if count > width:
            warnings.warn(
                f"The number of components is higher than the number of features: n_features < n_components ({width} < "
                f"{count}).The dimensionality of the problem will not be reduced.",
                DataDimensionalityWarning,
                stacklevel=4,
            )
        return count

    def _inverse(self) -> NDArray[np.float64]:
        directions = self.components_.toarray() if sparse.issparse(self.components_) else self.components_
        return np.asarray(np.linalg.pinv(np.asarray(directions, dtype=np.float64)))

    @predict_method
    def transform(self, X: TableLike) -> Any:
        """The rows along the directions.

        Returns
        -------
        ndarray or sparse matrix of shape (n_samples, n_components_)
        """
        table = check_X(self, X, accept_sparse="csr", largest=LARGEST)
        if sparse.issparse(self.components_):
            return table @ self.components_.T
        directions = np.asarray(self.components_, dtype=np.float64).T
        return np.asarray(projected_rows(table, None, directions, resolve_threads()), dtype=table.dtype)

    @predict_method
    def inverse_transform(self, X: TableLike) -> NDArray[Any]:
        """The shortest rows with these projections.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_components_)
            Projections.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        given = check_array(X, dtype=(np.float64, np.float32), accept_sparse=("csr", "csc"))
        if given.shape[1] != self.n_components_:
            raise ValueError(f"X must have {self.n_components_} columns, one per direction, got {given.shape[1]}.")
        inverse = self.inverse_components_ if self.compute_inverse_components else self._inverse()
        return np.asarray(given @ inverse.T)

    @property
    def _n_features_out(self) -> int:
        return self.n_components_

    def _restored(self) -> None:
        if "components_" not in vars(self):
            return
        shape = (self.n_components_, self.n_features_in_)
        if self.components_.shape != shape:
            raise ValueError(f"components_ does not have the shape {shape}.")
        if self.compute_inverse_components:
            check_shapes(self, inverse_components_=shape[::-1])

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
