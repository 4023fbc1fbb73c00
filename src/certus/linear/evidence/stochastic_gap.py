"""How far stochastic gradient descent ended from the optimum: a duality gap, where the penalty has a ridge part.

    P(w, b) = sum_i p_i l(y_i, x_i'w + b) + R(w),      D(u) = - sum_i p_i l*(u_i) - R*(- sum_i p_i u_i x_i)

with p_i = s_i / n, R the elastic net, and any u with sum_i p_i u_i = 0 (if there is an intercept). The u used here
is the losses' derivative at the scores, one side of it shrunk so that the sum vanishes; R* is finite everywhere
because of the ridge part, so the bound is never vacuous for lack of feasibility.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus import losses
from certus.guarantees import Certificate
from certus.guarantees.training import DualValue, GapEvidence
from certus.linear.design.moments import gamma
from certus.linear.evidence.linear_gap_rules import STOCHASTIC
from certus.linear.problems.box_problem import MachineTable

Array = NDArray[np.float64]
BLOCK = 16384  # rows


def convex_loss(name: str, epsilon: float) -> Any:
    """The loss with its conjugate, or None where there is none in `certus.losses`."""
    known = {
        "hinge": losses.Hinge(),
        "squared_hinge": losses.SquaredHinge(),
        "perceptron": losses.Perceptron(),
        "log_loss": losses.Logistic(),
        "squared_error": losses.Squared(),
        "epsilon_insensitive": losses.EpsilonInsensitive(epsilon),
        "squared_epsilon_insensitive": losses.SquaredEpsilonInsensitive(epsilon),
    }
    if name == "huber":
        return losses.Huber(epsilon) if epsilon > 0.0 else None
    return known.get(name)


def stochastic_certificate(
    table: MachineTable,
    targets: Array,
    weights: Array | None,
    coef: Array,
    intercept: Array,
    *,
    loss: Any,
    alpha: float,
    l1_ratio: float,
    fit_intercept: bool,
    declared: dict[str, Any],
) -> Certificate:
    """The certificate of the gap, summed over the problems (one row of targets, weights and coef each).

    ``declared`` holds epsilon, and for classifiers the classes and the weights that each problem gives to its own class
    and to the rest.
    """
    penalty = losses.ElasticNet(alpha * l1_ratio, alpha * (1.0 - l1_ratio))
    with np.errstate(over="ignore", invalid="ignore"):  # an infinite dual value or rounding error bounds nothing
        parts = [
            _one(table, target, None if weights is None else weights[k], w, b, loss, penalty, fit_intercept)
            for k, (target, w, b) in enumerate(zip(targets, coef, intercept, strict=True))
        ]
    primal, dual, rounding, at_zero = (float(sum(values)) for values in zip(*parts, strict=True))
    if math.isnan(dual) or math.isnan(rounding):
        dual, rounding = -math.inf, math.inf
    evidence = GapEvidence(primal, at_zero, DualValue(dual, rounding))
    inputs = {"loss": loss.name, "alpha": alpha, "l1_ratio": l1_ratio, "fit_intercept": fit_intercept, **declared}
    return STOCHASTIC.certificate(evidence, inputs, {"coef": coef, "intercept": intercept})


def _one(
    table: MachineTable, y: Array, weights: Array | None, w: Array, b: float, loss: Any, penalty: Any, centered: bool
) -> tuple[float, float, float, float]:
    """Primal and dual value, bound on their rounding error, primal value at zero."""
    scores = table.scores(np.append(w, 0.0).astype(np.float64)) + float(b)
    sums, u = _first_pass(y, weights, scores, loss)
    factors = (1.0, 1.0)
    if centered:  # the larger side shrinks, so that sum_i p_i u_i = 0; 0 is in every conjugate's domain
        up, down = sums["up"], sums["down"]
        factors = (min(1.0, down / up), min(1.0, up / down)) if up > 0.0 and down > 0.0 else (0.0, 0.0)
    width, chain = table.width + 8, table.chain + 8
    lengths = table.lengths
    rounded = gamma(width), float(np.linalg.norm(w)) * (1.0 + 1e-12), abs(float(b))
    sums |= _second_pass(y, weights, scores, u, factors, lengths, rounded, loss)
    image = table.image(u)[:-1]  # u holds p_i u_i now
    primal = sums["value"] + penalty.value(w)
    dual = -sums["conjugate"] - penalty.conjugate(-image)
    # Rounding: scores, sums over rows, image; the derivative of R* is the primal point that belongs to it.
    image_error = gamma(chain) * sums["reach"] * (1.0 + 1e-12)
    point = np.linalg.norm(np.maximum(np.abs(image) - penalty.l1, 0.0)) / penalty.l2
    error = sums["score_error"] + gamma(chain) * (sums["value"] + sums["size"])
    error += (
        image_error * point + image_error**2 / penalty.l2 + gamma(width) * (penalty.value(w) + penalty.l2 * point**2)
    )
    if centered:  # what rounding leaves of sum_i p_i u_i costs that times the optimum's intercept
        least = min((group for group in (sums["positive"], sums["negative"]) if group > 0.0), default=1.0)
        longest = float(lengths.max(initial=0.0)) * (1.0 + 1e-12)
        reach = _intercept_bound(sums, least, loss, min(primal, sums["at_zero"]), penalty.l2, longest)
        error += 4.0 * gamma(chain) * sums["slope"] * reach
    return primal, dual, 2.0 * error, sums["at_zero"]


def _blocks(rows: int, weights: Array | None) -> Iterator[tuple[slice, Any]]:
    """Rows in pieces that fit the cache, with their p_i."""
    for first in range(0, rows, BLOCK):
        block = slice(first, min(first + BLOCK, rows))
        yield block, np.broadcast_to(1.0 / rows, block.stop - first) if weights is None else weights[block] / rows


def _first_pass(y: Array, weights: Array | None, scores: Array, loss: Any) -> tuple[dict[str, float], Array]:
    """Sums over the losses at the scores and at zero, over both signs of their derivatives, and these themselves."""
    names = ("value", "at_zero", "up", "down", "positive", "negative")
    sums, u, largest = dict.fromkeys(names, 0.0), np.empty_like(scores), 0.0
    for block, share in _blocks(len(y), weights):
        target, score = y[block], scores[block]
        u[block] = slopes = loss.derivative(target, score)
        sums["value"] += float(share @ loss.value(target, score))
        sums["at_zero"] += float(share @ loss.value(target, np.zeros(len(score))))
        sums["up"] += float(share @ np.maximum(slopes, 0.0))
        sums["down"] -= float(share @ np.minimum(slopes, 0.0))
        sums["positive"] += float(share @ (target > 0.0))
        sums["negative"] += float(share @ (target <= 0.0))
        largest = max(largest, float(np.abs(target).max()))
    labels = largest == 1.0 and bool((np.abs(y) == 1.0).all())
    if not labels:  # numbers instead of labels: all rows are one group
        sums["positive"], sums["negative"] = sums["positive"] + sums["negative"], 0.0
    return sums | {"largest": largest}, u


def _second_pass(
    y: Array,
    weights: Array | None,
    scores: Array,
    u: Array,
    factors: tuple[float, float],
    lengths: Array,
    rounded: tuple[float, float, float],
    loss: Any,
) -> dict[str, float]:
    """Sums over the conjugates and what their rounding depends on; u becomes p_i u_i with its sides shrunk."""
    unit, size, offset = rounded
    sums = dict.fromkeys(("conjugate", "size", "slope", "reach", "score_error"), 0.0)
    for block, share in _blocks(len(y), weights):
        slopes, score, length = u[block], scores[block], lengths[block]
        if factors != (1.0, 1.0):
            slopes *= np.where(slopes > 0.0, factors[0], factors[1])
        conjugates, steep = loss.conjugate(y[block], slopes), np.abs(slopes)
        error = unit * (length * size + offset + np.abs(score))
        sums["conjugate"] += float(share @ conjugates)
        sums["size"] += float(share @ (np.abs(conjugates) + steep * np.abs(score)))
        sums["score_error"] += float(share @ (error * (steep + 4.0 * error)))
        sums["slope"] += float(share @ steep)
        sums["reach"] += float((share * steep) @ length)
        slopes *= share
    return sums


def _intercept_bound(sums: dict[str, float], least: float, loss: Any, best: float, l2: float, longest: float) -> float:
    """A bound on |b| at the optimum, whose objective is at most ``best``.

    The mean loss over a group of rows with share ``least`` is at most best / least; every loss here grows at least
    like its distance to the target (to the margin 1), up to a constant below 1 + epsilon and, for Huber's, a factor
    1/delta. The scores of that group are within longest |w| of b, and |w|^2 <= 2 best / l2.
    """
    flat = min(1.0, float(getattr(loss, "delta", 1.0)))
    width = 1.0 + float(getattr(loss, "epsilon", 0.0)) + float(getattr(loss, "delta", 0.0))
    return sums["largest"] + width + (best / least + 1.0) / flat + longest * math.sqrt(2.0 * best / l2)
