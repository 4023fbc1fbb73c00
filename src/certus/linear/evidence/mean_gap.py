"""How far a regression of means (Poisson, gamma, Tweedie, squared loss) with a ridge penalty can be from the best one.

Let Q(W) be the objective with the intercept at its best for W: strongly convex, with the slope of P in W there. With
a = 2 - p and b = p - 1 for the power p of the loss (`certus.losses.MeanLoss`), the derivative of P along the intercept
is A e^{at} - B e^{-bt}, where A sums the rising and B the falling parts of the rows' derivatives. Since a + b = 1, the
best shift is t = log(B/A), and

    P(W, c) - Q(W) = B (1 - e^{-bt}) / b - A (e^{at} - 1) / a,        Q(W) - min Q <= |grad Q(W)|^2 / (2 strength).

Rounding errors of the gradient, and of the intercept at which it was taken, are bounded and added first. Half the
deviance is never negative, so the objective bounds the gap too; for losses that are not convex it is all that is known.
Without a penalty, or with a weak one, `certus.linear.evidence.decrement_gap` gives a better bound.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from certus.guarantees.training import GapEvidence, Slope, upper_bound
from certus.linear.design.moments import UNIT, gamma
from certus.linear.evidence.decrement_gap import decrement_at
from certus.linear.problems.smooth_problem import SmoothProblem
from certus.losses import MeanLoss, Squared

Array = NDArray[np.float64]
WEAK = 1e-6  # gap over the null deviance from which on a second bound is tried


@dataclass(frozen=True)
class MeanRows:
    """What one reading at the coefficients tells about the rows."""

    scores: Array
    lengths: Array
    score_error: Array
    chain: float


@dataclass(frozen=True)
class Balance:
    """Sums over rows that tell the best shift of the intercept; those of parts add up."""

    up: float
    down: float
    size: float
    weight: float
    worst: float  # relative error of the parts of a derivative

    def joined(self, other: Balance) -> Balance:
        """The sums over the rows of both."""
        added = {name: value + getattr(other, name) for name, value in vars(self).items() if name != "worst"}
        return Balance(**added, worst=max(self.worst, other.worst))


@dataclass(frozen=True)
class MeanSums:
    """Sums over rows after the shift; those of parts add up."""

    value: float
    gradient: Array
    total: Array
    slip: float
    slip_lengths: float
    size: float
    size_lengths: float
    bend: Array
    bend_lengths: float
    terms: float
    rising: float
    falling: float
    size_error: float

    def joined(self, other: MeanSums) -> MeanSums:
        """The sums over the rows of both."""
        return MeanSums(**{name: value + getattr(other, name) for name, value in vars(self).items()})


def has_slope(problem: SmoothProblem) -> bool:
    """Whether the loss is one for which more is known than the objective."""
    return problem.loss.convex and isinstance(problem.loss, MeanLoss | Squared)


def mean_rows(problem: SmoothProblem, coef: Array, intercept: Array) -> MeanRows:
    """Scores, lengths and rounding errors of the rows."""
    design = problem.design
    scores, lengths = design.scores_and_lengths(coef, intercept, problem.mean, np.ones(design.columns))
    offset = float(np.linalg.norm(problem.mean))
    reach = (lengths + offset) * float(np.linalg.norm(coef)) + abs(float(intercept[0]))
    error = 2.0 * gamma(design.columns + 8) * reach
    return MeanRows(scores[:, 0], lengths, error, gamma(design.chain(1) + 16))


def mean_evidence(problem: SmoothProblem, coef: Array, intercept: Array) -> GapEvidence:
    """Evidence for the coefficients (1 x d) and the intercept as they are stored."""
    rows = mean_rows(problem, coef, intercept)
    if not has_slope(problem):
        return _by_objective(problem, coef, intercept, rows.scores, rows.score_error, rows.chain)
    shift, share = best_shift(problem, balance(problem, rows))
    sums = mean_sums(problem, coef, intercept, shift, rows)
    found = evidence_of_sums(problem, coef, sums, share, rows.chain)
    if problem.strength > 0.0 and found.gap <= WEAK * problem.null:
        return found
    decrement = decrement_at(problem, coef, intercept)
    if decrement is None or upper_bound(decrement, found.objective) >= found.gap:
        return found
    return replace(found, bound=decrement)


def balance(problem: SmoothProblem, rows: MeanRows) -> Balance:
    """The rising and the falling parts of the derivative along the intercept; residuals for the squared loss."""
    weights = np.ones(len(rows.scores)) if problem.weights is None else problem.weights
    worst = float(rows.score_error.max(initial=0.0)) + rows.chain
    target = problem.target[:, 0]
    if isinstance(problem.loss, MeanLoss):
        up, down = (float(weights @ part) for part in problem.loss.parts(target, rows.scores))
        return Balance(up, down, up + down, float(weights.sum()), worst)
    size = float(weights @ (np.abs(rows.scores) + np.abs(target)))
    return Balance(float(weights @ (rows.scores - target)), 0.0, size, float(weights.sum()), worst)


def best_shift(problem: SmoothProblem, at: Balance) -> tuple[float, float]:
    """The best shift t of the intercept, and a bound on what it gains, P(W, c) - Q(W), rounding included."""
    if not problem.has_intercept:
        return 0.0, 0.0
    if not isinstance(problem.loss, MeanLoss):
        shift = -at.up / at.weight
        return shift, 0.5 * (abs(shift) * at.weight + at.worst * at.size) ** 2 / at.weight
    a, b = 2.0 - problem.loss.power, problem.loss.power - 1.0
    shift = float(np.log(at.down) - np.log(at.up))
    gain_up, gain_down = (float(np.expm1(k * shift) / k) if k else shift for k in (a, -b))
    share = max(at.down * gain_down - at.up * gain_up, 0.0)
    rounding = at.up * abs(gain_up) + at.down * abs(gain_down) + at.worst * (at.up + at.down)
    return shift, share + 4.0 * at.worst * rounding


def mean_sums(problem: SmoothProblem, coef: Array, intercept: Array, shift: float, rows: MeanRows) -> MeanSums:
    """The sums over the rows of a problem with the intercept shifted."""
    weights = np.ones(len(rows.scores)) if problem.weights is None else problem.weights
    target = problem.target[:, 0]
    if isinstance(problem.loss, MeanLoss):
        a, b = 2.0 - problem.loss.power, problem.loss.power - 1.0
        parts = problem.loss.parts(target, rows.scores)
        rising, falling = (weights * part * np.exp(k * shift) for part, k in zip(parts, (a, -b), strict=True))
        sizes = np.abs(weights * rows.scores), np.abs(weights * target * rows.scores)
        terms = (rising / a if a else sizes[0]) + (falling / b if b else sizes[1])
        size, bend = rising + falling, a * rising + b * falling
        least = float(rising.sum()), float(falling.sum())
    else:
        plain = np.abs(rows.scores) + np.abs(target)
        size, bend = weights * (plain + abs(shift)), weights
        terms = weights * (plain**2 + shift**2)
        least = float(weights.sum()), float(weights.sum())
    slip = 1.01 * bend * rows.score_error + 16.0 * UNIT * size
    value, gradient, total, _ = problem.design.loss_gradient(
        problem.loss, problem.target, problem.weights, coef, intercept + shift
    )
    longest = rows.lengths + 2.0 * float(np.linalg.norm(problem.mean))
    return MeanSums(
        value=value,
        gradient=gradient,
        total=total,
        slip=float(slip.sum()),
        slip_lengths=float(slip @ rows.lengths),
        size=float(size.sum()),
        size_lengths=float(size @ longest),
        bend=np.array([float(bend.sum())]),
        bend_lengths=float(bend @ rows.lengths),
        terms=float(terms.sum()),
        rising=least[0],
        falling=least[1],
        size_error=float(size @ rows.score_error),
    )


def evidence_of_sums(problem: SmoothProblem, coef: Array, sums: MeanSums, share: float, chain: float) -> GapEvidence:
    """The evidence from the sums over all rows; ``share``: what the shift of the intercept gains."""
    at = problem.finished(sums.value, sums.gradient, sums.total, sums.bend, coef)
    error = sums.slip_lengths + chain * sums.size_lengths
    error += 4.0 * UNIT * problem.strength * float(np.linalg.norm(coef))
    slope = float(np.linalg.norm(at.gradient)) + error
    if problem.has_intercept:
        off = abs(float(at.gradient_center[0])) + sums.slip + chain * sums.size
        # A slope of x is at most x / (least - x) away from the best intercept.
        least = min(sums.rising, sums.falling) * (0.999 if isinstance(problem.loss, MeanLoss) else 1.0)
        tau = off / (least - off) if off < 0.5 * least else np.inf
        slope += float(np.expm1(tau)) * sums.bend_lengths
        share += off * tau
    rounding = chain * (sums.terms + abs(problem.constant)) + sums.size_error
    return GapEvidence(
        objective=max(at.value, 0.0) + share + rounding,
        objective_at_zero=problem.null,
        bound=Slope(slope, share, problem.strength),
    )


def _by_objective(
    problem: SmoothProblem, coef: Array, intercept: Array, scores: Array, score_error: Array, chain: float
) -> GapEvidence:
    """The objective alone, which no deviance makes negative."""
    at = problem.evaluate(coef, intercept + (coef @ problem.mean if problem.has_intercept else 0.0))
    weights = np.ones(len(scores)) if problem.weights is None else problem.weights
    y = problem.target[:, 0]
    losses, slopes = problem.loss.value(y, scores), np.abs(problem.loss.derivative(y, scores))
    rounding = chain * float(weights @ (losses + 2.0 * np.abs(problem.loss.constant(y)))) + float(
        weights @ (slopes * score_error)
    )
    return GapEvidence(
        objective=max(at.value, 0.0) + 4.0 * rounding,
        objective_at_zero=problem.null,
        bound=Slope(float(np.linalg.norm(at.gradient)), 0.0, 0.0),
    )
