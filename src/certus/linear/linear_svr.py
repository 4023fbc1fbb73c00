"""Linear support vector regression. Ho, Lin (2012), "Large-scale linear support vector regression"."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base import Iterations, Regressor, fit_method, register, resolve_seed, resolve_threads
from certus.base.inputs import RandomStateLike, TargetLike, WeightsLike, check_weights, check_Xy
from certus.base.params import Interval, OneOf
from certus.base.persistence import check_shapes
from certus.linear.evidence.machine_evidence import MachineEvidence, box_evidence
from certus.linear.fitting.linear_prediction import LinearPrediction
from certus.linear.fitting.machine_fit import MachineFit
from certus.linear.problems.box_problem import SQUARES_FIT, MachineTable, regression
from certus.linear.solvers.machine_solvers import Accuracy, solve_machines

Array = NDArray[np.float64]


@register(
    guarantees=("gap to the optimum",),
    cost="fit n p plus m p^2 per Newton step with m rows near the tube (n p per pass if sparse or wide), "
    "predict p per row",
)
class LinearSVR(MachineFit, LinearPrediction, Regressor):
    """Linear regression that ignores errors up to epsilon and counts larger ones linearly or squared.

    Minimizes, over coefficients w and intercept b with costs C_i = C times the weight of row i,

        |(w, b / intercept_scaling)|^2 / 2 + sum_i C_i max(0, |y_i - x_i'w - b| - epsilon)^p

    with p = 1 ("epsilon_insensitive": robust against outliers; with epsilon = 0 the absolute error) or p = 2.

    Parameters
    ----------
    epsilon : float, default=0.0
        Half the width of the tube in which errors do not count, in units of y.
    tol : float, default=1e-4
        Sum of the violations of optimality at the end of dual coordinate descent, relative to the first pass;
        Newton's method goes further.
    loss : {"epsilon_insensitive", "squared_epsilon_insensitive"}, default="epsilon_insensitive"
        The loss.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Coefficients.
    intercept_ : ndarray of shape (1,), or 0.0
        Intercept.
    n_iter_ : int
        Number of iterations.
    history_ : ndarray
        Gap after every Newton step; for dual coordinate descent after 16, 32, 64, … passes and at the end.
    report_ : Report
        Certificate of the gap.

    Examples
    --------
    >>> from certus.linear import LinearSVR
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0]], [0.0, 1.0, 2.0, 3.0, 100.0]
    >>> model = LinearSVR(C=10.0).fit(X, y)
    >>> print(model.coef_.round(3), model.gap_ < 1e-9)
    [1.] True
    """

    _constraints = {
        **MachineFit._constraints,
        "epsilon": [Interval(0, None)],
        "loss": [OneOf("epsilon_insensitive", "squared_epsilon_insensitive")],
    }

    def __init__(
        self,
        *,
        epsilon: float = 0.0,
        tol: float = 1e-4,
        C: float = 1.0,
        loss: str = "epsilon_insensitive",
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        dual: Any = "auto",
        verbose: int = 0,
        random_state: RandomStateLike = None,
        max_iter: int = 1000,
        gap_tol: float | None = None,
    ) -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(self, X: Any, y: TargetLike, sample_weight: WeightsLike = None) -> LinearSVR:
        """Find the best coefficients."""
        if self.loss == "epsilon_insensitive" and self.dual is False:
            raise ValueError(
                "Unsupported set of arguments: The combination of penalty='l2' and loss='epsilon_insensitive' are not "
                "supported when dual=False, Parameters: penalty='l2', loss='epsilon_insensitive', dual=False\n"
                "Hint: leave dual='auto'."
            )
        X, y = check_Xy(
            self,
            X,
            y,
            accept_sparse="csr",
            order="C",
            y_numeric=True,
            accept_large_sparse=False,
            largest=SQUARES_FIT,
        )
        weights = check_weights(self, sample_weight, X)
        costs = np.full(X.shape[0], float(self.C)) if weights is None else self.C * weights
        table = MachineTable(X, self._constant, resolve_threads())
        problem = regression(
            table,
            np.ascontiguousarray(y, dtype=np.float64),
            costs,
            epsilon=float(self.epsilon),
            squared=self.loss.startswith("squared"),
        )
        accuracy = Accuracy(self.tol, self.gap_tol, self.max_iter, resolve_seed(self.random_state), True)
        with Iterations(self, self.max_iter, X, y) as iterations:
            [found] = solve_machines(
                [problem], accuracy, lambda objective, gap: iterations.step(objective=objective, gap=gap)
            )
        self.n_iter_, self.converged_ = found.iterations, found.converged
        evidence = box_evidence([problem], found.w[None], found.b[None])
        self.history_ = np.array(found.history if found.ends_with_gap else [*found.history, evidence.gap])
        self._store(found.w, evidence)
        return self

    def _store(self, w: Array, evidence: MachineEvidence) -> None:
        self.coef_ = w[:-1].copy()
        intercept = self.intercept_scaling * w[-1:]
        self.intercept_ = intercept if self.fit_intercept else 0.0
        facts = {
            "penalty": "l2",
            "multi_class": "ovr",
            "epsilon": float(self.epsilon),
            "classes": None,
            "class_weights": None,
        }
        self._certify(evidence, facts, self.coef_[None], intercept)
        self._warn_unless_converged(evidence.objective_at_zero)

    def _restored(self) -> None:
        if hasattr(self, "coef_"):
            check_shapes(self, coef_=(self.n_features_in_,))
