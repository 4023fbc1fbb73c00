"""Values of a process that is known only by counts of transitions."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from certus.guarantees import Certificate, CertificateError, Report
from certus.guarantees.records import (
    Basis,
    Derivation,
    check_choice,
    check_confidence,
    confidence_percent,
    failure_of,
    number,
    plural,
    rules,
)

Floats = NDArray[np.float64]
RULE = "reinforce/model-interval"
QUANTITY = "widest interval of a value"
DESIGNS = ("adaptive", "fixed")
KEPT = 20_000  # counts up to which they are written down
MOST_SWEEPS = 100_000
EPS = 2.0**-52
ACCURACY = 1e-10  # of the values, relative to the widest they can be; both ends are moved outward by it
BASIS = Basis(
    RULE,
    "Inequalities for the L1 deviation of the empirical distribution (Weissman, Ordentlich, Seroussi, Verdú, "
    "Weinberger "
    "2003)",
    ("correct-model",),
)


@dataclass(frozen=True, eq=False)
class ModelInterval:
    """Between what values lie.

    Parameters
    ----------
    lower, upper : arrays of shape (S,)
        The interval of every state; all hold together.
    report : Report
        The certificate.
    """

    lower: Floats
    upper: Floats
    report: Report


def model_interval(
    counts: ArrayLike,
    rewards: ArrayLike,
    *,
    discount: float,
    policy: ArrayLike | None = None,
    confidence: float = 0.95,
    design: str = "adaptive",
) -> ModelInterval:
    """Bound the optimal values (or those of a policy) from counts of transitions.

    With the stated probability every true distribution of next states is within an L1 distance of the observed
    shares; over all processes that fit, optimistic and pessimistic value iteration find the largest and the smallest
    values.

    Parameters
    ----------
    counts : array of shape (S, A, S)
        How often each action led from where to where.
    rewards : array of shape (S,) or (S, A)
        Known rewards for being in a state, or for acting.
    discount : float
        Below 1.
    policy : array of shape (S,), optional
        Actions whose values to bound; by default those of the best policy.
    confidence : float, default=0.95
        Probability with which all intervals hold together.
    design : {"adaptive", "fixed"}, default="adaptive"
        Whether what was seen decided what to try next, or when to stop; "fixed" for numbers of visits that were decided
        before, which is a little tighter.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.reinforce import model_interval
    >>> counts = np.array([[[900, 100]], [[0, 1000]]])
    >>> found = model_interval(counts, [1.0, 0.0], discount=0.5)
    >>> bool(found.lower[0] < 1 / (1 - 0.45) < found.upper[0]), found.report.check()
    (True, True)
    """
    seen = _checked_counts(counts)
    check_choice(design, "design", DESIGNS)
    confidence = check_confidence(confidence)
    if not 0.0 <= discount < 1.0:
        raise ValueError(
            f"discount must lie in [0, 1), got {discount!r}.\nHint: without discount no such bound is known."
        )
    paid = _checked_rewards(rewards, seen.shape)
    chosen = None if policy is None else _checked_policy(policy, seen.shape)
    radii = l1_radii(seen.sum(axis=2), seen.shape, failure_of(confidence), design)
    span = float(paid.max() - paid.min()) / (1.0 - discount)
    least = float(paid.min())  # which every policy is paid, so that the accuracy is a share of the span
    spare = 8.0 * EPS * float(np.abs(paid).max()) / (1.0 - discount)
    lower = _extreme_values(seen, paid - least, discount, radii, chosen, span, best=False)
    upper = _extreme_values(seen, paid - least, discount, radii, chosen, span, best=True)
    lower, upper = lower + (least / (1.0 - discount) - spare), upper + (least / (1.0 - discount) + spare)
    inputs = {"discount": float(discount), "design": design, "least": int(seen.sum(axis=2).min())}
    witness: dict[str, Any] = {
        "shape": list(seen.shape), "span": span, "width": float((upper - lower).max(initial=0.0))
    }  # fmt: skip
    if seen.size <= KEPT:
        witness |= {"counts": seen.astype(int).tolist(), "rewards": paid.tolist()}
    witness |= {} if chosen is None else {"policy": chosen.tolist()}
    return ModelInterval(lower, upper, Report([_record(confidence, inputs, witness)]))


def l1_radii(visits: Floats, shape: tuple[int, ...], failure: float, design: str) -> Floats:
    """How far in L1 the true distributions can be from the shares, for all pairs together.

    A sample of n has P(|share - p| >= e) <= (2^S - 2) exp(-n e^2 / 2); "adaptive" divides the failure over all n as
    well, by sum 1 / (n (n + 1)) = 1.
    """
    states, actions, _ = shape
    if states == 1:
        return np.zeros(visits.shape)
    subsets = states * math.log(2.0) + math.log1p(-(2.0 ** (1 - states)))
    n = np.maximum(visits, 1.0)
    level = subsets + math.log(states * actions / failure)
    extra = np.log(n * (n + 1.0)) if design == "adaptive" else 0.0
    return np.where(visits > 0.0, np.minimum(2.0, np.sqrt(2.0 * (level + extra) / n)), 2.0)


def _extreme_values(
    counts: Floats, paid: Floats, discount: float, radii: Floats, policy: Any, span: float, *, best: bool
) -> Floats:
    """Values of the best or the worst process that fits, moved outward by the error of the iteration."""
    sign = 1.0 if best else -1.0
    total = counts.sum(axis=2, keepdims=True)
    shares = np.where(total > 0.0, counts / np.maximum(total, 1.0), 1.0 / counts.shape[0])
    values = np.full(counts.shape[0], (paid.max() if best else paid.min()) / (1.0 - discount))
    tolerance = ACCURACY * max(span, float(np.abs(values).max()), 1e-300) * (1.0 - discount)
    for _ in range(MOST_SWEEPS):  # from outside, so that values are bounds at any time
        order = np.argsort(-sign * values)  # the states that such a process prefers, first
        worth = paid + discount * shifted(shares[:, :, order], radii) @ values[order]
        after = worth.max(axis=1) if policy is None else worth[np.arange(len(values)), policy]
        change = float(np.max(np.abs(after - values)))
        values = after
        if change <= tolerance:
            break
    return values + sign * 2.0 * tolerance / (1.0 - discount)


def shifted(shares: Floats, radii: Floats) -> Floats:
    """Distributions with half of the radius moved to the first state, from the last ones."""
    first = np.minimum(1.0, shares[:, :, 0] + radii / 2.0)
    taken = first - shares[:, :, 0]
    found = shares.copy()
    found[:, :, 0] = first
    behind = np.cumsum(shares[:, :, ::-1], axis=2)[:, :, ::-1]  # mass from each state to the end
    after = np.concatenate([behind[:, :, 1:], np.zeros((*taken.shape, 1))], axis=2)
    kept = np.maximum(0.0, behind - taken[:, :, None]) - np.maximum(0.0, after - taken[:, :, None])
    found[:, :, 1:] = kept[:, :, 1:]
    return found


def _record(confidence: float, inputs: Any, witness: Any) -> Certificate:
    value, least = float(witness["width"]), int(inputs["least"])
    claim = (
        f"With confidence {confidence_percent(confidence)} the intervals of all "
        f"{plural(int(witness['shape'][0]), 'value')} "
        f"hold together; the widest is {number(value, 'upper')} (the rarest pair was tried "
        f"{plural(least, 'time')})."
    )
    trivial = float(witness["span"])
    return BASIS.probable(confidence, claim, QUANTITY, "upper", value, trivial, inputs, witness)


@rules.checker(RULE)
def check_model_interval(certificate: Certificate, data: Any = None) -> Derivation:
    """Derive the widest interval again from the counts, by loops over pairs and next states."""
    witness, inputs = certificate.witness, certificate.inputs
    if "counts" not in witness and data is None:
        raise CertificateError(f"{certificate.quantity}: more than {KEPT} counts are not kept; give them as data.")
    counts = np.asarray(witness["counts"] if data is None else data[0], dtype=np.float64)
    paid = np.asarray(witness["rewards"], dtype=np.float64) if data is None else _checked_rewards(data[1], counts.shape)
    policy = witness.get("policy")
    span = float(paid.max() - paid.min()) / (1.0 - inputs["discount"])
    size = float(np.abs(paid).max()) / (1.0 - inputs["discount"])
    paid = paid - paid.min()
    ends = []
    for sign in (1.0, -1.0):
        values = np.full(len(counts), float(paid.max() if sign > 0.0 else paid.min()) / (1.0 - inputs["discount"]))
        for _ in range(MOST_SWEEPS):
            after = np.array(
                [_best_by_loops(s, counts, paid, values, certificate, sign, policy) for s in range(len(counts))]
            )
            change = float(np.abs(after - values).max(initial=0.0))
            values = after
            if change <= 1e-9 * span * (1.0 - inputs["discount"]):
                break
        ends.append(values)
    width = float((ends[0] - ends[1]).max(initial=0.0))
    again = {**inputs, "least": int(counts.sum(axis=2).min())}
    record = _record(certificate.confidence, again, {**witness, "shape": list(counts.shape), "span": span})
    return Derivation(width, error=1e-6, slack=1e-6, scale=max(span, 1e-8 * size, 1e-300), record=record)


def _best_by_loops(
    state: int, counts: Floats, paid: Floats, values: Floats, certificate: Certificate, sign: float, policy: Any
) -> float:
    inputs, found = certificate.inputs, []
    for action in range(counts.shape[1]) if policy is None else (int(policy[state]),):
        n = counts[state, action].sum()
        visits = np.array([[n]])
        radius = l1_radii(visits, counts.shape, failure_of(certificate.confidence), str(inputs["design"]))[0, 0]
        row = counts[state, action] / n if n else np.full(len(counts), 1.0 / len(counts))
        order = np.argsort(-sign * values)
        moved = row[order].copy()
        add = min(radius / 2.0, 1.0 - moved[0])
        moved[0] += add
        for place in range(len(moved) - 1, 0, -1):
            less = min(add, moved[place])
            moved[place] -= less
            add -= less
        found.append(paid[state, action] + inputs["discount"] * float(moved @ values[order]))
    return max(found)


@rules.rows_that_help(RULE)
def visits_that_help(certificate: Certificate) -> int | None:
    """Visits of every pair at which half of the radius, times discount / (1 - discount), is below 1/4."""
    discount, shape = float(certificate.inputs["discount"]), tuple(int(n) for n in certificate.witness["shape"])
    if discount == 0.0:
        return None
    wanted = (1.0 - discount) / (2.0 * discount)
    n = 1
    while n < 2**62:
        radius = l1_radii(np.array([float(n)]), shape, failure_of(certificate.confidence), "adaptive")[0]
        if radius <= wanted:
            return n * shape[0] * shape[1]
        n *= 2
    return None


def _checked_counts(counts: ArrayLike) -> Floats:
    found = np.asarray(counts, dtype=np.float64)
    if found.ndim != 3 or found.shape[0] != found.shape[2] or 0 in found.shape:
        raise ValueError(f"counts must have the shape (states, actions, states), got {found.shape}.")
    if not ((found >= 0.0) & (found == np.floor(found)) & np.isfinite(found)).all():
        raise ValueError("counts must be whole numbers of at least 0.")
    return found


def _checked_rewards(rewards: ArrayLike, shape: tuple[int, ...]) -> Floats:
    found = np.asarray(rewards, dtype=np.float64)
    if found.shape == shape[:1]:
        found = np.repeat(found[:, None], shape[1], axis=1)
    if found.shape != shape[:2] or not np.isfinite(found).all():
        raise ValueError(f"rewards must be finite numbers of shape {shape[:1]} or {shape[:2]}, got {found.shape}.")
    return found


def _checked_policy(policy: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.int64]:
    found = np.asarray(policy)
    inside = found.dtype.kind in "iu" and found.shape == shape[:1] and ((found >= 0) & (found < shape[1])).all()
    if not inside:
        raise ValueError(
            f"policy must hold one action in 0 .. {shape[1] - 1} for each of the {shape[0]} states, got "
            f"{found.dtype} of shape "
            f"{found.shape}."
        )
    return found.astype(np.int64)
