"""Leading singular vectors of a table that is not centered: latent semantic analysis of texts."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin
from sklearn.utils import Tags, check_array

from certus.base import Transformer, fit_method, predict_method, register, resolve_seed, resolve_threads
from certus.base.inputs import RandomStateLike, TableLike, TargetLike, WeightsLike, check_weights, check_X
from certus.base.params import Interval, OneOf, RandomState
from certus.base.persistence import check_shapes
from certus.components.evidence.direction_angles import angle_certificate, direction_sines, storage_error
from certus.components.evidence.explained_share import share_certificate
from certus.components.evidence.ritz_measures import measure
from certus.components.learning.component_learner import LARGEST
from certus.components.learning.projected_rows import projected_rows
from certus.components.solvers.leading_spectrum import LeadingSpectrum, by_krylov, by_lanczos
from certus.components.solvers.row_products import RowProducts
from certus.guarantees import Report

Floats = NDArray[np.float64]


@register(
    guarantees=(
        "interval for what the best directions explain of the squares",
        "angle of every direction to the exact one",
    ),
    cost="fit 4 q n p k (stored cells only for sparse tables) for q steps; transform n p k",
)
class TruncatedSVD(ClassNamePrefixFeaturesOutMixin, Transformer):
    """The leading singular vectors of a table as it is, without centering: sparse tables stay sparse.

    Parameters
    ----------
    n_components : int, default=2
        Number of components.
    algorithm : {"arpack", "randomized"}, default="randomized"
        Lanczos' method, or a block Krylov space of random vectors; both stop at the exact answer where that is cheaper.
    n_iter : int, default=5
        Steps of "randomized".
    n_oversamples : int, default=10
        Random vectors of "randomized" beyond ``n_components``.
    power_iteration_normalizer : {"auto", "QR", "LU", "none"}, default="auto"
        Accepted for compatibility: every block is made orthonormal.
    random_state : int, RandomState or None, default=None
        Seed of the start.
    tol : float, default=0.0
        Relative accuracy of "arpack"; 0 is that of the machine.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The directions, orthonormal rows; the entry of largest magnitude is positive.
    explained_variance_ : ndarray of shape (n_components,)
        The variance of each coordinate, with divisor n (the sum of the weights).
    explained_variance_ratio_ : ndarray of shape (n_components,)
        The same as shares of the variance of all columns.
    singular_values_ : ndarray of shape (n_components,)
        The singular values.
    direction_sines_ : ndarray of shape (n_components,)
        A bound on the sine of the angle between each component and the exact one; 1 where it is not determined.
    report_ : Report
        What the best directions explain of the sum of squares, and how far the determined ones can be from them.

    Examples
    --------
    >>> from certus.components import TruncatedSVD
    >>> X = [[2.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 1.0, 0.0]]
    >>> TruncatedSVD(2).fit(X).singular_values_.round(4)
    array([2.    , 1.4142])
    """

    _constraints: ClassVar[Any] = {
        "n_components": [Interval(1, None, integer=True)],
        "algorithm": [OneOf("arpack", "randomized")],
        "n_iter": [Interval(0, None, integer=True)],
        "n_oversamples": [Interval(1, None, integer=True)],
        "power_iteration_normalizer": [OneOf("auto", "QR", "LU", "none")],
        "random_state": [RandomState()],
        "tol": [Interval(0, None)],
    }
    _state: ClassVar[tuple[str, ...]] = (
        "components_",
        "explained_variance_",
        "explained_variance_ratio_",
        "singular_values_",
        "direction_sines_",
    )
    _takes_sparse: ClassVar[bool] = True

    n_components: int
    components_: NDArray[Any]
    explained_variance_: Floats
    explained_variance_ratio_: Floats
    singular_values_: Floats
    direction_sines_: Floats
    n_features_in_: int

    def __init__(
        self,
        n_components: int = 2,
        *,
        algorithm: str = "randomized",
        n_iter: int = 5,
        n_oversamples: int = 10,
        power_iteration_normalizer: str = "auto",
        random_state: RandomStateLike = None,
        tol: float = 0.0,
    ) -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(self, X: TableLike, y: TargetLike | None = None, sample_weight: WeightsLike = None) -> TruncatedSVD:
        """Find the components.

        Parameters
        ----------
        y : ignored
            There for compatibility.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows: 0 removes a row, a whole number repeats it.
        """
        self._learn(X, sample_weight)
        return self

    @fit_method
    def fit_transform(
        self, X: TableLike, y: TargetLike | None = None, sample_weight: WeightsLike = None
    ) -> NDArray[Any]:
        """Find the components and return the coordinates of the rows.

        Parameters
        ----------
        y : ignored
            There for compatibility.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        return self._coordinates(self._learn(X, sample_weight))

    def _learn(self, X: TableLike, sample_weight: WeightsLike) -> Any:
        table = check_X(self, X, reset=True, accept_sparse="csr", largest=LARGEST)
        weights = check_weights(self, sample_weight, table)
        kept, given = table, weights
        if weights is not None and not weights.all():
            kept, given = table[weights > 0.0], weights[weights > 0.0]
        products = RowProducts(kept, given, centered=False, threads=resolve_threads())
        spectrum = self._solve(products)
        values = spectrum.values[: len(spectrum.vectors)]
        self.components_ = spectrum.vectors.astype(table.dtype)
        self.singular_values_ = np.sqrt(values) * products.scale
        means = products.mean_row() @ spectrum.vectors.T
        self.explained_variance_ = np.maximum(values / products.total * products.scale**2 - means**2, 0.0)
        whole = RowProducts(kept, given, centered=True, threads=products.threads)
        variance = whole.trace() / whole.total * whole.scale**2
        self.explained_variance_ratio_ = self.explained_variance_ / variance if variance > 0.0 else 0.0 * values
        self._certify_directions(products, spectrum)
        return table

    def _solve(self, products: RowProducts) -> LeadingSpectrum:
        if self.algorithm == "arpack":
            if self.n_components >= products.smaller:
                raise ValueError(
                    f"n_components must be less than min(n_samples, n_features)={products.smaller} with "
                    f"algorithm='arpack', got {self.n_components}.\nHint: algorithm='randomized' finds all of them."
                )
            return by_lanczos(products, self.n_components, self.tol, resolve_seed(self.random_state))
        if self.n_components > products.columns:
            raise ValueError(f"n_components({self.n_components}) must be <= n_features({products.columns}).")
        count = min(self.n_components, products.smaller)
        return by_krylov(products, count, self.n_oversamples, self.n_iter, resolve_seed(self.random_state))

    def _certify_directions(self, products: RowProducts, spectrum: LeadingSpectrum) -> None:
        self.report_ = Report()
        self.direction_sines_ = np.ones(len(spectrum.vectors))
        measures = measure(products, spectrum)
        if measures.trace <= 2.0 * measures.rounding:  # all cells are 0: there is nothing to explain
            return
        stored = storage_error(self.components_, spectrum.vectors)
        self.direction_sines_ = direction_sines(measures, stored)
        share = share_certificate(measures, products.rows, products.columns, centered=False)
        shape = products.rows, products.columns
        self.report_ = Report([share, angle_certificate(measures, *shape, centered=False, stored=stored)])

    @predict_method
    def transform(self, X: TableLike) -> NDArray[Any]:
        """The coordinates of rows along the components.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        return self._coordinates(check_X(self, X, accept_sparse="csr", largest=LARGEST))

    def _coordinates(self, table: Any) -> NDArray[Any]:
        directions = np.asarray(self.components_, dtype=np.float64).T
        return np.asarray(projected_rows(table, None, directions, resolve_threads()), dtype=table.dtype)

    @predict_method
    def inverse_transform(self, X: TableLike) -> NDArray[Any]:
        """Rows with these coordinates, in the space of the training rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components)
            Coordinates.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        given = check_array(X, dtype=(np.float64, np.float32))
        if given.shape[1] != len(self.components_):
            raise ValueError(f"X must have {len(self.components_)} columns, one per component, got {given.shape[1]}.")
        return np.asarray(given @ self.components_)

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    def _restored(self) -> None:
        if "components_" in vars(self):
            count = len(self.components_)
            check_shapes(
                self,
                components_=(count, self.n_features_in_),
                explained_variance_=(count,),
                explained_variance_ratio_=(count,),
                singular_values_=(count,),
                direction_sines_=(count,),
            )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
