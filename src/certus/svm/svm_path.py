"""All solutions of a binary support vector machine over C at once. Hastie, Rosset, Tibshirani, Zhu (2004)."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base import TargetLike, WeightsLike, blas_on_one_thread, check_parameters, resolve_threads
from certus.guarantees import Report
from certus.svm._native_calls import Floats, Options
from certus.svm.evidence.kernel_rounding import KernelFacts
from certus.svm.evidence.path_certificate import path_certificate, piece_gap
from certus.svm.evidence.svm_duality import gap_terms
from certus.svm.machines.kernel_argument import KernelLike, Objects
from certus.svm.machines.machine import SolverRows
from certus.svm.machines.whole_gram import whole_gram
from certus.svm.solvers.dual_problems import c_classification
from certus.svm.solvers.path_follower import PathFollower, PathProblem
from certus.svm.solvers.path_start import exact_solution, first_shares
from certus.svm.solvers.verified_solution import Solution
from certus.svm.svc import SVC


@dataclass(frozen=True)
class _Training:
    """The rows of the path, their classes 0 and 1, weights and kernel values, the latter sorted by class."""

    rows: SolverRows
    codes: NDArray[np.intp]
    weights: Floats
    weighted: bool
    gram: Floats


@dataclass(frozen=True, eq=False)
class SVMPath:
    """The solutions at all C: linear between the breakpoints.

    Attributes
    ----------
    C : ndarray of shape (n_breakpoints,)
        Where a row changes sides, from 0 on.
    alphas : ndarray of shape (n_breakpoints, n_samples)
        Multipliers there, at least 0.
    intercepts : ndarray of shape (n_breakpoints,)
        Intercepts there.
    gaps : ndarray of shape (n_breakpoints,)
        Duality gaps there, relative to the objective at zero coefficients.
    rates : tuple of ndarray of shape (n_samples,) and float, or None
        How multipliers and intercept grow with C beyond the last breakpoint; None if the path does not go on.
    restarts : tuple of float
        Values of C where the breakpoint before could not be resolved by linear algebra, and the path went on from an
        exact solution.
    complete : bool
        Whether the path goes as far as was asked for.
    classes : ndarray of shape (2,)
        Labels; the second one is positive.
    report : Report
        The certificate of the gap on the whole path.
    """

    C: Floats
    alphas: Floats
    intercepts: Floats
    gaps: Floats
    rates: tuple[Floats, float] | None
    restarts: tuple[float, ...]
    complete: bool
    classes: NDArray[Any]
    report: Report
    _template: SVC = field(repr=False)
    _training: _Training = field(repr=False)

    def at(self, C: float) -> tuple[Floats, float]:
        """Multipliers and intercept at one C.

        Parameters
        ----------
        C : float
            Within the path.

        Returns
        -------
        alpha : ndarray of shape (n_samples,)
            Multipliers.
        intercept : float
            Intercept.
        """
        last = float(self.C[-1])
        if not C > 0.0 or (C > last and self.rates is None):
            raise ValueError(
                f"C must be above 0 and within the path, that is at most {last:g}, got {C!r}.\n"
                "Hint: a larger C_max extends the path, unless it ended where rounding decides."
            )
        if C >= last and self.rates is not None:
            return self.alphas[-1] + (C - last) * self.rates[0], float(self.intercepts[-1] + (C - last) * self.rates[1])
        right = int(np.searchsorted(self.C, C))
        left = right - 1
        t = (C - self.C[left]) / (self.C[right] - self.C[left])
        alpha = (1.0 - t) * self.alphas[left] + t * self.alphas[right]
        return alpha, float((1.0 - t) * self.intercepts[left] + t * self.intercepts[right])

    def machine(self, C: float) -> SVC:
        """The fitted machine at one C, with its report.

        Parameters
        ----------
        C : float
            Within the path.

        Returns
        -------
        SVC
            As if fitted with this C.
        """
        alpha, intercept = self.at(C)
        given = self._training
        problems, _ = c_classification(given.codes, C * given.weights, 2, bias=bool(self._template.fit_intercept))
        own = np.minimum(alpha[given.rows.kept][problems.members], problems.upper)
        scores = given.gram @ (problems.sign * own)
        zero, none = np.zeros(1), np.zeros(1, dtype=np.int32)
        solution = Solution(problems, own, scores, np.array([intercept]), zero, zero, none.astype(np.int64), none)
        machine = copy.copy(self._template).set_params(C=C)
        machine.converged_, machine.fit_status_ = True, 0
        gap = gap_terms(solution.slopes(0), own, problems.upper)
        machine._adopt(given.rows, given.codes, solution, gap, weighted=given.weighted)
        return machine


def svm_path(
    X: Objects,
    y: TargetLike,
    *,
    kernel: KernelLike = "rbf",
    degree: int = 3,
    gamma: str | float = "scale",
    coef0: float = 0.0,
    sample_weight: WeightsLike = None,
    fit_intercept: bool = True,
    C_max: float = np.inf,
) -> SVMPath:
    """Solve a binary soft-margin machine for all C between 0 and ``C_max`` at once.

    The minimizer h, b of

        |h|^2 / 2 + C sum_i w_i max(0, 1 - y_i (h(x_i) + b))

    is piecewise linear in C. The path costs about as much as a few fits, O(n m) per breakpoint with m rows on the
    margin, and needs the whole kernel matrix in memory.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples)
        Training rows; for ``kernel="precomputed"`` the kernel values between all pairs of them; for a function or
        kernel object anything that it accepts.
    y : array-like of shape (n_samples,)
        Labels of two classes.
    kernel, degree, gamma, coef0
        As in `SVC`; the kernel must be positive semi-definite.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights; each multiplies the row's C. Zero removes a row.
    fit_intercept : bool, default=True
        Whether there is an intercept b.
    C_max : float, default=inf
        Where to end. With infinity the path ends where no row changes sides any more, or where rounding decides.

    Returns
    -------
    SVMPath
        Breakpoints, multipliers, intercepts, gaps and the certificate.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.svm import svm_path
    >>> X = np.array([[-1.0, -1.0], [1.0, 1.0], [2.0, 0.0], [-2.0, 1.0]])
    >>> path = svm_path(X, [0, 1, 1, 0], kernel="linear")
    >>> path.C.round(4).tolist()
    [0.0, 0.087, 0.1714, 0.2381, 0.2778]
    >>> path.machine(0.2).predict([[0.5, 0.5]])
    array([1])
    """
    template = SVC(kernel=kernel, degree=degree, gamma=gamma, coef0=coef0, fit_intercept=fit_intercept)
    check_parameters("svm_path", template._constraints, template.get_params(deep=False))
    if not C_max > 0.0:
        raise ValueError(
            f"The 'C_max' parameter of svm_path must be above 0, got {C_max!r}.\nHint: np.inf follows the whole path."
        )
    with blas_on_one_thread():
        training = _read(template, X, y, sample_weight)
        return _follow(template, training, float(C_max))


def _read(template: SVC, X: Objects, y: TargetLike, sample_weight: WeightsLike) -> _Training:
    rows, codes, weights = template._read_labels(X, y, sample_weight)
    if len(template.classes_) != 2:
        raise ValueError(
            f"svm_path is for two classes, y has {len(template.classes_)}.\nHint: compute one path per pair of classes."
        )
    order = np.argsort(codes, kind="stable")
    gram = np.ascontiguousarray(whole_gram(rows.kernel, rows.table)[np.ix_(order, order)])
    return _Training(rows, codes, weights, sample_weight is not None, gram)


def _follow(template: SVC, training: _Training, C_max: float) -> SVMPath:
    rows, codes, weights = training.rows, training.codes, training.weights
    facts = KernelFacts.of(rows.kernel, rows.table)
    if not facts.psd:
        raise ValueError(
            "svm_path needs a kernel that is proved to be positive semi-definite, which this one is not.\n"
            "Hint: use the linear, polynomial (coef0 >= 0) or Gaussian kernel, or a given matrix without negative "
            "eigenvalues."
        )
    order = np.argsort(codes, kind="stable")
    sign = np.where(codes[order] == 1, 1.0, -1.0)
    problem = PathProblem(training.gram, sign, np.full(len(sign), -1.0), weights[order], bool(template.fit_intercept))
    options = Options(1e-9, 1e-12, -1, 200e6, resolve_threads())
    follower = PathFollower(problem, lambda C, start: exact_solution(problem, C, start, options))
    follower.begin(0.0, *first_shares(problem, options))
    piece = follower.follow(C_max)
    C = np.array([state.C for state in follower.states])
    alphas = np.zeros((len(C), template.shape_fit_[0]))
    alphas[:, rows.kept[order]] = [state.alpha for state in follower.states]
    intercepts = np.array([state.intercept for state in follower.states])
    rates = None
    if not follower.exhausted and C[-1] < C_max:
        rates = (np.zeros(alphas.shape[1]), piece.intercept[1])
        rates[0][rows.kept[order]] = follower.rates(piece)
    worst = max((piece_gap(*ends, problem.weights) for ends in pairwise(follower.states)), default=0.0)
    rounding = facts.score_error(alphas[int(np.argmax(alphas.sum(axis=1)))])
    declared = {"kernel": list(rows.kernel), "fit_intercept": problem.bias, "classes": template.classes_.tolist()}
    certificate = path_certificate(declared, C, alphas[:, rows.kept], intercepts, worst, rounding)
    gaps = [
        gap_terms(s.slopes, s.alpha, s.C * problem.weights) / max(s.C * weights.sum(), 1e-300) for s in follower.states
    ]
    complete = not follower.exhausted
    report = Report([certificate])
    return SVMPath(
        C, alphas, intercepts, np.array(gaps), rates, tuple(follower.restarts), complete, template.classes_, report,
        template, training,
    )  # fmt: skip
