"""Ridge regression that chooses its own penalty."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.base import MultiOutputMixin

from certus.base import Regressor, Table, register
from certus.base.blocks import ScaledFit
from certus.base.inputs import FoldsLike, TargetLike
from certus.base.params import Boolean, Exactly, OneOf
from certus.linear.fitting.linear_prediction import LinearPrediction
from certus.linear.fitting.ridge_search import uses_singular_values
from certus.linear.fitting.ridge_selection import RidgeSelection
from certus.linear.in_blocks.ridge_choice import fit_ridge_choice, whole_table_needed
from certus.linear.ridge import Ridge


@register(
    guarantees=("exact leave-one-out errors", "gap to the ridge optimum"),
    cost="fit n p^2 for all penalties together (n^3 if wide), predict p per row",
)
class RidgeCV(RidgeSelection, LinearPrediction, MultiOutputMixin, Regressor):
    """Ridge regression with the penalty chosen by exact leave-one-out or another cross-validation.

    Minimizes, for the alpha in ``alphas`` with the best cross-validated score,

        sum_i s_i (y_i - x_i'w - b)^2 + alpha |w|^2

    The leave-one-out error of row i is its residual over one minus its leverage, so that all n fits of all penalties
    cost one decomposition. The first choice for regression: no penalty to guess.

    Parameters
    ----------
    scoring : str, callable or None, default=None
        What to choose by. None: the mean squared error for leave-one-out, else R^2.
    gcv_mode : {"auto", "svd", "eigen"} or None, default=None
        "svd" uses singular values of the (dense) table; the others eigenvalues of second moments or kernel matrix,
        and singular values where the smallest penalty asks for them.
    alpha_per_target : bool, default=False
        Whether every target gets its own penalty; leave-one-out only.

    Attributes
    ----------
    cv_results_ : ndarray of shape (n_samples, n_alphas) or (n_samples, n_targets, n_alphas)
        With `store_cv_results`: weighted squared leave-one-out errors, or leave-one-out predictions if `scoring` is
        given.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from certus.linear import RidgeCV
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = RidgeCV(alphas=[1e-3, 1e-2, 1e-1, 1]).fit(X, y)
    >>> model.alpha_, round(model.score(X, y), 3)
    (0.01, 0.517)
    """

    _constraints = {
        **RidgeSelection._constraints,
        "gcv_mode": [OneOf("auto", "svd", "eigen"), Exactly(None)],
        "alpha_per_target": [Boolean()],
    }
    _scaled = ScaledFit("exact", fit_ridge_choice, {"multi_output": True, "y_numeric": True}, whole_table_needed)
    _judged_by, _numeric = "r2", True

    def __init__(
        self,
        alphas: int | TargetLike | None = (0.1, 1.0, 10.0),
        *,
        fit_intercept: bool = True,
        scoring: str | Callable[..., float] | None = None,
        cv: FoldsLike = None,
        gcv_mode: str | None = None,
        store_cv_results: bool = False,
        alpha_per_target: bool = False,
        gap_tol: float | None = None,
    ) -> None:
        self._set_parameters(locals())

    def _with_solver(self, solver: str) -> Ridge:
        return Ridge(fit_intercept=self.fit_intercept, solver=solver, gap_tol=self.gap_tol)

    def _choosing(self, table: Table, *_targets: Any) -> dict[str, Any]:
        singular = uses_singular_values(self.gcv_mode, table)
        return {"singular": singular, "per_target": self.alpha_per_target}
