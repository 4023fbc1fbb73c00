"""Slow readable twins of votes and of allocations."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.guarantees import Ledger
from certus.guarantees.ledgers import twin
from certus.online.experts.allocation_ledger import allocation_ledger
from certus.online.experts.vote_learner import vote_ledger
from certus.online.experts.weighted_majority import uniforms


@twin("online/votes")
def replay_votes(settings: Mapping[str, Any], data: Any) -> Ledger:
    """The account of a vote over (advice, labels), with weights as exact fractions of the declared beta."""
    advice, labels = (np.asarray(part, dtype=np.int64) for part in data)
    wrong, mistakes, expected = np.zeros(advice.shape[1], dtype=np.int64), 0, 0.0
    for trial, (votes, label) in enumerate(zip(advice, labels, strict=True)):
        chance = _share_of_ones(votes, wrong - wrong.min(), settings["beta"])
        if settings["randomized"]:
            said = int(uniforms(settings["seed"], np.array([trial]))[0] < float(chance))
        else:
            said = int(2 * chance >= 1)
        mistakes += said != label
        expected += 1.0 - float(chance) if label else float(chance)
        wrong += votes != label
    told = {"experts": len(wrong), "fewest": int(wrong.min())}
    return vote_ledger(dict(settings), trials=len(labels), mistakes=mistakes, expected=expected, **told)


def _share_of_ones(votes: NDArray[np.int64], behind: NDArray[np.int64], beta: float) -> Fraction:
    """Weights far below the largest, which no sum in double sees, are left out."""
    visible = 1 if beta == 0.0 else math.ceil(745.0 / -math.log(beta)) + 1
    ones, total = Fraction(0), Fraction(0)
    for level in np.unique(behind[behind < visible]).tolist():
        weight = Fraction(beta) ** level if level else Fraction(1)
        here = votes[behind == level]
        ones, total = ones + weight * int(here.sum()), total + weight * len(here)
    return ones / total


@twin("online/hedge")
def replay_hedge(settings: Mapping[str, Any], data: Any) -> Ledger:
    """The account of Hedge over a table of losses."""
    table = np.asarray(data, dtype=np.float64)
    total, paid, squares = np.zeros(table.shape[1]), 0.0, 0.0
    for lost in table:
        v = np.exp(-settings["eta"] * (total - total.min()))
        v /= v.sum()
        paid += v @ lost
        squares += v @ (lost - settings["low"]) ** 2
        total += lost
    return _ledger("online/hedge", settings, table, {"paid": paid, "losses": total, "squares": squares})


@twin("online/ada-hedge")
def replay_ada_hedge(settings: Mapping[str, Any], data: Any) -> Ledger:
    """The account of AdaHedge over a table of losses: each gap from the weights of its own trial."""
    table = np.asarray(data, dtype=np.float64)
    total, paid, gaps, n = np.zeros(table.shape[1]), 0.0, 0.0, table.shape[1]
    for lost in table:
        behind = total - total.min()
        if gaps > 0.0:
            eta = math.log(n) / gaps
            v = np.exp(-eta * behind) / np.exp(-eta * behind).sum()
            least = lost.min()
            mixed = least - math.log(v @ np.exp(-eta * (lost - least))) / eta
        else:
            v = (behind == 0) / (behind == 0).sum()
            mixed = (total + lost).min() - total.min()
        paid += v @ lost
        gaps += max(0.0, v @ lost - mixed)
        total += lost
    return _ledger("online/ada-hedge", settings, table, {"paid": paid, "losses": total, "gaps": gaps})


@twin("online/squint")
def replay_squint(settings: Mapping[str, Any], data: Any) -> Ledger:
    """The account of Squint over a table of losses."""
    table = np.asarray(data, dtype=np.float64)
    rates, shares = (np.asarray(settings[name]) for name in ("rates", "shares"))
    scale = settings["high"] - settings["low"]
    regrets, variances, paid = np.zeros(table.shape[1]), np.zeros(table.shape[1]), 0.0
    for lost in table:
        powers = rates * (regrets[:, None] - rates * variances[:, None])
        v = (shares * rates * np.exp(powers - powers.max())).sum(axis=1)
        v /= v.sum()
        instant = (v @ lost - lost) / scale
        paid, regrets, variances = paid + v @ lost, regrets + instant, variances + instant**2
    account = {"paid": paid, "losses": table.sum(axis=0), "regrets": regrets, "variances": variances}
    return _ledger("online/squint", settings, table, account)


def _ledger(learner: str, settings: Mapping[str, Any], table: NDArray[np.float64], account: dict[str, Any]) -> Ledger:
    outside = [
        int(np.argmax(bad)) + 1 if (bad := side.any(axis=1)).any() else 0
        for side in (table < settings["low"], table > settings["high"])
    ]
    return allocation_ledger(learner, dict(settings), trials=len(table), outside=tuple(outside), account=account)
