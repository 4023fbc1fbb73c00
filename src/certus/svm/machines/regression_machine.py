"""What the regression machines share."""

from __future__ import annotations

from dataclasses import replace
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from certus.base import Iterations, Regressor, TargetLike, WeightsLike, fit_method, predict_method
from certus.svm._native_calls import Floats, Problems
from certus.svm.evidence.machine_reports import regression_report
from certus.svm.evidence.svm_duality import duality_gaps
from certus.svm.machines.kernel_argument import Objects
from certus.svm.machines.machine import SHARED_STATE, Machine, SolverRows
from certus.svm.solvers.gap_stopping import solve_to_gap
from certus.svm.solvers.verified_solution import Solution


class SingleProblem(Machine):
    """A machine with one problem: fitting, storing, evaluating; not a learner by itself.

    Attributes
    ----------
    support_ : ndarray of shape (n_SV,)
        Indices of the support vectors.
    n_support_ : ndarray of shape (1,), dtype=int32
        Number of support vectors.
    dual_coef_ : ndarray or sparse array of shape (1, n_SV)
        Coefficients of the support vectors.
    coef_ : ndarray or sparse array of shape (1, n_features)
        Weights of the columns, for the linear kernel only.
    intercept_ : ndarray of shape (1,)
        The constant b.
    gap_ : float
        Duality gap: how much the training objective could still fall at most.
    n_iter_ : int
        Steps of the solver.
    """

    _n_support: NDArray[np.int32]

    @property
    def n_support_(self) -> NDArray[np.int32]:
        """Number of support vectors."""
        if not hasattr(self, "_n_support"):
            raise AttributeError("n_support_ is available after fit.\nHint: call fit first.")
        return self._n_support

    def _problem(self, y: Floats, weights: Floats) -> tuple[Problems, Floats]:
        """The quadratic problem and a feasible start."""
        raise NotImplementedError

    def _unit(self, weights: Floats) -> float:
        """The size of scores to which ``tol`` is relative."""
        del weights
        return 1.0

    def _settled(self, solution: Solution) -> Solution:
        """The solution with the intercept that the machine uses."""
        return solution

    def _fit_rows(self, X: Objects, y: Floats, sample_weight: WeightsLike) -> None:
        weights = self._weights(sample_weight, len(y))
        rows = self._centered(self._prepare(X, weights))
        y, weights = y[rows.kept], weights[rows.kept]
        with Iterations(self, 1, X, y) as iterations:
            problems, start = self._problem(y, weights)
            unit, options = self._unit(weights), self._options()
            options = replace(options, tolerance=unit * options.tolerance, fine_tolerance=unit * options.fine_tolerance)
            solution, self.gap_, scale = solve_to_gap(rows.table, rows.kernel, problems, start, options, self.gap_tol)
            settled = self._settled(solution)
            if settled is not solution:  # the gap is that of the intercept in use
                solution, self.gap_ = settled, float(duality_gaps(settled).sum())
            iterations.step(gap=self.gap_)
        self._warn_unfinished(solution, self.gap_, scale, unit)
        self._store(rows, solution)
        self._shift_intercepts()
        training = self._training(rows, weighted=not (weights == 1.0).all())
        self.report_, self.withheld_ = regression_report(training, solution, self.gap_)

    def _store(self, rows: SolverRows, solution: Solution) -> None:
        coefficients = solution.coefficients(0)
        used = np.flatnonzero(coefficients)
        self._keep_support(rows.X, rows.kept[used])
        line = coefficients[None, used]
        self.dual_coef_ = sparse.csr_array(line) if self._sparse else line
        self._dual_coef_ = self.dual_coef_
        self.intercept_ = solution.middle.copy()
        self._intercept_ = self.intercept_.copy()
        self._n_support = np.array([len(used)], dtype=np.int32)
        self.n_iter_ = int(solution.steps[0])

    def _restored(self) -> None:
        super()._restored()
        if hasattr(self, "support_") and (self._dual_coef_.shape[0] != 1 or self._intercept_.shape != (1,)):
            raise ValueError("a machine with one problem has one line of coefficients.")

    def _values(self, X: Objects) -> Floats:
        groups = np.array([0, int(self._n_support[0])], dtype=np.int64)
        return self._expansion(X, groups)[:, 0, 0] + self._intercept_[0]


class RegressionMachine(SingleProblem, Regressor):
    """Shared part of SVR and NuSVR; not a learner by itself."""

    _state = SHARED_STATE

    @fit_method
    def fit(self, X: Objects, y: TargetLike, sample_weight: WeightsLike = None) -> Self:
        """Solve the problem."""
        X, target = self._read_training(X, y, numeric=True)
        self._fit_rows(X, np.asarray(target, dtype=np.float64), sample_weight)
        return self

    @predict_method
    def predict(self, X: Objects) -> Floats:
        """Predicted values."""
        return self._values(X)
