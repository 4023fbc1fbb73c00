"""The ledger of learners that pay an average of the experts' losses."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from certus.guarantees.ledgers import Ledger, Line, Void
from certus.online.experts import regret_bounds as bounds

THEOREMS = {
    "online/hedge": "A Decision-Theoretic Generalization of On-Line Learning: Hedge (Freund, Schapire 1997)",
    "online/ada-hedge": "Follow the Leader If You Can, Hedge If You Must: AdaHedge (de Rooij et al. 2014)",
    "online/squint": "Second-order Quantile Methods for Experts: Squint (Koolen, van Erven 2015)",
}


def allocation_ledger(
    learner: str,
    settings: dict[str, Any],
    *,
    trials: int,
    outside: tuple[int, ...],
    account: Mapping[str, Any],
) -> Ledger:
    """The account; `outside` has the first trials with a loss below and above the declared range, or 0."""
    paid = float(account["paid"])
    if trials == 0:
        return Ledger(learner=learner, settings=settings, trials=0, loss=0.0)
    losses = np.asarray(account["losses"])
    best = int(losses.argmin())
    facts, bound = _bound(learner, settings, account, trials, best, outside)
    line = Line(
        loss=paid,
        comparator=float(losses[best]),
        bound=bounds.outward(bound),
        rule=learner,
        theorem=THEOREMS[learner],
        assumptions=("bounded-range",) if math.isfinite(settings["high"]) else (),
        facts=facts,
    )
    void = [
        Void("regret", trial, f"a loss is {side} the range [{settings['low']:g}, {settings['high']:g}]")
        for trial, side in zip(outside, ("below", "above"), strict=True)
        if trial
    ]
    return Ledger(learner=learner, settings=settings, trials=trials, loss=paid, lines=(line,), void=void)


def _bound(
    learner: str,
    settings: Mapping[str, Any],
    account: Mapping[str, Any],
    trials: int,
    best: int,
    outside: tuple[int, ...],
) -> tuple[dict[str, Any], float]:
    """What the theorem is evaluated on, and its value."""
    if learner == "online/ada-hedge":
        return {"gaps": account["gaps"]}, 2.0 * float(account["gaps"])
    if learner == "online/squint":
        scale = settings["high"] - settings["low"]
        facts = {"variance": float(account["variances"][best]), "prior": 1.0 / len(account["losses"]), "scale": scale}
        facts |= {"rates": settings["rates"], "shares": settings["shares"]}
        return facts, math.inf if any(outside) else scale * squint_bound(facts)
    low, high = settings["low"], settings["high"]
    experts, eta, squares = len(account["losses"]), settings["eta"], float(account["squares"])
    below, above = outside
    facts = {"eta": eta, "experts": experts, "trials": trials, "squares": squares, "width": high - low}
    facts["bounded"] = not (below or above)
    if below:
        return facts, math.inf
    second = bounds.second_order_hedge_bound(eta, experts, squares)
    first = bounds.hedge_bound(eta, experts, trials, high - low) if facts["bounded"] else math.inf
    return facts, min(first, second)


def squint_bound(facts: Mapping[str, Any]) -> float:
    """The largest regret R with prior sum_j share_j exp(eta_j R - eta_j^2 V) <= 1, by bisection from above."""
    rates, shares = np.asarray(facts["rates"]), np.asarray(facts["shares"])
    variance, prior = facts["variance"], facts["prior"]
    low, high = 0.0, float((rates * variance - np.log(prior * shares) / rates).min())
    for _ in range(200):
        middle = 0.5 * (low + high)
        if not low < middle < high:
            break
        powers = np.log(prior * shares) + rates * (middle - rates * variance)
        low, high = (low, middle) if np.logaddexp.reduce(powers) >= 0.0 else (middle, high)
    return high
