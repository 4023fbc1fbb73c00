"""What the two classifiers share: one-versus-one fitting, votes, decision values, probabilities."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from certus.base import Classifier, Iterations, class_weights, fit_method, predict_method, resolve_seed, warn_deprecated
from certus.base.inputs import ClassWeightLike, RandomStateLike, TargetLike, WeightsLike
from certus.base.params import Boolean, Constraints, Exactly, InstanceOf, OneOf
from certus.svm._native_calls import Floats, Kernel, Problems, Table
from certus.svm.evidence.machine_reports import classifier_report
from certus.svm.machines import platt
from certus.svm.machines.kernel_argument import Objects
from certus.svm.machines.machine import RANDOM, SHARED_CONSTRAINTS, SHARED_STATE, Machine, SolverRows
from certus.svm.solvers.dual_problems import class_pairs
from certus.svm.solvers.gap_stopping import solve_to_gap
from certus.svm.solvers.verified_solution import Solution

CLASSIFIER_CONSTRAINTS: Constraints = {
    **SHARED_CONSTRAINTS,
    "probability": [Boolean(), Exactly("deprecated")],
    "class_weight": [OneOf("balanced"), InstanceOf(dict), Exactly(None)],
    "decision_function_shape": [OneOf("ovo", "ovr")],
    "break_ties": [Boolean()],
    "random_state": RANDOM,
}
CLASSIFIER_STATE = (*SHARED_STATE, "classes_", "class_weight_", "_probA", "_probB")


def _gives_probabilities(machine: ClassificationMachine) -> bool:
    if machine.probability == "deprecated" or not machine.probability:
        raise AttributeError("predict_proba is not available when probability=False.\nHint: fit with probability=True.")
    return True


class ClassificationMachine(Machine, Classifier):
    """Shared part of the classifiers; not a learner by itself.

    Parameters
    ----------
    probability : bool
        Whether to fit Platt's sigmoids out of fold for `predict_proba` (deprecated by scikit-learn).
    class_weight : dict or "balanced"
        Factors of the rows' weights per class; "balanced" is inverse to the classes' frequencies.
    decision_function_shape : {"ovo", "ovr"}
        Whether `decision_function` gives one value per pair of classes or per class.
    break_ties : bool
        Whether `predict` breaks ties of the vote by the decision values.
    random_state : int, RandomState instance or None
        Folds of ``probability=True``.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels.
    class_weight_ : ndarray of shape (n_classes,)
        Factor of the weights of each class.
    support_ : ndarray of shape (n_SV,)
        Indices of the support vectors, by class.
    n_support_ : ndarray of shape (n_classes,), dtype=int32
        Number of support vectors of each class.
    dual_coef_ : ndarray or sparse array of shape (n_classes - 1, n_SV)
        Signed multipliers, laid out as in scikit-learn.
    coef_ : ndarray or sparse array of shape (n_pairs, n_features)
        Weights of the columns, for the linear kernel only.
    intercept_ : ndarray of shape (n_pairs,)
        Constants of the decision functions.
    gap_ : float
        Duality gap, summed over the problems: how much the objectives could still fall at most.
    n_iter_ : ndarray of shape (n_pairs,), dtype=int32
        Steps of the solver.
    """

    probability: bool | str
    class_weight: ClassWeightLike
    decision_function_shape: str
    break_ties: bool
    random_state: RandomStateLike
    class_weight_: Floats

    def _problems(self, codes: NDArray[np.intp], weights: Floats) -> tuple[Problems, Floats]:
        """The quadratic problems of all pairs of classes, and feasible starts."""
        raise NotImplementedError

    def _in_units_of_margin(self, solution: Solution) -> Solution:
        """The solution scaled so that the margin is at decision values of +-1."""
        return solution

    def _solved_table(self, table: Table, kernel: Kernel) -> tuple[Table, Kernel]:
        """Table and kernel in the form in which the problems are solved."""
        return table, kernel

    def _solve(
        self, table: Table, kernel: Kernel, codes: NDArray[np.intp], weights: Floats, gap_tol: float | None
    ) -> tuple[Solution, float, float]:
        """The solution of all problems, its duality gap and the objective at zero coefficients."""
        problems, start = self._problems(codes, weights)
        return solve_to_gap(table, kernel, problems, start, self._options(), gap_tol)

    @fit_method
    def fit(self, X: Objects, y: TargetLike, sample_weight: WeightsLike = None) -> Self:
        """Solve the problem of every pair of classes."""
        self._warn_about_probability()
        rows, codes, weights = self._read_labels(X, y, sample_weight)
        rows = self._centered(rows)
        with Iterations(self, 1, rows.X, y) as iterations:
            table, kernel = self._solved_table(rows.table, rows.kernel)
            solution, gap, scale = self._solve(table, kernel, codes, weights, self.gap_tol)
            iterations.step(gap=gap)
        self._warn_unfinished(solution, gap, scale)
        self._adopt(rows, codes, solution, gap, weighted=sample_weight is not None)
        self._fit_probabilities(rows, codes, weights)
        return self

    def _read_labels(
        self, X: Objects, y: TargetLike, sample_weight: WeightsLike
    ) -> tuple[SolverRows, NDArray[np.intp], Floats]:
        """The rows with positive weight, the numbers of their classes, and their weights times those of the classes."""
        X, labels = self._read_training(X, y)
        codes = self._encode_labels(labels, min_classes=2)
        weights = self._weights(sample_weight, len(codes))
        given = None if sample_weight is None else weights
        self.class_weight_ = class_weights(self.class_weight, self.classes_, labels, given)
        rows = self._prepare(X, weights)
        codes, weights = codes[rows.kept], weights[rows.kept]
        self._refuse_lost_classes(codes)
        return rows, codes, weights * self.class_weight_[codes]

    def _adopt(
        self, rows: SolverRows, codes: NDArray[np.intp], solution: Solution, gap: float, *, weighted: bool
    ) -> None:
        """Become the machine of a solution, with its report."""
        self.gap_ = gap
        self._store(rows, codes, self._in_units_of_margin(solution))
        self._shift_intercepts()
        training = self._training(rows, weighted=weighted)
        self.report_, self.withheld_ = classifier_report(training, codes, solution, gap)
        self._probA, self._probB = np.empty(0), np.empty(0)

    def _warn_about_probability(self) -> None:
        if self.probability != "deprecated":
            warn_deprecated("probability")

    def _refuse_lost_classes(self, codes: NDArray[np.intp]) -> None:
        rows = np.bincount(codes, minlength=len(self.classes_))
        left, lost = np.flatnonzero(rows), np.flatnonzero(rows == 0)
        if len(left) == 1:
            raise ValueError(
                "Invalid input - all samples with positive weights belong to the same class, "
                f"{self.classes_[left[0]]}.\nHint: give positive weight to rows of at least two classes."
            )
        if len(lost):
            raise ValueError(
                f"All rows of class {self.classes_[lost[0]]} have weight zero.\n"
                "Hint: leave its rows out, or give at least one of them a positive weight."
            )

    def _store(self, rows: SolverRows, codes: NDArray[np.intp], solution: Solution) -> None:
        """The pairs' coefficients in scikit-learn's layout: support vectors by class, classes - 1 lines."""
        count = len(self.classes_)
        coefficients = np.zeros((count - 1, len(codes)))
        problems, pairs = solution.problems, np.array(class_pairs(count)).T
        pair = np.repeat(np.arange(problems.count), np.diff(problems.starts))
        line = np.where(problems.sign < 0, pairs[1][pair] - 1, pairs[0][pair])  # a row of a < b: b - 1; of b: a
        # There a positive decision means the lower class.
        coefficients[line, problems.members] = -problems.sign * solution.alpha
        used = np.flatnonzero(coefficients.any(axis=0))
        used = used[np.argsort(codes[used], kind="stable")]
        self._n_support = np.bincount(codes[used], minlength=count).astype(np.int32)
        self._keep_support(rows.X, rows.kept[used])
        coefficients = coefficients[:, used]
        self._intercept_ = -solution.middle
        self._dual_coef_: Any = sparse.csr_array(coefficients) if self._sparse else coefficients
        flip = -1 if count == 2 else 1
        self.dual_coef_ = flip * self._dual_coef_
        self.intercept_ = flip * self._intercept_ + 0.0  # no negative zero
        self.n_iter_ = solution.steps.astype(np.int32)

    def _fit_probabilities(self, rows: SolverRows, codes: NDArray[np.intp], weights: Floats) -> None:
        if self.probability == "deprecated" or not self.probability:
            return

        def train(table: Table, codes: NDArray[np.intp], weights: Floats) -> Solution:
            return self._in_units_of_margin(self._solve(table, rows.kernel, codes, weights, None)[0])

        generator = np.random.default_rng(resolve_seed(self.random_state))
        self._probA, self._probB = platt.fit_pairs(train, rows.table, rows.kernel, codes, weights, generator)

    def _restored(self) -> None:
        super()._restored()
        if not hasattr(self, "support_"):
            return
        count = len(self.classes_)
        pairs = count * (count - 1) // 2
        if count < 2 or self._n_support.shape != (count,) or self._dual_coef_.shape[0] != count - 1:
            raise ValueError("the coefficients do not fit the classes.")
        if (
            self._intercept_.shape != (pairs,)
            or self._probA.size not in (0, pairs)
            or self._probB.size != self._probA.size
        ):
            raise ValueError("the intercepts do not fit the pairs of classes.")

    # --- what the fitted machine says ---------------------------------------------------------------------------

    @property
    def n_support_(self) -> NDArray[np.int32]:
        """Number of support vectors of each class."""
        if not hasattr(self, "_n_support"):
            raise AttributeError("n_support_ is available after fit.\nHint: call fit first.")
        return self._n_support

    @property
    def probA_(self) -> Floats:
        """Slopes of Platt's sigmoids, one per pair of classes (deprecated)."""
        return self._deprecated_sigmoid("probA_", self._probA)

    @property
    def probB_(self) -> Floats:
        """Offsets of Platt's sigmoids, one per pair of classes (deprecated)."""
        return self._deprecated_sigmoid("probB_", self._probB)

    @staticmethod
    def _deprecated_sigmoid(name: str, value: Floats) -> Floats:
        warn_deprecated(name)
        return value

    def _pair_decisions(self, X: Objects) -> Floats:
        """One column per pair a < b; positive means class a."""
        count = len(self.classes_)
        groups = np.concatenate([[0], np.cumsum(self._n_support)]).astype(np.int64)
        sums = self._expansion(X, groups)
        columns = [
            sums[:, a, b - 1] + sums[:, b, a] + self._intercept_[number]
            for number, (a, b) in enumerate(class_pairs(count))
        ]
        return np.stack(columns, axis=1)

    @predict_method
    def decision_function(self, X: Objects) -> Floats:
        """Decision values.

        Returns
        -------
        ndarray of shape (n_samples,), (n_samples, n_classes) or (n_samples, n_classes * (n_classes - 1) / 2)
            For two classes, positive means the second one. For more, by ``decision_function_shape``: "ovo" gives
            one value per pair of classes, "ovr" one per class: its votes, ties ordered by the sum of its values.
        """
        decisions = self._pair_decisions(X)
        if len(self.classes_) == 2:
            return -decisions[:, 0]
        if self.decision_function_shape == "ovo":
            return decisions
        return _values_per_class(decisions, len(self.classes_))

    @predict_method
    def predict(self, X: Objects) -> NDArray[Any]:
        """Labels by the vote of all pairs; of equals the first class, or with ``break_ties`` the surest."""
        count = len(self.classes_)
        if self.break_ties and self.decision_function_shape == "ovo":
            raise ValueError(
                "break_ties must be False when decision_function_shape is 'ovo', got True.\n"
                "Hint: use decision_function_shape='ovr'."
            )
        decisions = self._pair_decisions(X)
        if self.break_ties and count > 2:
            winners = _values_per_class(decisions, count).argmax(axis=1)
        else:
            winners = votes(decisions > 0, count).argmax(axis=1)
        return self.classes_.take(winners)

    @available_if(_gives_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Objects) -> Floats:
        """Probabilities of the classes by Platt's method, coupled over the pairs (an estimate, not a guarantee)."""
        check_is_fitted(self)
        if self._probA.size == 0:
            raise NotFittedError(
                "predict_proba is not available when fitted with probability=False.\nHint: fit with probability=True."
            )
        return platt.class_probabilities(self._pair_decisions(X), self._probA, self._probB, len(self.classes_))

    def _linear_weights(self) -> Table:
        if len(self.classes_) == 2:
            return self.dual_coef_ @ self._kernel_rows()
        ends = np.concatenate([[0], np.cumsum(self._n_support)])
        lines, vectors = [], self._kernel_rows()
        for a, b in class_pairs(len(self.classes_)):
            of_a, of_b = slice(ends[a], ends[a + 1]), slice(ends[b], ends[b + 1])
            lines.append(self.dual_coef_[[b - 1], of_a] @ vectors[of_a] + self.dual_coef_[[a], of_b] @ vectors[of_b])
        return sparse.csr_array(sparse.vstack(lines)) if self._sparse else np.vstack(lines)


def votes(first_wins: NDArray[np.bool_], classes: int) -> NDArray[np.int64]:
    """How many pairs each class wins, from one column per pair."""
    counts = np.zeros((len(first_wins), classes), dtype=np.int64)
    for number, (a, b) in enumerate(class_pairs(classes)):
        counts[:, a] += first_wins[:, number]
        counts[:, b] += ~first_wins[:, number]
    return counts


def _values_per_class(decisions: Floats, classes: int) -> Floats:
    """Votes plus a term in (-1/3, 1/3) that grows with the sum of the class's decision values."""
    sums = np.zeros((len(decisions), classes))
    for number, (a, b) in enumerate(class_pairs(classes)):
        sums[:, a] += decisions[:, number]
        sums[:, b] -= decisions[:, number]
    return votes(decisions >= 0, classes) + sums / (3.0 * (np.abs(sums) + 1.0))
