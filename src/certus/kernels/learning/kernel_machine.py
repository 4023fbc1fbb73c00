"""What kernel machines share: choosing the space to solve in, solving, certifying, predicting."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from certus.base import Boolean, Constraints, Interval, Iterations, OneOf, resolve_threads, warn_not_converged
from certus.base.persistence import check_shapes
from certus.kernels._native_calls import Array
from certus.kernels.evidence.kernel_machine_gap import MachineEvidence, evidence, together
from certus.kernels.functions.kernel import InfiniteFeaturesError, Objects, count
from certus.kernels.learning.function_spaces import FeatureSpace, GramSpace, Space, primal_is_cheaper
from certus.kernels.learning.kernel_learner import PREDICTED_AT_ONCE, KernelLearner, blocks, columns
from certus.kernels.learning.kernel_parameter import KERNEL_CONSTRAINTS
from certus.kernels.solvers.kernel_ridge_solver import is_semidefinite
from certus.kernels.solvers.machine_interior import interior_point
from certus.kernels.solvers.machine_losses import boxes_of
from certus.kernels.solvers.machine_newton import Solved, newton
from certus.kernels.solvers.multinomial_newton import LOSS as MULTINOMIAL
from certus.kernels.solvers.multinomial_newton import multinomial_newton
from certus.losses import ConvexLoss

AIM = 1e-4  # solvers aim at this share of the gap that is asked for: the certificate adds rounding errors
MACHINE_CONSTRAINTS: Constraints = {
    **KERNEL_CONSTRAINTS,
    "fit_intercept": [Boolean()],
    "solver": [OneOf("auto", "dual", "primal")],
    "gap_tol": [Interval(0, None, closed="left")],
    "max_iter": [Interval(1, None, integer=True)],
}
MACHINE_STATE = (
    "dual_coef_",
    "coef_",
    "intercept_",
    "X_fit_",
    "n_iter_",
    "gap_",
    "converged_",
    "history_",
    "n_features_in_",
    "feature_names_in_",
)


@dataclass(frozen=True)
class Outcome:
    """What solving gave, for all outputs together."""

    space: Space
    solved: Solved
    evidence: MachineEvidence


class KernelMachine(KernelLearner):
    """Shared part of the machines that minimize a loss plus alpha / 2 times a squared norm; not a learner by itself.

    Parameters
    ----------
    fit_intercept : bool
        Whether to add a constant b to f, penalized like f: one more feature, or ``kernel + 1``.
    solver : {"auto", "dual", "primal"}
        On coefficients of the rows ("dual") or of the features ("primal"); "auto" takes what costs less.
    gap_tol : float
        Stop when the gap is at most this share of the objective at f = 0.
    max_iter : int
        Largest number of steps of the solver, for each problem.

    Attributes
    ----------
    dual_coef_ : ndarray of shape (n_samples,)
        c, if it was solved in the dual form.
    X_fit_ : ndarray, sparse matrix or list
        The training rows, in the dual form.
    coef_ : ndarray of shape (n_features_out,)
        The coefficients of the features, in the primal form.
    intercept_ : ndarray of shape (1,)
        b; 0 without an intercept.
    n_iter_ : int
        Steps of the solver, the largest number over the problems.
    gap_ : float
        Certified bound on the objective minus its minimum, all problems together.
    converged_ : bool
        Whether the gap is at most what `gap_tol` asks for.
    history_ : ndarray
        The objective before every step, one problem after the other.
    report_ : Report
        The certificate of the gap.
    """

    fit_intercept: bool
    solver: str
    gap_tol: float
    max_iter: int

    _means_otherwise = ("coef_", "intercept_")  # a row per feature of the map, not per column

    dual_coef_: Array
    coef_: Array
    intercept_: Array
    n_iter_: int
    gap_: float
    converged_: bool
    history_: Array

    def _solve_each(self, X: Objects, targets: Array, s: Array, loss: ConvexLoss, alpha: float) -> Outcome:
        """Solve one problem for each column of targets."""
        space = self._space(X)
        solutions, found = [], []
        with Iterations(self, self.max_iter * targets.shape[1], X, targets) as iterations:
            history: list[float] = []
            for y in targets.T:
                wanted = AIM * self.gap_tol * float(s @ loss.value(y, np.zeros(len(y))))
                boxes = boxes_of(loss, y)

                def tell(objective: float, gap: float) -> bool:
                    history.append(objective)
                    return iterations.step(objective=objective, gap=gap)

                if boxes is None:
                    solved = newton(space, y, s, loss, alpha, wanted, self.max_iter, tell)
                else:
                    solved = interior_point(space, y, s, loss, boxes, alpha, wanted, self.max_iter, tell)
                solutions.append(solved)
                found.append(evidence(space, y, s, loss, alpha, solved))
        coef, dual = (np.hstack([getattr(one, name) for one in solutions]) for name in ("coef", "dual"))
        all_solved = Solved(coef, dual, max(one.n_iter for one in solutions))
        return self._keep(X, Outcome(space, all_solved, together(found)), history)

    def _solve_multinomial(self, X: Objects, codes: NDArray[np.intp], s: Array, classes: int, alpha: float) -> Outcome:
        """Solve one problem with a score for every class."""
        space = self._space(X)
        history: list[float] = []
        with Iterations(self, self.max_iter, X, codes) as iterations:

            def tell(objective: float, gap: float) -> bool:
                history.append(objective)
                return iterations.step(objective=objective, gap=gap)

            wanted = AIM * self.gap_tol * float(s.sum()) * np.log(classes)
            solved = multinomial_newton(space, codes, s, classes, alpha, wanted, self.max_iter, tell)
        found = evidence(space, codes, s, MULTINOMIAL, alpha, solved)
        return self._keep(X, Outcome(space, solved, found), history)

    def _space(self, X: Objects) -> Space:
        """The features of a finite map where they are cheaper (or asked for), else the matrix of kernel values."""
        threads = resolve_threads()
        kernel = None if self._precomputed() else self._kernel(X)
        if kernel is not None and self.solver != "dual":
            cheaper = primal_is_cheaper(count(X), columns(X), kernel.feature_count(X))
            if self.solver == "primal" or (cheaper and kernel._proof() is not None):
                features = np.asarray(kernel.feature_map()(X), dtype=np.float64)
                constant = np.ones((len(features), int(self.fit_intercept)))
                return FeatureSpace(np.hstack([features, constant]), threads)
        elif self.solver == "primal":
            raise InfiniteFeaturesError(
                f"{type(self).__name__}: solver='primal' needs the features of a kernel, but the kernel is a matrix.\n"
                "Hint: use solver='dual'."
            )
        try:
            K = self._matrix(X)
            valid = (kernel is not None and kernel._proof() is not None) or is_semidefinite(K, threads)
        except MemoryError as error:
            raise MemoryError(
                f"{type(self).__name__} needs 16 n^2 bytes, here {16e-9 * count(X) ** 2:.1f} GB for {count(X)} rows.\n"
                "Hint: fit a sample of the rows, or a linear learner on the features of certus.kernels.Nystroem."
            ) from error
        if not valid:
            raise ValueError(
                f"{type(self).__name__}: the matrix of kernel values of the training rows is not symmetric and "
                "positive semidefinite, so the objective has no minimum.\n"
                f"Hint: choose a valid kernel; got kernel={self.kernel!r}."
            )
        return GramSpace(K + 1.0 if self.fit_intercept else K, threads)

    def _keep(self, X: Objects, outcome: Outcome, history: list[float]) -> Outcome:
        """Set the fitted attributes; warn if the certified gap is larger than asked for."""
        for name in ("dual_coef_", "coef_", "X_fit_"):
            if hasattr(self, name):
                delattr(self, name)
        coef = outcome.solved.coef
        self.intercept_ = np.zeros(coef.shape[1])
        primal = outcome.space.form == "primal"
        if self.fit_intercept:
            self.intercept_ = coef[-1].copy() if primal else coef.sum(axis=0)
            coef = coef[:-1] if primal else coef
        coef = np.ascontiguousarray(coef[:, 0] if coef.shape[1] == 1 else coef)
        if primal:
            self.coef_ = coef
        else:
            self.X_fit_, self.dual_coef_ = X, coef
        self.n_iter_ = outcome.solved.n_iter
        self.history_ = np.array(history)
        self.gap_ = outcome.evidence.gap
        self.converged_ = bool(self.gap_ <= self.gap_tol * outcome.evidence.objective_at_zero)
        if not self.converged_:
            stopped = f"The solver stopped after max_iter={self.max_iter} steps."
            warn_not_converged(
                self,
                stopped if self.n_iter_ >= self.max_iter else None,
                gap=self.gap_,
                at_zero=outcome.evidence.objective_at_zero,
                limit=self.gap_tol * outcome.evidence.objective_at_zero,
                hint="raise max_iter or gap_tol, or regularize more",
            )
        return outcome

    def _values(self, X: Objects) -> Array:
        """The values of the fitted functions, one column each."""
        X = self._read_new(X)
        if hasattr(self, "dual_coef_"):
            values = self._expansion(X, self.dual_coef_)
        else:
            features = self._kernel(X).feature_map()
            values = np.concatenate([features(block) @ self.coef_ for block in blocks(X, PREDICTED_AT_ONCE)])
        return np.asarray(values.reshape(len(values), -1) + self.intercept_)

    def _check_loaded(self, outputs: int) -> None:
        if not hasattr(self, "n_iter_"):
            return
        shape = (None,) if outputs == 1 else (None, outputs)
        check_shapes(self, intercept_=(outputs,))
        if hasattr(self, "dual_coef_"):
            check_shapes(self, dual_coef_=shape)
            self._check_expansion(self.dual_coef_)
        else:
            check_shapes(self, coef_=shape)
