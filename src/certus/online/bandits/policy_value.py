"""What a policy is worth, from rewards that another policy collected."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from certus.guarantees import Certificate, as_estimate
from certus.guarantees.holdout import mean_bound
from certus.guarantees.records import check_choice

Floats = NDArray[np.float64]
METHODS = ("ips", "snips", "dr")


def bandit_policy_value(
    rewards: ArrayLike,
    propensities: ArrayLike,
    target: ArrayLike,
    *,
    method: str = "ips",
    model: ArrayLike | None = None,
    expected: ArrayLike | None = None,
    least_propensity: float,
    confidence: float = 0.95,
) -> Certificate:
    """The mean reward of a target policy, from arms that a logging policy drew with known probabilities.

    Parameters
    ----------
    rewards : array-like of shape (n,)
        The reward in [0, 1] of the arm that was drawn.
    propensities : array-like of shape (n,)
        With what probability it was drawn.
    target : array-like of shape (n,)
        With what probability the target policy would have drawn the same arm.
    method : {"ips", "snips", "dr"}, default="ips"
        Rewards weighted by target/propensity; the same divided by the mean weight (an estimate, no promise); or doubly
        robust, where a model's error is weighted and its expectation added.
    model, expected : array-like of shape (n,)
        For "dr": what a model, made from other rows, says of the arm that was drawn, and of the target policy's draw.
    least_propensity : float
        What propensities could have been at least, known beforehand; weights are at most its inverse.
    confidence : float, default=0.95
        Probability with which the interval holds.

    Returns
    -------
    Certificate
        An interval by betting; `value` has its two ends.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> arms = rng.integers(0, 2, 4000)                        # logged by tossing a coin
    >>> rewards = (rng.random(4000) < np.where(arms, 0.7, 0.3)).astype(float)
    >>> found = bandit_policy_value(rewards, np.full(4000, 0.5), arms == 1, least_propensity=0.5)
    >>> found.value[0] < 0.7 < found.value[1], found.check()
    (True, True)
    """
    check_choice(method, "method", METHODS)
    paid, drawn, wanted = (_column(part, name) for part, name in _named(rewards, propensities, target))
    if not 0.0 < least_propensity <= 1.0:
        raise ValueError(f"least_propensity must lie in (0, 1], got {least_propensity!r}.")
    _require(paid, 0.0, 1.0, "rewards")
    _require(drawn, least_propensity, 1.0, "propensities")
    _require(wanted, 0.0, 1.0, "target")
    weights, most = wanted / drawn, 1.0 / least_propensity
    quantity = "value of the target policy"
    if method == "dr":
        if model is None or expected is None:
            raise ValueError("method='dr' needs model and expected.\nHint: method='ips' needs neither.")
        guess, mean = _column(model, "model"), _column(expected, "expected")
        _require(guess, 0.0, 1.0, "model")
        _require(mean, 0.0, 1.0, "expected")
        values = mean + weights * (paid - guess)
        return mean_bound(values, low=-most, high=1.0 + most, confidence=confidence, side="both", quantity=quantity)
    values = weights * paid
    if method == "snips":
        values = np.minimum(values / max(float(weights.mean()), 1e-300), most)
        found = mean_bound(values, low=0.0, high=most, confidence=confidence, side="both", quantity=quantity)
        return as_estimate(found, "weights were divided by their mean, which depends on all rows")
    return mean_bound(values, low=0.0, high=most, confidence=confidence, side="both", quantity=quantity)


def _named(rewards: ArrayLike, propensities: ArrayLike, target: ArrayLike) -> tuple[tuple[ArrayLike, str], ...]:
    parts = ((rewards, "rewards"), (propensities, "propensities"), (target, "target"))
    if len({np.shape(part) for part, _ in parts}) != 1:
        raise ValueError("rewards, propensities and target must have one number per row.")
    return parts


def _column(values: ArrayLike, name: str) -> Floats:
    found = np.asarray(values, dtype=np.float64)
    if found.ndim != 1 or not len(found):
        raise ValueError(f"{name} must be a column of numbers, got the shape {found.shape}.")
    return found


def _require(values: Floats, low: float, high: float, name: str) -> None:
    bad = np.flatnonzero(~((values >= low) & (values <= high)))
    if len(bad):
        raise ValueError(f"{name} of row {bad[0]} must lie in [{low:g}, {high:g}], got {values[bad[0]]}.")
