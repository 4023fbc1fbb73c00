"""How far a Poisson or gamma regression with a ridge penalty can be from the best one.

Let Q(W) be the objective with the intercept at its best for W: strongly convex, with the slope of P in W there. Along
the intercept the loss is E e^{+-t} plus a linear part with slope K, where E sums the exponentials (s exp(f), or
s y exp(-f)) and K the rest (s y, or s); so the best shift is t = +-log(K/E), and

    P(W, c) - Q(W) = E - K - K log(E/K),           Q(W) - min Q <= |grad Q(W)|^2 / (2 strength).

Rounding errors of the gradient, and of the intercept at which it was taken, are bounded and added first. Half the
deviance is never negative, so the objective bounds the gap too. Without a penalty, or with
a weak one, `certus.linear.evidence.decrement_gap` gives a better bound.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from certus.guarantees.training import GapEvidence, Slope, upper_bound
from certus.linear.design.moments import UNIT, gamma
from certus.linear.evidence.decrement_gap import decrement_at
from certus.linear.problems.smooth_problem import SmoothProblem

Array = NDArray[np.float64]
WEAK = 1e-6  # gap over the null deviance from which on a second bound is tried


def mean_evidence(problem: SmoothProblem, coef: Array, intercept: Array) -> GapEvidence:
    """Evidence for the coefficients (1 x d) and the intercept as they are stored."""
    design = problem.design
    one = np.ones(design.columns)
    scores, lengths = design.scores_and_lengths(coef, intercept, problem.mean, one)
    offset = float(np.linalg.norm(problem.mean))
    reach = (lengths + offset) * float(np.linalg.norm(coef)) + abs(float(intercept[0]))
    score_error = 2.0 * gamma(design.columns + 8) * reach
    chain = gamma(design.chain(1) + 16)
    exponentials, rest = _parts(problem, scores[:, 0])
    share, shift = 0.0, 0.0
    if problem.has_intercept:
        share, shift = _center(problem, exponentials, rest, float(score_error.max(initial=0.0)) + chain)
    center = intercept + shift + (coef @ problem.mean if problem.has_intercept else 0.0)
    at = problem.evaluate(coef, center)
    exponentials = exponentials * np.exp(shift if problem.loss.name == "poisson" else -shift)
    slip = exponentials * (score_error + 16.0 * UNIT) * 1.01
    longest = lengths + 2.0 * offset
    error = float(slip @ lengths) + chain * float((exponentials + np.abs(rest)) @ longest)
    error += 4.0 * UNIT * problem.strength * float(np.linalg.norm(coef))
    slope = float(np.linalg.norm(at.gradient)) + error
    if problem.has_intercept:
        off = abs(float(at.gradient_center[0])) + float(slip.sum()) + chain * float((exponentials + np.abs(rest)).sum())
        left = off / float(rest.sum()) if off < 0.5 * float(rest.sum()) else np.inf
        tau = left / (1.0 - left) if np.isfinite(left) else np.inf
        slope += float(np.expm1(tau)) * float(exponentials @ lengths)
        share += off * tau
    rounding = chain * float((exponentials + np.abs(rest * scores[:, 0])).sum() + abs(problem.constant))
    found = GapEvidence(
        objective=max(at.value, 0.0) + share + rounding + float(exponentials @ score_error),
        objective_at_zero=problem.null,
        bound=Slope(slope, share, problem.strength),
    )
    if problem.strength > 0.0 and found.gap <= WEAK * problem.null:
        return found
    decrement = decrement_at(problem, coef, intercept)
    if decrement is None or upper_bound(decrement, found.objective) >= found.gap:
        return found
    return replace(found, bound=decrement)


def _parts(problem: SmoothProblem, scores: Array) -> tuple[Array, Array]:
    """The exponential and the other part of every row's derivative, both weighted and not negative."""
    y = problem.target[:, 0]
    weights = np.ones(len(y)) if problem.weights is None else problem.weights
    if problem.loss.name == "poisson":
        return weights * np.exp(scores), weights * y
    return weights * y * np.exp(-scores), weights


def _center(problem: SmoothProblem, exponentials: Array, rest: Array, error: float) -> tuple[float, float]:
    """P(W, c) - Q(W), rounding included, and the shift of the intercept to its best value."""
    total, constant = float(exponentials.sum()), float(rest.sum())
    excess = (total - constant) / constant
    share = constant * (excess - float(np.log1p(excess))) if excess > -1.0 else np.inf
    slack = error * (abs(excess) + error) * constant * 4.0
    shift = -float(np.log1p(excess)) if problem.loss.name == "poisson" else float(np.log1p(excess))
    return max(share, 0.0) + slack, shift
