"""How far a logistic solution with a ridge penalty can be from the best one.

In centered coordinates, with gradient (G, g) of P at (W, c), penalty strength > 0 and radius R = max |x_i - m|:

1. Given W, the best c is within tau of ours. The loss along c is quasi-self-concordant (its curvature changes
   at most by the factor e^t over a distance t, e^2t for several classes), hence with least curvature h
   tau = -log(1 - |g|/h), or -log(1 - 2|g|/h)/2 (Bach 2010, proposition 1).
2. Moving W by r moves every score by at most R r, so it moves the best c by at most R r: otherwise the
   probabilities of some set of classes would all grow, but their sum is fixed by the stationarity in c. For K
   classes the largest difference of two entries of c moves by at most 2 (K - 1) R r, for the same reason.
3. Strong convexity in W then gives, with A = |G| + k |g|_1 R (k = 1, or K - 1 for K > 2 classes),

       P - min P <= A^2 / (2 strength) + |g| tau,     strength r^2 <= A r + |g| tau  for r = |W - W*|.

Rounding errors of G and g are bounded and added first. The objective is never negative, so it bounds the gap too.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from certus.guarantees.training import GapEvidence, Slope
from certus.linear._native_calls import smooth_kernels
from certus.linear.design.design_matrix import SparseDesign
from certus.linear.design.moments import UNIT, gamma
from certus.linear.evidence.linear_labels import undecided_rows
from certus.linear.problems.smooth_problem import SmoothProblem

Array = NDArray[np.float64]


@dataclass(frozen=True)
class RowFacts:
    """What one reading of the table at the final coefficients tells about its rows."""

    scores: Array
    lengths: Array  # |x_i - m|
    score_error: Array
    derivatives: Array
    curvature: Array
    loss: float


@dataclass(frozen=True)
class LogisticEvidence(GapEvidence):
    """What the certificates of the gap and of the labels rest on."""

    undecided: int | None = None  # rows whose label could differ from the exact optimum's
    distance: float = np.inf  # bound on |W - W*|


@dataclass(frozen=True)
class LogisticSums:
    """What the rows of a table, or of a part of it, contribute to the evidence; the sums of parts are those of all."""

    value: float  # of the losses
    gradient: Array
    total: Array
    radius: float  # the longest row
    gradient_error: float
    center_error: float
    bend: Array  # of the losses along the intercepts
    score_error: float

    def joined(self, other: LogisticSums) -> LogisticSums:
        """The sums over the rows of both."""
        radius = max(self.radius, other.radius)
        added = {name: value + getattr(other, name) for name, value in vars(self).items() if name != "radius"}
        return LogisticSums(**added, radius=radius)


def logistic_sums(problem: SmoothProblem, coef: Array, intercept: Array, rows: RowFacts | None = None) -> LogisticSums:
    """The sums over the rows of a problem."""
    rows = row_facts(problem, coef, intercept) if rows is None else rows
    if isinstance(problem.design, SparseDesign):
        value, (gradient, total) = rows.loss, problem.design.gradient_of(rows.derivatives)
    else:  # one more reading of a dense table, which row_facts does not keep, costs no more
        value, gradient, total, _ = problem.design.loss_gradient(
            problem.loss, problem.target, problem.weights, coef, intercept
        )
    return LogisticSums(
        value,
        gradient,
        total,
        float(rows.lengths.max(initial=0.0)),
        *gradient_errors(problem, rows),
        center_bend(problem, rows.curvature),
        float(_weighted(problem, rows.score_error)),
    )


def logistic_evidence(problem: SmoothProblem, coef: Array, intercept: Array) -> LogisticEvidence:
    """Evidence for the coefficients (K x d) and intercepts as they are stored."""
    rows = row_facts(problem, coef, intercept)
    evidence, limits = evidence_of_sums(problem, coef, logistic_sums(problem, coef, intercept, rows))
    return replace(evidence, undecided=count_undecided(problem, rows, evidence.distance, *limits))


def evidence_of_sums(
    problem: SmoothProblem, coef: Array, sums: LogisticSums
) -> tuple[LogisticEvidence, tuple[float, float]]:
    """Evidence without the count of labels, and what that takes: how far the intercepts can be off, and the radius."""
    at = problem.finished(sums.value, sums.gradient, sums.total, sums.bend, coef)
    gradient_error = sums.gradient_error + 4.0 * UNIT * problem.strength * float(np.linalg.norm(coef))
    slope = float(np.linalg.norm(at.gradient)) + gradient_error
    center_slope, reach, per_radius = 0.0, 0.0, 0.0
    radius = sums.radius * (1.0 + 1e-12)
    if problem.has_intercept:
        center_slope = float(np.linalg.norm(at.gradient_center)) + sums.center_error
        reach = center_reach(sums.bend, center_slope)
        per_radius = float(np.abs(at.gradient_center).sum()) + problem.outputs * sums.center_error
    factor = max(1, problem.outputs - 1)
    chain = gamma(problem.design.chain(problem.outputs) + 16)
    share = center_slope * reach if np.isfinite(reach) else np.inf
    bound = Slope(slope + factor * per_radius * radius, share, problem.strength)
    evidence = LogisticEvidence(
        objective=at.value * (1.0 + chain) + sums.score_error,
        objective_at_zero=problem.total_weight * float(np.log(max(2, problem.outputs))),
        bound=bound,
        distance=_distance(bound),
    )
    return evidence, (reach, radius)


def _distance(bound: Slope) -> float:
    """Bound on |W - W*|: the positive root of strength r^2 = A r + |g| tau."""
    if bound.strength <= 0.0 or not np.isfinite(bound.center_share):
        return np.inf
    root = np.sqrt(bound.slope**2 + 4.0 * bound.strength * bound.center_share)
    return float((bound.slope + root) / (2.0 * bound.strength) * (1.0 + 16.0 * UNIT))


def row_facts(problem: SmoothProblem, coef: Array, intercept: Array) -> RowFacts:
    """Scores, lengths, derivatives and curvatures of all rows, and the scores' rounding errors."""
    design = problem.design
    one = np.ones(design.columns)
    scores, lengths = design.scores_and_lengths(coef, intercept, problem.mean, one)
    size = float(np.linalg.norm(coef))
    longest = lengths + float(np.linalg.norm(problem.mean))
    error = gamma(design.columns + 8) * (longest * size + float(np.abs(intercept).max(initial=0.0)))
    loss, derivatives, curvature = smooth_kernels.apply_loss(
        problem.loss, problem.target, problem.weights, scores.copy(), design.threads
    )
    return RowFacts(scores, lengths, error, derivatives, curvature, loss)


def gradient_errors(problem: SmoothProblem, rows: RowFacts) -> tuple[float, float]:
    """Bounds on the rounding errors of |G| and of the norm of g, from the losses."""
    chain = gamma(problem.design.chain(problem.outputs) + 16)
    offset = float(np.linalg.norm(problem.mean))
    longest = rows.lengths + 2.0 * offset
    derivative = np.linalg.norm(rows.derivatives, axis=1)
    # Derivatives change by at most 1/4 of the score's error (1 for several classes), plus a few roundings.
    slip = (rows.score_error + 16.0 * UNIT) * np.sqrt(problem.outputs)
    gradient = _weighted(problem, slip * rows.lengths) + chain * float(derivative @ longest)
    return float(gradient), float(_weighted(problem, slip) + chain * derivative.sum())


def center_bend(problem: SmoothProblem, curvature: Array) -> Array:
    """Second derivatives of the losses along the intercepts."""
    if problem.outputs == 1:
        return np.array([[float(curvature.sum())]])
    weights = np.ones(len(curvature)) if problem.weights is None else problem.weights
    return np.asarray(np.diag(weights @ curvature) - (curvature * weights[:, None]).T @ curvature)


def center_reach(bend: Array, center_slope: float) -> float:
    """tau: how far c can be from the best c for the same W; infinite if the bound does not apply."""
    if len(bend) == 1:
        least, factor = float(bend[0, 0]), 1.0
    else:
        least, factor = float(np.linalg.eigvalsh(bend)[1]), 2.0
    least *= 1.0 - 1e-6
    share = factor * center_slope / least if least > 0.0 else np.inf
    return float(-np.log1p(-share) / factor) * (1.0 + 1e-12) if share < 1.0 else np.inf


def _weighted(problem: SmoothProblem, values: Array) -> float:
    return float(values.sum() if problem.weights is None else problem.weights @ values)


def count_undecided(
    problem: SmoothProblem, rows: RowFacts, distance: float, center_reach: float, radius: float
) -> int | None:
    """Rows whose label could differ from the exact optimum's; None if the distance to it is not bounded."""
    if not np.isfinite(distance) or not np.isfinite(center_reach):
        return None
    shift = radius * distance + center_reach if problem.has_intercept else 0.0
    if problem.outputs == 1:
        reach = rows.lengths * distance + shift + rows.score_error
    else:
        spread = 2.0 * (problem.outputs - 1) * shift
        reach = np.sqrt(2.0) * rows.lengths * distance + spread + 2.0 * rows.score_error
    return undecided_rows(rows.scores, reach * (1.0 + 1e-12))
