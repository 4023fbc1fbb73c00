"""What policies are worth that cannot be tried, or were tried only a few times: bounds without a model."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from certus.guarantees import Certificate, CertificateError
from certus.guarantees.holdout import mean_bound
from certus.guarantees.records import (
    Basis,
    Derivation,
    check_choice,
    check_confidence,
    check_count,
    check_range,
    confidence_percent,
    failure_of,
    number,
    plural,
    rules,
)
from certus.reinforce.episodes import Episode, utility
from certus.reinforce.evidence.importance_weights import checked, doubly_robust, total_discount, weighted
from certus.reinforce.evidence.nonnegative_means import log_capital, nonnegative_lower

Floats = NDArray[np.float64]
RULE = "reinforce/off-policy-value"
QUANTITY = "value of the policy"
BASIS = Basis(
    RULE,
    "Anytime-valid off-policy inference for contextual bandits (Waudby-Smith, Wu, Ramdas, Karampatziakis, Mineiro "
    "2024)",
    ("iid", "fixed-order", "known-weights", "bounded-range"),
)
SIDES = ("lower", "upper", "both")
KEPT = 50_000  # episodes whose two sums are written down


def off_policy_value(
    episodes: Sequence[Episode],
    target: ArrayLike,
    *,
    reward_range: tuple[float, float],
    horizon: int,
    discount: float = 1.0,
    confidence: float = 0.95,
    side: str = "both",
) -> Certificate:
    """Bound the value of a policy from episodes of another one, whose probabilities were written down.

    With rho_t the product of target / behavior up to t, sum_t discount^t rho_t (r_t - low) is not negative and has
    the mean value - low sum_t discount^t. Betting on such a variable needs no bound on the weights. The upper end is
    the same for high - r_t.

    Parameters
    ----------
    episodes : sequence of Episode
        Independent episodes of the policy that acted, in an order fixed before.
    target : array of shape (S,) or (S, A)
        The policy in question: actions, or their probabilities.
    reward_range : (float, float)
        Between what rewards always lie.
    horizon : int
        The number of steps that count.
    discount : float, default=1.0
        What a reward is worth one step later.
    confidence : float, default=0.95
        Probability with which the bounds hold, both ends together for side="both".
    side : {"both", "lower", "upper"}, default="both"
        Which ends to bound.

    Returns
    -------
    Certificate
        The bound; ``inputs["estimate"]`` is the doubly robust estimate, which promises nothing.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.reinforce import Episode, off_policy_value
    >>> rng = np.random.default_rng(0)
    >>> actions = rng.integers(0, 2, 1000)      # a coin chose; action 1 pays 1 with probability .8, action 0 with .3
    >>> paid = rng.random(1000) < np.where(actions == 1, 0.8, 0.3)
    >>> episodes = [Episode([0], [a], [r], [0.5]) for a, r in zip(actions, paid)]
    >>> low, high = off_policy_value(episodes, [1], reward_range=(0, 1), horizon=1).value
    >>> low < 0.8 < high, high - low < 0.2
    (True, True)
    """
    horizon, side = check_count(horizon, "horizon", minimum=1), check_choice(side, "side", SIDES)
    confidence, (low, high) = check_confidence(confidence), check_range(*reward_range)
    if not 0.0 <= discount <= 1.0:
        raise ValueError(f"discount must lie in [0, 1], got {discount!r}.")
    found = checked(episodes, horizon, (low, high))
    shares = _target_shares(target, found)
    sums = _sums(found, shares, (low, high), discount, horizon)
    inputs = {
        "low": low, "high": high, "horizon": horizon, "discount": float(discount), "side": side,
        "estimate": doubly_robust(found, shares, discount, horizon),
    }  # fmt: skip
    witness = {"episodes": len(found)}
    if len(found) <= KEPT:
        witness |= {end: sums[end].tolist() for end in _ends(side)}
    value = _value({end: nonnegative_lower(sums[end], _level(confidence, side)) for end in _ends(side)}, inputs)
    return _record(value, confidence, inputs, witness)


def policy_value(
    episodes: Sequence[Episode],
    *,
    reward_range: tuple[float, float],
    horizon: int,
    discount: float = 1.0,
    confidence: float = 0.95,
    side: str = "both",
) -> Certificate:
    """Bound the value of the policy that acted, from the utilities of its episodes, by betting.

    Parameters
    ----------
    episodes : sequence of Episode
        Independent episodes, in an order fixed before.
    reward_range : (float, float)
        Between what rewards always lie.
    horizon : int
        The number of steps that count.
    discount : float, default=1.0
        What a reward is worth one step later.
    confidence : float, default=0.95
        Probability with which the bounds hold.
    side : {"both", "lower", "upper"}, default="both"
        Which ends to bound.

    Examples
    --------
    >>> from certus.reinforce import GridWorld, policy_value, rollout, solve
    >>> world = GridWorld(["...+", ".#.-", "S..."])
    >>> episodes = rollout(world, solve(world).policy, episodes=2000, horizon=50, random_state=0)
    >>> low, high = policy_value(episodes, reward_range=(-1.04, 0.96), horizon=50).value
    >>> low < 0.7053 < high
    True
    """
    horizon, (low, high) = check_count(horizon, "horizon", minimum=1), check_range(*reward_range)
    found = checked(episodes, horizon, (low, high))
    returns = [utility(episode.rewards, discount) for episode in found]
    width = total_discount(discount, horizon)
    ends = min(0.0, low) * width * (1.0 + 1e-12), max(0.0, high) * width * (1.0 + 1e-12)
    return mean_bound(returns, low=ends[0], high=ends[1], confidence=confidence, side=side, quantity=QUANTITY)


def _target_shares(target: ArrayLike, episodes: Sequence[Episode]) -> Floats:
    given = np.asarray(target)
    if given.ndim == 1 and given.dtype.kind in "iu":
        most = max((int(episode.actions.max(initial=0)) for episode in episodes), default=0)
        shares = np.zeros((len(given), max(most, int(given.max(initial=0))) + 1))
        acting = np.flatnonzero(given >= 0)
        shares[acting, given[acting]] = 1.0
        return shares
    shares = np.asarray(given, dtype=np.float64)
    if shares.ndim != 2 or not (shares >= 0.0).all() or (np.abs(shares.sum(axis=1) - 1.0) > 1e-9).any():
        raise ValueError(
            "target must hold one action (a whole number) for each state, or probabilities of shape (states, "
            "actions) that "
            f"sum to 1, got {given.dtype} of shape {given.shape}."
        )
    return shares


def _sums(
    episodes: Sequence[Episode], shares: Floats, reward_range: tuple[float, float], discount: float, horizon: int
) -> dict[str, Floats]:
    """Of every episode the two sums that cannot be negative; after the end rewards are 0."""
    low, high = min(0.0, reward_range[0]), max(0.0, reward_range[1])
    weights, rewards = weighted(episodes, shares, horizon)
    paid = weights * discount ** np.arange(horizon)
    return {"lower": (paid * (rewards - low)).sum(axis=1), "upper": (paid * (high - rewards)).sum(axis=1)}


def _ends(side: str) -> tuple[str, ...]:
    return ("lower", "upper") if side == "both" else (side,)


def _level(confidence: float, side: str) -> float:
    return math.log(len(_ends(side))) - math.log(failure_of(confidence))


def _value(means: dict[str, float], inputs: Any) -> float | tuple[float, float]:
    """Bounds on the value from bounds on the means of the two sums."""
    trivial = _trivial(inputs)
    found = {}
    if "lower" in means:
        found["lower"] = max(trivial[0], math.nextafter(trivial[0] + means["lower"], -math.inf))
    if "upper" in means:
        found["upper"] = min(trivial[1], math.nextafter(trivial[1] - means["upper"], math.inf))
    if inputs["side"] != "both":
        return found[inputs["side"]]
    return (min(found["lower"], found["upper"]), max(found["lower"], found["upper"]))


def _trivial(inputs: Any) -> tuple[float, float]:
    width = total_discount(float(inputs["discount"]), int(inputs["horizon"]))
    return min(0.0, float(inputs["low"])) * width, max(0.0, float(inputs["high"])) * width


def _record(value: Any, confidence: float, inputs: Any, witness: Any) -> Certificate:
    side = str(inputs["side"])
    ends = _trivial(inputs)
    shown = (
        f"between {number(value[0], 'lower')} and {number(value[1], 'upper')}"
        if side == "both"
        else f"at {'most' if side == 'upper' else 'least'} {number(value, side)}"
    )
    claim = (
        f"With confidence {confidence_percent(confidence)} the {QUANTITY} over "
        f"{plural(int(inputs['horizon']), 'step')} is "
        f"{shown} (from {plural(int(witness['episodes']), 'episode')} of another policy; doubly robust estimate "
        f"{number(float(inputs['estimate']), 'nearest')})."
    )
    trivial = ends if side == "both" else ends[0 if side == "lower" else 1]
    return BASIS.probable(
        confidence, claim, QUANTITY, "interval" if side == "both" else side, value, trivial, inputs, witness
    )


@rules.checker(RULE)
def check_off_policy_value(certificate: Certificate, data: Any = None) -> Derivation:
    """Test the stated ends themselves; with ``(episodes, target)`` the sums are derived again as well."""
    inputs, witness = certificate.inputs, certificate.witness
    side = check_choice(inputs["side"], "side", SIDES)
    if data is None and not set(_ends(side)) <= set(witness):
        raise CertificateError(f"{certificate.quantity}: more than {KEPT} episodes are not kept; give them as data.")
    sums = {end: np.asarray(witness[end], dtype=np.float64) for end in _ends(side) if end in witness}
    if data is not None:
        episodes, target = data
        shares = _target_shares(target, episodes)
        bounds, discount = (float(inputs["low"]), float(inputs["high"])), float(inputs["discount"])
        again = _sums(
            checked(episodes, int(inputs["horizon"]), bounds), shares, bounds, discount, int(inputs["horizon"])
        )
        if any(not np.allclose(again[end], sums[end], rtol=1e-9, atol=1e-12) for end in sums):
            raise CertificateError(f"{certificate.quantity}: these are not the episodes behind the certificate.")
        sums = {end: again[end] for end in _ends(side)}
    level, trivial = _level(certificate.confidence, side), _trivial(inputs)
    stated = dict(zip(_ends(side), certificate.value if isinstance(certificate.value, tuple) else (certificate.value,),
                      strict=True))  # fmt: skip
    for end, value in stated.items():
        mean = value - trivial[0] if end == "lower" else trivial[1] - value
        rejected = mean <= 0.0 or log_capital(sums[end], mean * (1.0 - 1e-9)) >= level
        if len(sums[end]) != int(witness["episodes"]) or (sums[end] < 0.0).any() or not rejected:
            raise CertificateError(f"{certificate.quantity}: the {end} end is not what the episodes prove.")
    return Derivation(certificate.value, record=_record(certificate.value, certificate.confidence, inputs, witness))
