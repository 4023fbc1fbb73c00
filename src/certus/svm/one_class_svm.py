"""Finding the region where most rows lie. Schölkopf et al. (2001)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import OutlierMixin

from certus.base import TargetLike, WeightsLike, fit_method, predict_method, register
from certus.svm._native_calls import Floats, Problems
from certus.svm.machines.kernel_argument import KernelLike, Objects, count
from certus.svm.machines.machine import NU, SHARED_CONSTRAINTS, SHARED_STATE
from certus.svm.machines.regression_machine import SingleProblem
from certus.svm.solvers.dual_problems import one_class
from certus.svm.solvers.verified_solution import Solution


@register(
    tasks=("density",),
    guarantees=("duality gap", "KKT audit"),
    cost="fit O(n n_SV p) to O(n^2 p), predict O(n_SV p) per row",
)
class OneClassSVM(OutlierMixin, SingleProblem):
    """Detector of outliers: the smoothest region that holds all but a share nu of the rows.

    With row weights w_i, minimizes over h in the kernel's space, with norm |h|, and the threshold rho

        |h|^2 / 2 - nu rho sum_i w_i + sum_i w_i max(0, rho - h(x_i))

    A row is an outlier (-1) when h(x) < rho; at most a share nu of the training weight is.

    Parameters
    ----------
    nu : float
        Upper bound on the share of training rows outside the region, lower bound on that of support vectors; in (0, 1].

    Attributes
    ----------
    offset_ : ndarray of shape (1,)
        The threshold rho: decision_function = score_samples - offset_.

    References
    ----------
    Schölkopf, Platt, Shawe-Taylor, Smola, Williamson (2001), "Estimating the support of a high-dimensional
    distribution".

    Examples
    --------
    >>> from certus.svm import OneClassSVM
    >>> X = [[0.0], [0.44], [0.45], [0.46], [1.0]]
    >>> OneClassSVM(gamma="auto").fit(X).predict(X)
    array([-1,  1,  1,  1, -1])
    """

    _constraints = {"nu": NU, **SHARED_CONSTRAINTS}
    _state = (*SHARED_STATE, "offset_")

    offset_: Floats

    def __init__(
        self,
        *,
        kernel: KernelLike = "rbf",
        degree: int = 3,
        gamma: str | float = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        nu: float = 0.5,
        shrinking: bool = True,
        cache_size: float = 200,
        verbose: bool | int = False,
        max_iter: int = -1,
        gap_tol: float | None = None,
    ) -> None:
        self._set_parameters(locals())

    def _problem(self, y: Floats, weights: Floats) -> tuple[Problems, Floats]:
        del y
        return one_class(weights, self.nu)

    def _unit(self, weights: Floats) -> float:
        """Scores are proportional to the weights, whose scale must not matter; a power of two loses no digit.

        A quarter of the mean weight, so that rows of weight 2 are solved as exactly as repeated ones.
        """
        return float(np.exp2(np.round(np.log2(weights.mean())) - 2.0))

    def _shifts_freely(self) -> bool:
        """The multipliers do not sum to zero: the region depends on where the origin is."""
        return False

    def _settled(self, solution: Solution) -> Solution:
        """The threshold just below the rows on the border, so that rounding does not decide about them."""
        free = (solution.alpha > 0.0) & (solution.alpha < solution.problems.upper)
        if not free.any():
            return solution
        below = 1e-12 * float(np.abs(solution.scores).max())
        return replace(solution, middle=np.array([below - solution.scores[free].min()]))

    def _declared(self) -> dict[str, Any]:
        return {"machine": "one-class", "nu": float(self.nu)}

    @fit_method
    def fit(self, X: Objects, y: TargetLike | None = None, sample_weight: WeightsLike = None) -> OneClassSVM:
        """Find the region."""
        X, _ = self._read_training(X, y, with_target=False)
        self._fit_rows(X, np.zeros(count(X)), sample_weight)
        self.offset_ = -self._intercept_
        return self

    @predict_method
    def decision_function(self, X: Objects) -> Floats:
        """Signed distance to the region's border in the kernel's space; positive inside."""
        return self._values(X)

    @predict_method
    def score_samples(self, X: Objects) -> Floats:
        """Values of h before the threshold is taken off."""
        return self._values(X) + self.offset_

    @predict_method
    def predict(self, X: Objects) -> NDArray[np.intp]:
        """1 for rows inside the region, -1 for outliers."""
        return np.where(self._values(X) > 0, 1, -1).astype(np.intp)
