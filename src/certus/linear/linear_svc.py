"""Linear support vector classification. Fan et al. (2008), "LIBLINEAR", gives the objectives."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from certus.base import (
    Classifier,
    Iterations,
    class_weights,
    fit_method,
    register,
    resolve_seed,
    resolve_threads,
)
from certus.base.blocks import ScaledFit
from certus.base.inputs import ClassWeightLike, RandomStateLike, TargetLike, WeightsLike, check_weights, check_Xy
from certus.base.params import Exactly, InstanceOf, OneOf
from certus.base.persistence import check_shapes
from certus.linear._native_calls.machine_kernels import Descent
from certus.linear.design.moments import gamma
from certus.linear.evidence.linear_labels import label_certificate, undecided_rows
from certus.linear.evidence.machine_evidence import MachineEvidence, box_evidence, combine
from certus.linear.fitting.linear_prediction import LinearClassification, SparseCoefficients
from certus.linear.fitting.machine_fit import MachineFit
from certus.linear.in_blocks.machines_in_blocks import fit_machines, whole_table_needed
from certus.linear.problems.box_problem import SQUARES_FIT, MachineTable, classification
from certus.linear.solvers.box_newton import Watch
from certus.linear.solvers.joint_machine import joint_evidence, solve_joint
from certus.linear.solvers.l1_machine import L1Machine
from certus.linear.solvers.machine_solvers import LOOSEST, Accuracy, solve_machines

Array = NDArray[np.float64]
# Whether the dual problem may be asked for, by (loss, penalty), as in scikit-learn.
DUAL_FORMS = {("hinge", "l2"): (True,), ("squared_hinge", "l1"): (False,), ("squared_hinge", "l2"): (False, True)}
L1_GAP = 1e-10  # of the objective at zero, for the L1 penalty


@register(
    guarantees=("gap to the optimum", "training labels of the exact optimum"),
    cost="fit n p plus m p^2 per Newton step with m rows near the margin (n p per pass if sparse or wide), "
    "predict p per row and class",
)
class LinearSVC(MachineFit, LinearClassification, SparseCoefficients, Classifier):
    """Linear support vector classifier, one machine per class or one joint machine.

    Minimizes, over coefficients w and intercept b with costs C_i = C times the weight of row i,

        |(w, b / intercept_scaling)|^2 / 2 + sum_i C_i max(0, 1 - y_i (x_i'w + b))^p,     y_i = -1 or 1

    with p = 2 ("squared_hinge") or 1 ("hinge"); with penalty="l1" the first term is the sum of absolute values.
    Several classes are separated one against the rest, or with multi_class="crammer_singer" by one joint objective.
    Narrow dense tables are solved to machine precision by Newton steps that need only the rows near the margin,
    sparse and wide ones by dual coordinate descent; the report certifies the gap either way.

    Parameters
    ----------
    penalty : {"l1", "l2"}, default="l2"
        The norm in the penalty; "l1" (only with "squared_hinge") makes coefficients zero.
    loss : {"hinge", "squared_hinge"}, default="squared_hinge"
        The loss.
    tol : float, default=1e-4
        Largest violation of optimality at the end of dual coordinate descent; Newton's method goes further.
    multi_class : {"ovr", "crammer_singer"}, default="ovr"
        One machine per class against the rest, or one joint machine (which ignores loss, penalty and dual).

    Attributes
    ----------
    intercept_ : ndarray of shape (1,) or (n_classes,), or 0.0
        Intercepts.
    n_iter_ : int
        Largest number of iterations over the machines.
    gap_ : float
        Certified bound on the objective (summed over machines) minus its minimum.
    history_ : ndarray
        Gap after every Newton step, machine after machine; for dual coordinate descent after 16, 32, 64, … passes
        of every machine that needed more, and at the end of all.
    report_ : Report
        Certificates of the gap and, with the ridge penalty, of the training labels.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from certus.linear import LinearSVC
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LinearSVC().fit(X, y)
    >>> round(model.score(X, y), 2), int(model.report_["labels of the exact optimum"].value)
    (0.97, 150)
    """

    _constraints = {
        **MachineFit._constraints,
        "penalty": [OneOf("l1", "l2")],
        "loss": [OneOf("hinge", "squared_hinge")],
        "multi_class": [OneOf("ovr", "crammer_singer")],
        "class_weight": [Exactly(None), OneOf("balanced"), InstanceOf(dict)],
    }
    _scaled = ScaledFit("exact", fit_machines, {"order": "C", "largest": SQUARES_FIT}, whole_table_needed)
    _state = (*MachineFit._state, "classes_")

    def __init__(
        self,
        penalty: str = "l2",
        loss: str = "squared_hinge",
        *,
        dual: Any = "auto",
        tol: float = 1e-4,
        C: float = 1.0,
        multi_class: str = "ovr",
        fit_intercept: bool = True,
        intercept_scaling: float = 1,
        class_weight: ClassWeightLike = None,
        verbose: int = 0,
        random_state: RandomStateLike = None,
        max_iter: int = 1000,
        gap_tol: float | None = None,
    ) -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(self, X: Any, y: TargetLike, sample_weight: WeightsLike = None) -> LinearSVC:
        """Find the best coefficients."""
        self._check_combination()
        X, y = check_Xy(self, X, y, accept_sparse="csr", order="C", accept_large_sparse=False, largest=SQUARES_FIT)
        codes = self._encode_labels(y)
        if len(self.classes_) < 2:
            raise ValueError(
                "This solver needs samples of at least 2 classes in the data, but the data contains only one class: "
                f"{self.classes_[0]!r}.\nHint: check the target column, or that a split did not leave a class out."
            )
        weights = check_weights(self, sample_weight, X)
        by_class = class_weights(self.class_weight, self.classes_, y, weights)
        costs = self.C * by_class[codes] * (1.0 if weights is None else weights)
        table = MachineTable(X, self._constant, resolve_threads())
        with Iterations(self, self.max_iter, X, y) as iterations:

            def watch(objective: float, gap: float) -> bool:
                return iterations.step(objective=objective, gap=gap)

            w, evidence = self._solve(table, codes.astype(np.int64), costs, watch)
        self._store(w, evidence, by_class, table)
        return self

    def _check_combination(self) -> None:
        if self.multi_class == "crammer_singer":
            return
        forms = DUAL_FORMS.get((self.loss, self.penalty))
        names = f"penalty={self.penalty!r} and loss={self.loss!r}"
        if forms is None:
            problem = f"The combination of {names} is not supported"
        elif self.dual != "auto" and bool(self.dual) not in forms:
            problem = f"The combination of {names} are not supported when dual={self.dual}"
        else:
            return
        raise ValueError(
            f"Unsupported set of arguments: {problem}, Parameters: penalty={self.penalty!r}, loss={self.loss!r}, "
            f"dual={self.dual!r}\nHint: leave dual='auto'; the L1 penalty goes with loss='squared_hinge'."
        )

    def _solve(
        self, table: MachineTable, codes: NDArray[np.int64], costs: Array, watch: Watch
    ) -> tuple[Array, MachineEvidence]:
        """Coefficients (one row per machine, the constant's last) and the evidence for them."""
        if self.multi_class == "crammer_singer":
            return self._solve_jointly(table, codes, costs, watch)
        positive = [1] if len(self.classes_) == 2 else range(len(self.classes_))
        signs = [np.where(codes == k, 1.0, -1.0) for k in positive]
        if self.penalty == "l1":
            machines = [L1Machine(table, sign, costs) for sign in signs]
            share = L1_GAP if self.gap_tol is None else self.gap_tol
            enough = LOOSEST * self.tol if self.gap_tol is None else 0.0
            results = [
                machine.solve(share * machine.at_zero, self.max_iter, watch, enough * machine.at_zero)
                for machine in machines
            ]
            parts = [machine.evidence(found.w, found.b) for machine, found in zip(machines, results, strict=True)]
            evidence = combine(parts)
        else:
            problems = [classification(table, sign, costs, squared=self.loss == "squared_hinge") for sign in signs]
            accuracy = Accuracy(self.tol, self.gap_tol, self.max_iter, resolve_seed(self.random_state), False)
            results = solve_machines(problems, accuracy, watch)
            evidence = box_evidence(problems, np.stack([r.w for r in results]), np.stack([r.b for r in results]))
        self.n_iter_ = max(found.iterations for found in results)
        self.converged_ = all(found.converged for found in results)
        gaps = [gap for found in results for gap in found.history]
        self.history_ = np.array(gaps if results[0].ends_with_gap else [*gaps, evidence.gap])
        return np.stack([found.w for found in results]), evidence

    def _solve_jointly(
        self, table: MachineTable, codes: NDArray[np.int64], costs: Array, watch: Watch
    ) -> tuple[Array, MachineEvidence]:
        gap = 0.0 if self.gap_tol is None else self.gap_tol * float(costs.sum())
        rule = Descent(self.tol, False, gap, self.max_iter, resolve_seed(self.random_state))
        found = solve_joint(table, codes, costs, len(self.classes_), rule, watch)
        self.n_iter_, self.converged_ = found.iterations, found.converged
        evidence = joint_evidence(table, codes, costs, found.w, found.a)
        self.history_ = np.array([*found.history, evidence.gap])
        return found.w, evidence

    def _store(self, w: Array, evidence: MachineEvidence, by_class: Array, table: MachineTable) -> None:
        coef, intercept = w[:, :-1], self.intercept_scaling * w[:, -1]
        if len(w) == 2:  # the joint machine of two classes is told as one
            coef, intercept = coef[1:] - coef[:1], intercept[1:] - intercept[:1]
        self.coef_: Any = np.ascontiguousarray(coef)
        self.intercept_ = intercept if self.fit_intercept else 0.0
        facts = {
            "penalty": self.penalty,
            "multi_class": self.multi_class,
            "epsilon": 0.0,
            "classes": self.classes_.tolist(),
            "class_weights": by_class.tolist(),
        }
        self._certify(evidence, facts, coef, intercept)
        if self.penalty == "l2" or self.multi_class == "crammer_singer":
            self._certify_labels(evidence, table, w)
        self._warn_unless_converged(evidence.objective_at_zero)

    def _certify_labels(self, evidence: MachineEvidence, table: MachineTable, w: Array) -> None:
        assert evidence.distances is not None
        lengths = table.lengths * (1.0 + 1e-12)
        rounding = gamma(table.width + 8) * lengths * float(np.linalg.norm(w, axis=1).max())
        farthest = np.sort(evidence.distances)[-2:].sum() if len(evidence.distances) > 1 else evidence.distances[0]
        reach = lengths * float(farthest) + 2.0 * rounding
        undecided = undecided_rows(evidence.scores, reach)
        distance = float(evidence.distances.max())
        self.report_ = self.report_.with_([label_certificate(undecided, len(lengths), distance)])

    def _restored(self) -> None:
        if hasattr(self, "classes_") and not sparse.issparse(self.coef_):
            outputs = 1 if len(self.classes_) == 2 else len(self.classes_)
            check_shapes(self, coef_=(outputs, self.n_features_in_))
