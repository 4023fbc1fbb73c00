"""Loopy belief propagation: messages in a factor graph with cycles, until they stop changing (Pearl 1988)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from certus.graphical.networks.bounds.log_factors import log_factors

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class LoopyBeliefs:
    """Where the messages ended.

    Parameters
    ----------
    beliefs : list of ndarray
        Per variable the normalized product of its messages.
    rounds : int
        How many rounds were made.
    change : float
        The largest change of a message, as a probability, in the last round.
    converged : bool
        Whether that is at most the tolerance.
    """

    beliefs: list[Floats]
    rounds: int
    change: float
    converged: bool


def loopy_beliefs(
    plain: Any, *, schedule: str = "residual", damping: float = 0.0, max_iter: int = 500, tol: float = 1e-10
) -> LoopyBeliefs:
    """Send messages from factors to variables.

    The schedule is "parallel" (all from the messages of the last round), "sequential" (each from the present ones), or
    "residual" (in every round those first that changed most).
    """
    factors = log_factors(plain)
    cards = [int(count) for count in plain["states"]]
    edges = [(place, variable) for place, (scope, _table) in enumerate(factors) for variable in scope]
    messages = {edge: np.full(cards[edge[1]], -np.log(cards[edge[1]])) for edge in edges}
    homes: list[list[int]] = [[] for _ in cards]
    for place, variable in edges:
        homes[variable].append(place)
    residual = dict.fromkeys(edges, np.inf)
    change = np.inf if edges else 0.0
    rounds = 0
    while rounds < max_iter and change > tol:
        rounds += 1
        ordered = sorted(edges, key=lambda edge: -residual[edge]) if schedule == "residual" else edges
        source = dict(messages) if schedule == "parallel" else messages
        change = 0.0
        for edge in ordered:
            fresh = _message(factors[edge[0]], edge, source, homes)
            if damping:
                fresh = np.logaddexp(np.log1p(-damping) + fresh, np.log(damping) + messages[edge])
            residual[edge] = float(np.abs(np.exp(fresh) - np.exp(messages[edge])).max())
            change = max(change, residual[edge])
            messages[edge] = fresh
    beliefs = [_normalized(_incoming(v, None, messages, homes, card)) for v, card in enumerate(cards)]
    return LoopyBeliefs(beliefs, rounds, float(change), bool(change <= tol))


def _incoming(variable: int, but: int | None, messages: Any, homes: list[list[int]], card: int) -> Floats:
    """The product of the messages to a variable from all its factors but one."""
    found = np.zeros(card)
    for place in homes[variable]:
        if place != but:
            found = found + messages[place, variable]
    return found


def _normalized(found: Floats) -> Floats:
    return np.exp(found - logsumexp(found)) if found.max() > -np.inf else np.full(len(found), np.nan)


def _message(entry: Any, edge: tuple[int, int], messages: Any, homes: list[list[int]]) -> Floats:
    place, target = edge
    scope, table = entry
    for axis, variable in enumerate(scope):
        if variable != target:
            incoming = _incoming(variable, place, messages, homes, table.shape[axis])
            table = table + incoming.reshape([-1 if at == axis else 1 for at in range(table.ndim)])
    own = np.moveaxis(table, scope.index(target), 0).reshape(table.shape[scope.index(target)], -1)
    found = logsumexp(own, axis=1)
    top = logsumexp(found)
    return np.asarray(found - top) if top > -np.inf else np.full(len(found), -np.log(len(found)))
