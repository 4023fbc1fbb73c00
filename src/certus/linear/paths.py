"""Coefficients along a path of penalties, each problem started from the solution of the one before."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array, check_consistent_length

from certus.base import blas_on_one_thread, resolve_seed, resolve_threads, warn_deprecated, warn_user
from certus.base.inputs import Table, TableLike, TargetLike, WeightsLike
from certus.base.params import (
    ArrayLike,
    Boolean,
    Constraints,
    Exactly,
    Interval,
    OneOf,
    RandomState,
    Verbosity,
    check_parameters,
)
from certus.guarantees.records import number
from certus.linear.design.gram_argument import checked_gram
from certus.linear.fitting.alpha_grid import alpha_grid, given_alphas
from certus.linear.problems.penalized_problem import PenalizedProblem
from certus.linear.solvers.least_squares import NotFiniteError
from certus.linear.solvers.penalized_solver import Effort, prepare, solve_path, start_from

Array = NDArray[np.float64]
PATH_CONSTRAINTS: Constraints = {
    "l1_ratio": [Interval(0, 1)],
    "eps": [Interval(0, None, closed="neither"), Exactly(None)],
    "n_alphas": [Interval(1, None, integer=True), OneOf("deprecated")],
    "alphas": [Interval(1, None, integer=True), ArrayLike(), Exactly(None), OneOf("warn")],
    "precompute": [OneOf("auto"), Boolean(), ArrayLike()],
    "Xy": [ArrayLike(), Exactly(None)],
    "copy_X": [Boolean()],
    "coef_init": [ArrayLike(), Exactly(None)],
    "verbose": [Verbosity()],
    "return_n_iter": [Boolean()],
    "positive": [Boolean()],
    "tol": [Interval(0, None)],
    "max_iter": [Interval(1, None, integer=True)],
    "random_state": [RandomState()],
    "selection": [OneOf("cyclic", "random")],
}
SOLVER_OPTIONS: dict[str, Any] = {
    "tol": 1e-4,
    "max_iter": 1000,
    "random_state": None,
    "selection": "cyclic",
    "sample_weight": None,
}


def enet_path(
    X: Table,
    y: TargetLike,
    *,
    l1_ratio: float = 0.5,
    eps: float = 1e-3,
    n_alphas: Any = "deprecated",
    alphas: int | TargetLike | None = "warn",
    precompute: bool | str | TargetLike = "auto",
    Xy: Any = None,
    copy_X: bool = True,
    coef_init: TargetLike | None = None,
    verbose: bool | int = False,
    return_n_iter: bool = False,
    positive: bool = False,
    check_input: bool = True,
    **params: Any,
) -> Any:
    """Elastic-net coefficients along a path of penalties, without intercept.

    Minimizes, for every alpha of the path and with weights s of total S,

        sum_i s_i (y_i - x_i'w)^2 / (2 S) + alpha l1_ratio |w|_1 + (alpha (1 - l1_ratio) / 2) |w|^2

    For several targets |w|_1 is replaced by the sum over the columns of the norm over the targets (multi-task).

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The table; Fortran order and CSC are used without a copy.
    y : array-like of shape (n_samples,) or (n_samples, n_targets)
        The targets.
    l1_ratio : float, default=0.5
        Share of the L1 part.
    eps : float, default=1e-3
        Smallest alpha of an automatic grid, as a share of the largest.
    n_alphas : int, default="deprecated"
        Deprecated: pass the number as `alphas`.
    alphas : int or array-like, default=100
        Number of points of an automatic grid, or the penalties themselves.
    precompute : "auto", bool or array-like of shape (n_features, n_features), default="auto"
        Gram matrix of the table, or True to compute it; otherwise chosen by shape.
    Xy : array-like, default=None
        Accepted for compatibility: X'y is computed here.
    copy_X : bool, default=True
        Accepted for compatibility: the table is never overwritten.
    coef_init : array-like of shape (n_features,) or (n_targets, n_features), default=None
        Where to start from.
    verbose : bool or int, default=False
        Accepted for compatibility: nothing is printed.
    return_n_iter : bool, default=False
        Whether to return the numbers of sweeps too.
    positive : bool, default=False
        Whether to require w >= 0; one target only.
    check_input : bool, default=True
        Accepted for compatibility: the input is always checked.
    **params
        ``tol``, ``max_iter``, ``selection``, ``random_state`` as for `ElasticNet`, and ``sample_weight``.

    Returns
    -------
    alphas : ndarray of shape (n_alphas,)
        The penalties, decreasing.
    coefs : ndarray of shape (n_features, n_alphas) or (n_targets, n_features, n_alphas)
        Coefficients.
    dual_gaps : ndarray of shape (n_alphas,)
        Duality gap of every solution.
    n_iters : list of int
        Sweeps of every solution, if `return_n_iter`.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.linear import enet_path
    >>> X = np.array([[-1.0, 0.1], [0.0, -0.2], [1.0, 0.1]])
    >>> alphas, coefs, gaps = enet_path(X, [-1.0, 0.0, 1.0], l1_ratio=0.5, alphas=[0.5, 0.1])
    >>> np.round(coefs[0], 4).tolist()
    [0.4545, 0.8605]
    """
    unknown = set(params) - set(SOLVER_OPTIONS)
    if unknown:
        raise ValueError("Unexpected parameters in params.", sorted(unknown))
    options = {**SOLVER_OPTIONS, **params}
    given = {
        "l1_ratio": l1_ratio,
        "eps": eps,
        "n_alphas": n_alphas,
        "alphas": alphas,
        "precompute": precompute,
        "Xy": Xy,
        "copy_X": copy_X,
        "coef_init": coef_init,
        "verbose": verbose,
        "return_n_iter": return_n_iter,
        "positive": positive,
        **options,
    }
    check_parameters("enet_path", PATH_CONSTRAINTS, given)
    del check_input
    points = _points(alphas, n_alphas)
    problem, flat = _problem(X, y, options["sample_weight"], positive)
    random = options["selection"] == "random"
    seed = resolve_seed(options["random_state"]) if random else 0
    effort = Effort(float(options["tol"]), int(options["max_iter"]), random, seed)
    with blas_on_one_thread():
        try:
            gram = checked_gram(precompute, problem, check=True)
            prepare(problem, 100, effort, gram)
        except NotFiniteError:
            raise ValueError(
                "enet_path: the squares of the values in X or y overflow.\nHint: rescale the columns, for example "
                "with StandardScaler."
            ) from None
        if isinstance(points, int):
            grid = alpha_grid(problem, l1_ratio, eps=eps, count=points, positive=positive)
        else:
            grid = given_alphas(points)
        start = None if coef_init is None else start_from(coef_init, problem)
        run = solve_path(problem, grid, l1_ratio, effort, positive=positive, start=start, gram=gram)
    _warn_if_short(run.gaps, effort, problem)
    coefs = run.coefs[:, :, 0].T if flat else run.coefs.transpose(2, 1, 0)
    result = (grid, coefs.astype(problem.X.dtype), run.gaps / problem.weight)
    return (*result, run.sweeps.tolist()) if return_n_iter else result


def lasso_path(
    X: Table,
    y: TargetLike,
    *,
    eps: float = 1e-3,
    n_alphas: Any = "deprecated",
    alphas: int | TargetLike | None = "warn",
    precompute: bool | str | TargetLike = "auto",
    Xy: Any = None,
    copy_X: bool = True,
    coef_init: TargetLike | None = None,
    verbose: bool | int = False,
    return_n_iter: bool = False,
    positive: bool = False,
    **params: Any,
) -> Any:
    """Lasso coefficients along a path of penalties, without intercept.

    Minimizes, for every alpha of the path and with weights s of total S,

        sum_i s_i (y_i - x_i'w)^2 / (2 S) + alpha |w|_1

    It is `enet_path` with ``l1_ratio=1``: parameters and results are described there.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.linear import lasso_path
    >>> X = np.array([[-1.0, 0.1], [0.0, -0.2], [1.0, 0.1]])
    >>> alphas, coefs, gaps = lasso_path(X, [-1.0, 0.0, 1.0], alphas=[0.5, 0.1])
    >>> np.round(coefs[0], 4).tolist()
    [0.25, 0.85]
    """
    return enet_path(
        X,
        y,
        l1_ratio=1.0,
        eps=eps,
        n_alphas=n_alphas,
        alphas=alphas,
        precompute=precompute,
        Xy=Xy,
        copy_X=copy_X,
        coef_init=coef_init,
        verbose=verbose,
        return_n_iter=return_n_iter,
        positive=positive,
        **params,
    )


def _points(alphas: int | TargetLike | None, n_alphas: Any) -> Any:
    """What the two parameters mean together, with scikit-learn's deprecations."""
    chosen: Any = 100
    if n_alphas != "deprecated":
        warn_deprecated("n_alphas")
        chosen = int(n_alphas)
    if alphas is None:
        warn_deprecated("alphas")
        return chosen
    if isinstance(alphas, str):
        return chosen
    return int(alphas) if isinstance(alphas, numbers.Integral) else alphas


def _problem(X: TableLike, y: Any, sample_weight: WeightsLike, positive: bool) -> tuple[PenalizedProblem, bool]:
    X = check_array(X, accept_sparse="csc", dtype=[np.float64, np.float32])
    y = check_array(y, accept_sparse="csc", dtype=np.float64, ensure_2d=False, input_name="y")
    y = y.toarray() if sparse.issparse(y) else y
    check_consistent_length(X, y)
    if y.ndim != 1 and positive:
        raise ValueError(
            "positive=True is not allowed for multi-output (y.ndim != 1).\nHint: call it once for each target."
        )
    weights = None if sample_weight is None else check_array(sample_weight, ensure_2d=False, dtype=np.float64)
    targets = np.ascontiguousarray(y.reshape(len(y), -1))
    return PenalizedProblem(X, targets, weights, False, resolve_threads()), y.ndim == 1


def _warn_if_short(gaps: Array, effort: Effort, problem: PenalizedProblem) -> None:
    short = gaps > max(effort.share, 1e-13) * problem.target_squares
    if short.any():
        warn_user(
            f"Objective did not converge. You might want to increase the number of iterations: {int(short.sum())} of "
            f"{len(gaps)} points of the path have a gap up to {number(float(gaps.max()) / problem.weight, 'upper')} "
            f"(max_iter={effort.max_iter}, tol={effort.share:g}).\nHint: raise max_iter, or scale the columns.",
            ConvergenceWarning,
        )
