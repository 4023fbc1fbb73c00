"""The fit of lasso, elastic net and their multi-task forms: read the data, solve, store, certify, warn if need be."""

from __future__ import annotations

import numbers
from dataclasses import replace
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator

from certus.base import Iterations, resolve_seed, resolve_threads, warn_not_converged, warn_user
from certus.base.inputs import (
    Table,
    TableLike,
    TargetLike,
    WeightsLike,
    assert_finite,
    check_weights,
    check_Xy,
    refuse_large,
)
from certus.base.params import ArrayLike, Boolean, Constraints, Exactly, Interval, OneOf, RandomState
from certus.guarantees import Report
from certus.guarantees.training import DualValue
from certus.linear._native_calls.path_kernels import MANY, PathRun
from certus.linear.design.gram_argument import given_gram
from certus.linear.design.in_place_centering import center_in_place
from certus.linear.evidence.linear_gap_rules import ELASTIC_NET
from certus.linear.evidence.penalized_gap import PenalizedEvidence, penalized_evidence
from certus.linear.evidence.zeros_certificate import zeros_certificate
from certus.linear.problems.box_problem import SQUARES_FIT
from certus.linear.problems.penalized_problem import PenalizedProblem
from certus.linear.solvers.least_squares import NotFiniteError
from certus.linear.solvers.penalized_solver import Effort, prepare, solve_path, start_from

Array = NDArray[np.float64]
DEFAULT_ITERATIONS = 1000
PENALIZED_CONSTRAINTS: Constraints = {
    "alpha": [Interval(0, None, closed="left")],
    "l1_ratio": [Interval(0, 1)],
    "fit_intercept": [Boolean()],
    "precompute": [Boolean(), ArrayLike()],
    "max_iter": [Interval(1, None, integer=True), Exactly(None)],
    "copy_X": [Boolean()],
    "tol": [Interval(0, None)],
    "warm_start": [Boolean()],
    "positive": [Boolean()],
    "random_state": [RandomState()],
    "selection": [OneOf("cyclic", "random")],
    "gap_tol": [Exactly(None), Interval(0, None, closed="neither")],
}
MULTI_TASK_CONSTRAINTS: Constraints = {
    name: rule for name, rule in PENALIZED_CONSTRAINTS.items() if name not in ("precompute", "positive")
}
PENALIZED_STATE = (
    "coef_",
    "intercept_",
    "n_iter_",
    "dual_gap_",
    "gap_",
    "converged_",
    "history_",
    "n_features_in_",
    "feature_names_in_",
)


def read_data(learner: Any, X: TableLike, y: Any, sample_weight: WeightsLike) -> tuple[Any, NDArray[Any], Array | None]:
    """Checked table, targets and weights; one number as weight means none, as in scikit-learn."""
    table, y = check_Xy(
        learner,
        X,
        y,
        accept_sparse=["csc"],
        multi_output=True,
        y_numeric=True,
        check_finite=False,
    )
    if sparse.issparse(y):
        y = y.toarray()
    refuse_large(learner, y, SQUARES_FIT, name="y")
    if isinstance(sample_weight, numbers.Number):
        sample_weight = None
    return table, y, check_weights(learner, sample_weight, table)


def refuse_wrong_order(learner: BaseEstimator, X: TableLike, sample_weight: WeightsLike, check_input: bool) -> None:
    """``check_input=False`` without weights is a promise about the table, to which scikit-learn holds users too."""
    if not check_input and sample_weight is None and isinstance(X, np.ndarray) and not X.flags.f_contiguous:
        raise ValueError(
            f"{type(learner).__name__}.fit with check_input=False needs a dense X in Fortran order, got one in another "
            "order.\nHint: pass np.asfortranarray(X), or leave check_input=True."
        )


def refuse_one_task(learner: BaseEstimator, y: NDArray[Any]) -> None:
    """Multi-task learners want a matrix of targets."""
    if y.ndim == 1:
        one = type(learner).__name__.removeprefix("MultiTask")
        raise ValueError(
            f"For mono-task outputs, use {one}: y has one dimension.\n"
            f"Hint: {type(learner).__name__} needs y of shape (n_samples, n_targets); y.reshape(-1, 1) has one target."
        )


def warn_without_penalty(learner: BaseEstimator) -> None:
    """With alpha = 0 these learners are least squares."""
    if learner.alpha == 0:
        warn_user(
            "With alpha=0, this algorithm does not converge well. You are advised to use the LinearRegression "
            "estimator: it is the same problem, and its certificate is tighter.",
            UserWarning,
        )


def make_penalized(
    X: Table, y: NDArray[Any], weights: Array | None, center: bool, threads: int, shift: Array | None = None
) -> PenalizedProblem:
    """The problem of checked data; rows of weight 0 are not rows. ``shift`` was subtracted from the columns."""
    targets = np.ascontiguousarray(y.reshape(len(y), -1), dtype=np.float64)
    if weights is not None and not weights.all():
        kept = np.flatnonzero(weights)
        X, targets, weights = X[kept], targets[kept], weights[kept]
    return PenalizedProblem(X, targets, weights, center, threads, shift)


def effort_of(learner: BaseEstimator) -> Effort:
    """What the learner's parameters ask for. With y centered, objective_at_zero is |Y|^2 / 2."""
    share = float(learner.tol)
    if getattr(learner, "gap_tol", None) is not None:
        share = min(share, 0.25 * learner.gap_tol)
    limit = DEFAULT_ITERATIONS if learner.max_iter is None else learner.max_iter
    random = learner.selection == "random"
    return Effort(share, limit, random, resolve_seed(learner.random_state) if random else 0)


def fit_penalized(learner: Any, X: Table, y: NDArray[Any], weights: Array | None, *, joint: bool) -> None:
    """Fit with ``learner.alpha`` and ``learner.l1_ratio``; ``joint``: targets share their zeros."""
    threads, shift = resolve_threads(), None
    if isinstance(X, np.ndarray) and X.flags.f_contiguous and isinstance(getattr(learner, "precompute", False), bool):
        shift = center_in_place(learner, X, weights, threads)
    problem = make_penalized(X, y, weights, bool(learner.fit_intercept), threads, shift)
    effort = effort_of(learner)
    last = learner.coef_ if learner.warm_start and hasattr(learner, "coef_") else None
    runs = []
    try:
        gram = given_gram(learner, problem)
        prepare(problem, 1, effort, gram)
        parts = [problem] if joint or problem.targets == 1 else [problem.one_target(k) for k in range(problem.targets)]
        with Iterations(learner, None, X, y) as iterations:
            for k, part in enumerate(parts):
                start = None if last is None else start_from(last if joint else np.atleast_2d(last)[k], part)
                solve = solve_watched if iterations.watched else solve_part
                runs.append(solve(learner, part, effort, start, gram, iterations))
        store_penalized(learner, parts, runs, X.dtype, y, joint=joint)
    except NotFiniteError:
        name_the_place(learner, X, y)
    finish_penalized(learner, parts, runs, effort, joint=joint)


def finish_penalized(
    learner: Any, parts: list[PenalizedProblem], runs: list[PathRun], effort: Effort, *, joint: bool
) -> None:
    """Set what the solver says, and warn if it is not enough."""
    several = len(parts) > 1 and not joint
    sweeps, gaps = [int(run.sweeps[0]) for run in runs], [float(run.gaps[0]) / parts[0].weight for run in runs]
    learner.n_iter_ = sweeps if several else sweeps[0]
    learner.dual_gap_ = np.array(gaps) if several else gaps[0]
    if not learner.converged_:
        solved = all(gap <= effort.share * scale_of(part) for gap, part in zip(gaps, parts, strict=True))
        warn_penalized(learner, 0.5 * sum(map(scale_of, parts)), converged=solved)


def scale_of(part: PenalizedProblem) -> float:
    """|Y|^2 per unit of weight, which tolerances are relative to."""
    return part.target_squares / part.weight


def solve_part(
    learner: BaseEstimator,
    part: PenalizedProblem,
    effort: Effort,
    start: Array | None,
    gram: Any,
    iterations: Iterations,
    max_rounds: int = MANY,
) -> PathRun:
    """Solve the problem of one target, or of several that share their zeros."""
    del iterations
    run = solve_path(
        part,
        np.array([float(learner.alpha)]),
        float(learner.l1_ratio),
        effort,
        positive=bool(getattr(learner, "positive", False)),
        start=start,
        gram=gram,
        max_rounds=max_rounds,
    )
    if not np.isfinite(run.coefs).all():
        raise NotFiniteError
    return replace(run, rounds=run.rounds[np.isfinite(run.rounds[:, 0])] / part.weight)


def solve_watched(
    learner: BaseEstimator,
    part: PenalizedProblem,
    effort: Effort,
    start: Array | None,
    gram: Any,
    iterations: Iterations,
) -> PathRun:
    """The same one working set at a time, each of them told to the callbacks, which may ask to stop."""
    told: list[Array] = []
    sweeps, last = 0, np.inf
    while True:
        left = replace(effort, max_iter=effort.max_iter - sweeps)
        run = solve_part(learner, part, left, start, gram, iterations, max_rounds=1)
        start, gap = run.coefs[0], float(run.gaps[0])
        sweeps += int(run.sweeps[0])
        told.append(run.rounds[-1:])
        objective = float(run.objectives[0]) / part.weight
        asked_to_stop = iterations.step(objective=objective, gap=gap / part.weight)
        solved = gap <= effort.share * part.target_squares or gap >= 0.999 * last
        if asked_to_stop or solved or sweeps >= effort.max_iter:
            return replace(run, sweeps=np.array([sweeps]), rounds=np.vstack(told))
        last = gap


def store_penalized(
    learner: BaseEstimator,
    parts: list[PenalizedProblem],
    runs: list[PathRun],
    dtype: Any,
    y: NDArray[Any],
    *,
    joint: bool,
) -> None:
    """Set ``coef_, intercept_, gap_, converged_, report_`` in scikit-learn's shapes, certify exactly these numbers."""
    coef = np.vstack([run.coefs[0].T for run in runs]).astype(dtype)
    center = parts[0].center
    mean_y = np.concatenate([part.mean_y for part in parts])
    intercept = (mean_y - coef.astype(np.float64) @ parts[0].mean_x).astype(dtype)
    if not (np.isfinite(coef).all() and np.isfinite(intercept).all()):
        raise NotFiniteError
    evidence = _evidence(learner, parts, coef.astype(np.float64), intercept.astype(np.float64), joint=joint)
    flat = not joint and len(coef) == 1
    learner.coef_ = coef[0] if flat else coef
    if not center:
        learner.intercept_ = 0.0
    else:
        learner.intercept_ = intercept[0] if y.ndim == 1 else intercept
    learner.gap_ = evidence.gap
    objectives = np.concatenate([run.rounds[:, 0] for run in runs])
    learner.history_ = objectives if len(objectives) else np.array([evidence.objective])
    limit = np.inf if learner.gap_tol is None else learner.gap_tol * evidence.objective_at_zero
    shares = [effort_of(learner).share * part.target_squares for part in parts]
    solved = all(run.gaps[0] <= share for run, share in zip(runs, shares, strict=True))
    if learner.alpha > 0:  # what the solver says must agree with what is certified, rounding errors apart
        solved = solved and evidence.gap <= 2.0 * sum(shares) / parts[0].weight + 1e-9 * evidence.objective_at_zero
    # As accurate as numbers allow; those of targets that hardly vary are rounded against their mean.
    precise = evidence.gap <= 1e-13 * evidence.objective_at_zero + float(np.sum((1e-11 * mean_y) ** 2))
    learner.converged_ = bool((solved or precise) and evidence.gap <= limit)
    facts = {
        "alpha": float(learner.alpha),
        "l1_ratio": float(learner.l1_ratio),
        "fit_intercept": center,
        "positive": bool(getattr(learner, "positive", False)),
        "joint": joint,
    }
    stored = intercept.astype(np.float64) if center else np.zeros(len(coef))
    found = [ELASTIC_NET.certificate(evidence, facts, {"coef": coef.astype(np.float64), "intercept": stored})]
    if evidence.zeros is not None and len(evidence.zeros):
        found.append(zeros_certificate(evidence.zeros, coef.shape, facts))
    learner.report_ = Report(found)


def _evidence(
    learner: BaseEstimator, parts: list[PenalizedProblem], coef: Array, intercept: Array, *, joint: bool
) -> PenalizedEvidence:
    """Evidence for all targets together: objectives and dual values of independent problems add up."""
    found = []
    for k, part in enumerate(parts):
        rows = slice(None) if joint else slice(k, k + 1)
        strength = part.weight * float(learner.alpha)
        ratio = float(learner.l1_ratio)
        found.append(
            penalized_evidence(
                part,
                coef[rows],
                intercept[rows],
                l1=strength * ratio,
                l2=strength * (1.0 - ratio),
                positive=bool(getattr(learner, "positive", False)),
            )
        )
    zeros = found[0].zeros
    for other in found[1:]:
        zeros = None if zeros is None or other.zeros is None else np.intersect1d(zeros, other.zeros)
    return PenalizedEvidence(
        objective=sum(each.objective for each in found),
        objective_at_zero=sum(each.objective_at_zero for each in found),
        bound=DualValue(sum(each.bound.dual for each in found)),
        strength=found[0].strength,
        zeros=zeros,
    )


def warn_penalized(learner: BaseEstimator, at_zero: float, *, converged: bool) -> None:
    """Say what was not reached."""
    if converged:
        warn_not_converged(learner, gap=learner.gap_, at_zero=at_zero, hint="scale the columns or raise gap_tol")
        return
    cause = (
        "Objective did not converge. You might want to increase the number of iterations. "
        f"{type(learner).__name__} stopped after n_iter_={learner.n_iter_} (max_iter={learner.max_iter}); "
        f"tol={learner.tol:g} asks for more."
    )
    warn_not_converged(learner, cause, gap=learner.gap_, at_zero=at_zero)


def name_the_place(learner: Any, X: Any, y: TargetLike) -> NoReturn:
    """Say where the data hold what cannot be computed with."""
    assert_finite(learner, X)
    assert_finite(learner, np.asarray(y, dtype=np.float64), name="y")
    values = np.abs(X.data if sparse.issparse(X) else X)
    raise ValueError(
        "Coordinate descent iterations resulted in non-finite parameter values: the squares of the values in X or y "
        f"overflow; the largest value in X is {float(values.max(initial=0.0)):g}.\n"
        "Hint: rescale the columns, for example with StandardScaler."
    )
