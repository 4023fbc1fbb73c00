"""How far stochastic gradient descent ended from the optimum: a duality gap, where the penalty has a ridge part.

    P(w, b) = sum_i p_i l(y_i, x_i'w + b) + R(w),      D(u) = - sum_i p_i l*(u_i) - R*(- sum_i p_i u_i x_i)

with p_i = s_i / n, R the elastic net, and any u with sum_i p_i u_i = 0 (if there is an intercept). The u used here
is the losses' derivative at the scores, one side of it shrunk so that the sum vanishes; R* is finite everywhere
because of the ridge part, so the bound is never vacuous for lack of feasibility.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus import losses
from certus.guarantees import Certificate, CertificateError, rules
from certus.guarantees.optimality import gap_record
from certus.guarantees.rules import Derivation
from certus.linear.box_problem import MachineTable
from certus.linear.moments import gamma

Array = NDArray[np.float64]
RULE = "linear/stochastic-gap"
THEOREM = "Fenchel duality gap (Rockafellar 1970, theorem 31.1)"


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
) -> Certificate:
    """The certificate of the gap, summed over the problems (one row of targets, weights and coef each)."""
    penalty = losses.ElasticNet(alpha * l1_ratio, alpha * (1.0 - l1_ratio))
    ones = np.ones(targets.shape[1])
    with np.errstate(over="ignore", invalid="ignore"):  # an infinite dual value or rounding error bounds nothing
        parts = [
            _one(table, target, ones if weights is None else weights[k], w, b, loss, penalty, fit_intercept)
            for k, (target, w, b) in enumerate(zip(targets, coef, intercept, strict=True))
        ]
    primal, dual, rounding, at_zero = (float(sum(values)) for values in zip(*parts, strict=True))
    if math.isnan(dual) or math.isnan(rounding):
        dual, rounding = -math.inf, math.inf
    witness = {"objective": primal, "dual": dual, "rounding": rounding, "objective_at_zero": at_zero}
    inputs = {"loss": loss.name, "alpha": alpha, "l1_ratio": l1_ratio, "fit_intercept": fit_intercept}
    return _record(_gap(primal, dual, rounding), inputs, witness)


def _one(
    table: MachineTable, y: Array, weights: Array, w: Array, b: float, loss: Any, penalty: Any, fit_intercept: bool
) -> tuple[float, float, float, float]:
    """Primal and dual value, bound on their rounding error, primal value at zero."""
    share = weights / len(y)
    whole = np.append(w, 0.0).astype(np.float64)
    scores = table.scores(whole) + float(b)
    u = loss.derivative(y, scores)
    if fit_intercept:
        u = _balanced(u, share)
    values, conjugates = loss.value(y, scores), loss.conjugate(y, u)
    image = table.image(share * u)[:-1]
    primal = float(share @ values) + penalty.value(w)
    dual = -float(share @ conjugates) - penalty.conjugate(-image)
    # Rounding: scores, sums over rows, image; the derivative of R* is the primal point that belongs to it.
    lengths, chain, width = table.lengths * (1.0 + 1e-12), table.chain + 8, table.width + 8
    score_error = gamma(width) * (lengths * np.linalg.norm(w) + abs(float(b)) + np.abs(scores))
    image_error = gamma(chain) * float((share * np.abs(u)) @ lengths)
    point = np.linalg.norm(np.maximum(np.abs(image) - penalty.l1, 0.0)) / penalty.l2
    error = float(share @ (np.abs(u) * score_error + 4.0 * score_error**2)) + gamma(chain) * float(
        share @ (np.abs(values) + np.abs(conjugates) + np.abs(u * scores))
    )
    error += (
        image_error * point + image_error**2 / penalty.l2 + gamma(width) * (penalty.value(w) + penalty.l2 * point**2)
    )
    at_zero = float(share @ loss.value(y, np.zeros(len(y))))
    if fit_intercept:  # what rounding leaves of sum_i p_i u_i costs that times the optimum's intercept
        reach = _intercept_bound(y, share, loss, min(primal, at_zero), penalty.l2, float(lengths.max(initial=0.0)))
        error += 4.0 * gamma(chain) * float(share @ np.abs(u)) * reach
    return primal, dual, 2.0 * error, at_zero


def _intercept_bound(y: Array, share: Array, loss: Any, best: float, l2: float, longest: float) -> float:
    """A bound on |b| at the optimum, whose objective is at most ``best``.

    The mean loss over a group of rows with share p is at most best / p; every loss here grows at least like its
    distance to the target (to the margin 1), up to a constant below 1 + epsilon and, for Huber's, a factor 1/delta.
    The scores of that group are within longest |w| of b, and |w|^2 <= 2 best / l2.
    """
    groups = [share[y > 0.0].sum(), share[y <= 0.0].sum()] if set(np.unique(y)) <= {-1.0, 1.0} else [share.sum()]
    least = min((float(group) for group in groups if group > 0.0), default=1.0)
    flat = min(1.0, float(getattr(loss, "delta", 1.0)))
    width = 1.0 + float(getattr(loss, "epsilon", 0.0)) + float(getattr(loss, "delta", 0.0))
    return float(np.abs(y).max()) + width + (best / least + 1.0) / flat + longest * math.sqrt(2.0 * best / l2)


def _balanced(u: Array, share: Array) -> Array:
    """U with its larger side shrunk, so that sum_i p_i u_i = 0; 0 is in every conjugate's domain."""
    up, down = float(share @ np.maximum(u, 0.0)), float(share @ np.maximum(-u, 0.0))
    if up == 0.0 or down == 0.0:
        return np.zeros_like(u)
    return np.where(u > 0.0, u * min(1.0, down / up), u * min(1.0, up / down))


def _gap(primal: float, dual: float, rounding: float) -> float:
    gap = max(primal - dual, 0.0) + rounding
    return min(gap, primal) if math.isfinite(gap) else primal


def _record(gap: float, inputs: Any, witness: Any) -> Certificate:
    return gap_record(gap, witness["objective_at_zero"], theorem=THEOREM, rule=RULE, inputs=inputs, witness=witness)


@rules.checker(RULE)
def check_stochastic_gap(certificate: Certificate, data: Any = None) -> Derivation:
    """Derive the gap again from primal and dual value in rational arithmetic."""
    del data
    witness = certificate.witness
    primal, rounding, dual = (float(witness[name]) for name in ("objective", "rounding", "dual"))
    if not (primal >= 0.0 and rounding >= 0.0 and math.isfinite(primal)):
        raise CertificateError(f"{certificate.quantity}: the witness holds a number that cannot occur")
    bounds = [Fraction(primal)]
    if math.isfinite(dual - rounding):
        bounds.append(max(Fraction(primal) - Fraction(dual), Fraction(0)) + Fraction(rounding))
    if not isinstance(certificate.value, float):
        raise CertificateError(f"{certificate.quantity}: the gap must be one number")
    derived = float(min(bounds))
    record = _record(certificate.value, certificate.inputs, witness)
    return Derivation(derived, error=1e-14, slack=1e-6 if derived > 1e-300 else math.inf, record=record)
