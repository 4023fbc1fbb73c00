"""A linear map in which neighbors share a class. Goldberger, Roweis, Hinton, Salakhutdinov (2005)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from sklearn.base import ClassNamePrefixFeaturesOutMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags

from certus.base import (
    Iterations,
    RandomStateLike,
    TableLike,
    TargetLike,
    Transformer,
    check_X,
    check_Xy,
    distinct_labels,
    fit_method,
    predict_method,
    register,
    resolve_seed,
    warn_user,
)
from certus.base.params import ArrayLike, Boolean, Exactly, Function, Interval, OneOf, RandomState, Verbosity
from certus.base.persistence import check_shapes
from certus.guarantees import Report
from certus.neighbors.learning.starting_maps import discriminant_directions, principal_directions

Floats = NDArray[np.float64]

_BLOCK_CELLS = 2**20  # probabilities held at a time


@register(
    family="neighbors",
    guarantees=(),
    cost="fit O(n^2 p) per step in O(n p) memory, transform O(p d) per row",
)
class NeighborhoodComponentsAnalysis(ClassNamePrefixFeaturesOutMixin, Transformer):
    """Transformer whose linear map makes the neighbors of a row share its class.

    A row i chooses another row j as its neighbor with probability p_ij. The map A maximizes the expected number of rows
    whose neighbor has their own class,

        sum_i sum_{j: y_j = y_i} p_ij,      p_ij = exp(-|A x_i - A x_j|^2) / sum_{l != i} exp(-|A x_i - A x_l|^2)

    by steps of L-BFGS, which reach a local optimum. Probabilities are computed in blocks, never all at once.

    Parameters
    ----------
    n_components : int, default=None
        Number of dimensions that rows are mapped to; by default as many as there are columns.
    init : {'auto', 'pca', 'lda', 'identity', 'random'} or array of shape (n_components, n_features), default='auto'
        The first map: principal directions, discriminant directions, the first columns themselves, normal draws.
        ``'auto'``: the first of ``'lda'``, ``'pca'`` and ``'identity'`` that gives enough dimensions.
    warm_start : bool, default=False
        Whether to begin with the map of the last fit.
    max_iter : int, default=50
        Most steps.
    tol : float, default=1e-5
        Accuracy at which steps end.
    callback : callable, default=None
        Called after every step with the map (flattened) and the number of the step.
    verbose : int, default=0
        Whether steps are printed.
    random_state : int, RandomState instance or None, default=None
        Seed of ``init='random'``.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The map A.
    n_iter_ : int
        Number of steps.
    objective_ : float
        The expected number of rows whose neighbor has their class.

    Examples
    --------
    >>> from certus.neighbors import KNeighborsClassifier, NeighborhoodComponentsAnalysis
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> flat = NeighborhoodComponentsAnalysis(n_components=2, random_state=0).fit(X, y).transform(X)
    >>> print(flat.shape, KNeighborsClassifier(3).fit(flat, y).score(flat, y) > 0.95)
    (150, 2) True
    """

    _constraints = {
        "n_components": [Interval(1, None, "left", integer=True), Exactly(None)],
        "init": [OneOf("auto", "pca", "lda", "identity", "random"), ArrayLike()],
        "warm_start": [Boolean()],
        "max_iter": [Interval(1, None, "left", integer=True)],
        "tol": [Interval(0, None, "left")],
        "callback": [Function(), Exactly(None)],
        "verbose": [Verbosity()],
        "random_state": [RandomState()],
    }
    _state = ("components_", "n_iter_", "objective_")

    def __init__(
        self,
        n_components: int | None = None,
        *,
        init: Any = "auto",
        warm_start: bool = False,
        max_iter: int = 50,
        tol: float = 1e-5,
        callback: Callable[[Any, int], Any] | None = None,
        verbose: int = 0,
        random_state: RandomStateLike = None,
    ) -> None:
        self._set_parameters(locals())

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    @fit_method
    def fit(self, X: TableLike, y: TargetLike) -> NeighborhoodComponentsAnalysis:
        """Find the map."""
        rows, y = check_Xy(self, X, y, min_rows=2)
        _, codes = distinct_labels(y)
        self._check_dimensions(rows.shape[1])
        start = self._first_map(rows, codes)
        data = np.ascontiguousarray(rows, dtype=np.float64)
        self.n_iter_ = 0
        with Iterations(self, self.max_iter, rows, y) as iterations:

            def after_step(map_: Floats) -> None:
                if self.callback is not None:
                    self.callback(map_, self.n_iter_)
                self.n_iter_ += 1
                if iterations.watched and iterations.step(objective=-_loss_and_gradient(map_, data, codes)[0]):
                    raise StopIteration

            found = minimize(
                _loss_and_gradient,
                start.ravel(),
                args=(data, codes),
                jac=True,
                method="L-BFGS-B",
                tol=self.tol,
                callback=after_step,
                options={"maxiter": self.max_iter},
            )
        self.n_iter_ = max(1, self.n_iter_)
        self.components_ = found.x.reshape(-1, rows.shape[1])
        self.objective_ = -float(found.fun)
        self.report_ = Report()
        if self.verbose and not found.success:
            warn_user(f"[{type(self).__name__}] NCA did not converge: {found.message}", ConvergenceWarning)
        return self

    def _check_dimensions(self, columns: int) -> None:
        if self.n_components is not None and self.n_components > columns:
            raise ValueError(
                f"The preferred dimensionality of the projected space `n_components` ({self.n_components}) cannot be "
                f"greater than the given data dimensionality ({columns})!"
            )
        if self.warm_start and hasattr(self, "components_") and self.components_.shape[1] != columns:
            raise ValueError(
                f"The new inputs dimensionality ({columns}) does not match the input dimensionality of the previously "
                f"learned transformation ({self.components_.shape[1]})."
            )

    def _first_map(self, X: NDArray[Any], codes: NDArray[np.intp]) -> Floats:
        if self.warm_start and hasattr(self, "components_"):
            return self.components_
        if not isinstance(self.init, str):
            return self._given_map(X.shape[1])
        columns, classes = X.shape[1], int(codes.max()) + 1
        wanted = self.n_components or columns
        init = self.init
        if init == "auto":
            enough = {"lda": min(columns, classes - 1), "pca": min(columns, len(X)) - 1}
            init = next((name for name, most in enough.items() if wanted <= most), "identity")
        if init == "identity":
            return np.eye(wanted, columns)
        if init == "random":
            return np.random.default_rng(resolve_seed(self.random_state)).standard_normal((wanted, columns))
        return principal_directions(X, wanted) if init == "pca" else discriminant_directions(X, codes, wanted)

    def _given_map(self, columns: int) -> Floats:
        given = np.asarray(self.init, dtype=np.float64)
        if given.ndim != 2 or not np.isfinite(given).all():
            raise ValueError(f"init must be a finite matrix, got an array of the shape {given.shape}.")
        if given.shape[1] != columns:
            raise ValueError(
                f"The input dimensionality ({given.shape[1]}) of the given linear transformation `init` must match the "
                f"dimensionality of the given inputs `X` ({columns})."
            )
        if given.shape[0] > given.shape[1]:
            raise ValueError(
                f"The output dimensionality ({given.shape[0]}) of the given linear transformation `init` cannot be "
                f"greater than its input dimensionality ({given.shape[1]})."
            )
        if self.n_components is not None and self.n_components != given.shape[0]:
            raise ValueError(
                "The preferred dimensionality of the projected space `n_components` "
                f"({self.n_components}) does not match the output dimensionality of the given linear transformation "
                f"`init` ({given.shape[0]})!"
            )
        return given

    def _restored(self) -> None:
        if hasattr(self, "components_"):
            check_shapes(self, components_=(len(self.components_), self.n_features_in_))

    @property
    def _n_features_out(self) -> int:
        return int(self.components_.shape[0])

    @predict_method
    def transform(self, X: TableLike) -> Floats:
        """Map rows: A x for every row x."""
        found: Floats = check_X(self, X) @ self.components_.T
        return found


def _loss_and_gradient(map_: Floats, X: Floats, codes: NDArray[np.intp]) -> tuple[float, Floats]:
    """Minus the objective and its gradient in A, a block of rows at a time.

    With q_i = sum_{j: y_j = y_i} p_ij and W_ij = p_ij (q_i - 1[y_i = y_j]) the objective has the gradient
    2 sum_ij W_ij (A x_i - A x_j)(x_i - x_j)'. The rows of W sum to 0, so the terms in x_i x_i' cancel.
    """
    A = map_.reshape(-1, X.shape[1])
    mapped = X @ A.T
    norms = np.einsum("ij,ij->i", mapped, mapped)
    objective, inner = 0.0, np.zeros_like(A)
    columns = np.zeros(len(X))
    block = max(1, _BLOCK_CELLS // len(X))
    for first in range(0, len(X), block):
        some = slice(first, first + block)
        squared = norms[some, None] + norms - 2.0 * (mapped[some] @ mapped.T)
        squared[np.arange(len(squared)), np.arange(first, first + len(squared))] = np.inf
        weights = np.exp(squared.min(axis=1, keepdims=True) - squared)
        weights /= weights.sum(axis=1, keepdims=True)
        same = codes[some, None] == codes
        own = np.where(same, weights, 0.0).sum(axis=1, keepdims=True)
        objective += float(own.sum())
        weights *= own - same
        columns += weights.sum(axis=0)
        inner -= mapped[some].T @ (weights @ X) + (weights @ mapped).T @ X[some]
    inner += (mapped * columns[:, None]).T @ X
    return -objective, -2.0 * inner.ravel()
