"""What LinearSVC and LinearSVR share: parameters, and the end of a fit."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from certus.base import Constraints, Learner, warn_not_converged
from certus.base.params import Boolean, Exactly, Interval, OneOf, RandomState, Verbosity
from certus.guarantees import Report
from certus.linear.evidence.machine_evidence import MachineEvidence, machine_certificate

Array = NDArray[np.float64]
NOT_CONVERGED = "The solver failed to converge within max_iter iterations."


class MachineFit(Learner):
    """Parameters and certificates of both machines.

    Parameters
    ----------
    C : float
        Weight of the losses against the penalty.
    dual : "auto" or bool
        Accepted as in scikit-learn: primal and dual have the same solution, the method is chosen by the table.
    intercept_scaling : float
        The intercept is the coefficient of a constant column of this value, and penalized like the others.
    verbose : int
        1 prints a table of the iterations, with ever fewer lines; 2 prints all of them. 0 prints nothing.
    random_state : int, RandomState or None
        Order of the rows in dual coordinate descent; Newton's method is not random.
    max_iter : int
        Largest number of Newton steps or passes.
    gap_tol : float or None
        Stop only when the duality gap is at most this share of the objective at zero coefficients.

    Attributes
    ----------
    converged_ : bool
        Whether the solution is as accurate as asked for.
    """

    _constraints: ClassVar[Constraints] = {
        "tol": [Interval(0, None, closed="neither")],
        "C": [Interval(0, None, closed="neither")],
        "fit_intercept": [Boolean()],
        "intercept_scaling": [Interval(0, None, closed="neither")],
        "dual": [Boolean(), OneOf("auto")],
        "verbose": [Verbosity()],
        "random_state": [RandomState()],
        "max_iter": [Interval(0, None, integer=True)],
        "gap_tol": [Exactly(None), Interval(0, None, closed="neither")],
    }
    _state: ClassVar[tuple[str, ...]] = ("coef_", "intercept_", "n_iter_", "gap_", "converged_", "history_")
    _takes_sparse = True

    converged_: bool
    n_iter_: int

    @property
    def _constant(self) -> float:
        """The value of the column whose coefficient is the intercept; 0 without one."""
        return float(self.intercept_scaling) if self.fit_intercept else 0.0

    def _certify(self, evidence: MachineEvidence, facts: dict[str, Any], coef: Array, intercept: Array) -> None:
        """Set ``gap_``, ``converged_`` and ``report_``; ``facts`` are those in which the machines differ."""
        self.gap_ = evidence.gap
        if self.gap_tol is not None:
            self.converged_ = self.converged_ and self.gap_ <= self.gap_tol * evidence.objective_at_zero
        scaling = float(self.intercept_scaling) if self.fit_intercept else None
        inputs = {"loss": self.loss, **facts, "C": float(self.C), "intercept_scaling": scaling}
        self.report_ = Report([machine_certificate(evidence, inputs, coef, intercept)])

    def _warn_unless_converged(self, at_zero: float) -> None:
        if not self.converged_:
            limit = None if self.gap_tol is None else self.gap_tol * at_zero
            ended = limit is not None and self.n_iter_ < self.max_iter
            warn_not_converged(self, None if ended else NOT_CONVERGED, gap=self.gap_, at_zero=at_zero, limit=limit)
