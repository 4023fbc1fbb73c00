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
class _Line:
    """The objective along the intercept: what its best shift gains, and the rows there."""

    shift: float
    share: float  # P(W, c) - Q(W), rounding included
    size: Array  # of the terms of every row's derivative after the shift, weighted
    bend: Array  # second derivatives after the shift, weighted
    terms: float  # sum of the sizes of the terms of the losses
    least: float  # a slope of x is at most x / (least - x) away from the best intercept


def mean_evidence(problem: SmoothProblem, coef: Array, intercept: Array) -> GapEvidence:
    """Evidence for the coefficients (1 x d) and the intercept as they are stored."""
    design = problem.design
    scores, lengths = design.scores_and_lengths(coef, intercept, problem.mean, np.ones(design.columns))
    offset = float(np.linalg.norm(problem.mean))
    reach = (lengths + offset) * float(np.linalg.norm(coef)) + abs(float(intercept[0]))
    score_error = 2.0 * gamma(design.columns + 8) * reach
    chain = gamma(design.chain(1) + 16)
    if not (problem.loss.convex and isinstance(problem.loss, MeanLoss | Squared)):
        return _by_objective(problem, coef, intercept, scores[:, 0], score_error, chain)
    line = _line(problem, scores[:, 0], float(score_error.max(initial=0.0)) + chain)
    center = intercept + line.shift + (coef @ problem.mean if problem.has_intercept else 0.0)
    at = problem.evaluate(coef, center)
    slip = 1.01 * line.bend * score_error + 16.0 * UNIT * line.size
    error = float(slip @ lengths) + chain * float(line.size @ (lengths + 2.0 * offset))
    error += 4.0 * UNIT * problem.strength * float(np.linalg.norm(coef))
    slope, share = float(np.linalg.norm(at.gradient)) + error, line.share
    if problem.has_intercept:
        off = abs(float(at.gradient_center[0])) + float(slip.sum()) + chain * float(line.size.sum())
        tau = off / (line.least - off) if off < 0.5 * line.least else np.inf
        slope += float(np.expm1(tau)) * float(line.bend @ lengths)
        share += off * tau
    rounding = chain * (line.terms + abs(problem.constant)) + float(line.size @ score_error)
    found = GapEvidence(
        objective=max(at.value, 0.0) + share + rounding,
        objective_at_zero=problem.null,
        bound=Slope(slope, share, problem.strength),
    )
    if problem.strength > 0.0 and found.gap <= WEAK * problem.null:
        return found
    decrement = decrement_at(problem, coef, intercept)
    if decrement is None or upper_bound(decrement, found.objective) >= found.gap:
        return found
    return replace(found, bound=decrement)


def _line(problem: SmoothProblem, scores: Array, error: float) -> _Line:
    """The line through a point; ``error`` bounds the relative errors of the sums."""
    weights = np.ones(len(scores)) if problem.weights is None else problem.weights
    if isinstance(problem.loss, MeanLoss):
        return _exponential_line(problem, problem.loss, weights, scores, error)
    residual, total = scores - problem.target[:, 0], float(weights.sum())
    size = np.abs(scores) + np.abs(problem.target[:, 0])
    shift = -float(weights @ residual) / total if problem.has_intercept else 0.0
    noise = error * float(weights @ size)
    share = 0.5 * (abs(shift) * total + noise) ** 2 / total if problem.has_intercept else 0.0
    return _Line(
        shift, share, weights * (size + abs(shift)), weights, float(weights @ size**2) + total * shift**2, total
    )


def _exponential_line(problem: SmoothProblem, loss: MeanLoss, weights: Array, scores: Array, error: float) -> _Line:
    a, b = 2.0 - loss.power, loss.power - 1.0
    rising, falling = (weights * part for part in loss.parts(problem.target[:, 0], scores))
    up, down = float(rising.sum()), float(falling.sum())
    shift, share = 0.0, 0.0
    if problem.has_intercept:
        shift = float(np.log(down) - np.log(up))
        gain_up, gain_down = (float(np.expm1(k * shift) / k) if k else shift for k in (a, -b))
        share = max(down * gain_down - up * gain_up, 0.0)
        share += 4.0 * error * (up * abs(gain_up) + down * abs(gain_down) + error * (up + down))
    rising, falling = rising * np.exp(a * shift), falling * np.exp(-b * shift)
    sizes = np.abs(weights * scores), np.abs(weights * problem.target[:, 0] * scores)
    terms = (rising / a if a else sizes[0]) + (falling / b if b else sizes[1])
    least = min(float(rising.sum()), float(falling.sum()))
    return _Line(shift, share, rising + falling, a * rising + b * falling, float(terms.sum()), 0.999 * least)


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
