"""How the optimal policy changes as rewards change along a line, exactly: parametric policy iteration."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from certus.reinforce import _native_calls
from certus.reinforce.evaluate import pairs_of
from certus.reinforce.evidence.residual_bounds import rounding
from certus.reinforce.evidence.total_reward_bounds import sure_to_end
from certus.reinforce.mdp import MDP
from certus.reinforce.processes.pair_table import PairTable
from certus.reinforce.processes.reward_forms import rewards_of
from certus.reinforce.solve import solve
from certus.reinforce.solvers.linear_solves import PolicySystem, policy_rewards

Floats = NDArray[np.float64]
Pairs = NDArray[np.int32]
EQUAL = 1e-9  # thetas nearer than this share of the range are one
SPARE = 4.0  # errors of advantages by which theta may miss a crossing
MOST_CHANGES = 100_000


class Change(NamedTuple):
    """At `theta` the best action of `state` changes."""

    theta: float
    state: int
    before: int
    after: int


@dataclass(frozen=True, eq=False)
class Breakpoints:
    """Where the optimal policy for R + theta D changes.

    Parameters
    ----------
    mdp : MDP
        The process.
    low, high : float
        The range of theta.
    thetas : array
        Where something changes, ascending.
    changes : list of Change
        What changes: (theta, state, before, after).
    policies : array of shape (len(thetas) + 1, S)
        The policy of every piece.
    unbounded_from : float or None
        Above it rewards can be collected for ever; only without discount.
    """

    mdp: MDP
    low: float
    high: float
    thetas: Floats
    changes: list[Change]
    policies: NDArray[np.int64]
    unbounded_from: float | None


def policy_breakpoints(mdp: MDP, direction: ArrayLike, low: float, high: float) -> Breakpoints:
    """Find every theta in [low, high] at which the optimal policy for the rewards R + theta D changes.

    A policy's values are a + theta b, so the advantage of every action is a line in theta; the first that rises
    above 0 ends the piece, and policy iteration on the slopes among equally good actions finds the policy of the
    next one.

    Parameters
    ----------
    mdp : MDP
        The process.
    direction : array of shape (S,), (S, A) or (A, S, S)
        D, in one of the forms of rewards; for one number per state that of terminal states counts too.
    low, high : float
        The range of theta.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.reinforce import GridWorld, policy_breakpoints
    >>> world = GridWorld(living_reward=0.0)
    >>> found = policy_breakpoints(world, (~world.terminal).astype(float), -0.1, -0.01)
    >>> found.thetas.round(4)
    array([-0.085 , -0.0448, -0.0274, -0.0221])
    """
    if not (np.isfinite([low, high]).all() and low < high):
        raise ValueError(f"low must be less than high and both finite, got {low!r} and {high!r}.")
    table, slopes = mdp.pairs, _slopes(mdp, direction)
    first = _with_rewards(mdp, table.rewards + low * slopes.rewards, table.fixed + low * slopes.fixed)
    pairs = pairs_of(mdp, solve(first, "policy-iteration").policy)
    if mdp.discount == 1.0 and not sure_to_end(table, pairs).all():
        raise ValueError(
            f"at theta={low:g} the best policy never ends.\nHint: begin where it does, or use a discount below 1."
        )
    walk = _Walk(mdp, table, slopes, EQUAL * (high - low))
    pairs, _ = walk.settle(pairs, low)
    thetas: list[float] = []
    changes: list[Change] = []
    policies = [walk.actions(pairs)]
    theta, end = low, None
    while len(changes) < MOST_CHANGES:
        theta = walk.first_crossing(pairs, theta)
        if theta > high:
            break
        after, ends = walk.settle(pairs, theta)
        if not ends:
            end = theta
            break
        moved = np.flatnonzero(after != pairs)
        before, now = walk.actions(pairs), walk.actions(after)
        changes += [Change(theta, int(s), int(before[s]), int(now[s])) for s in moved]
        if len(moved):
            thetas.append(theta)
            policies.append(now)
        pairs = after
    return Breakpoints(mdp, low, high, np.array(thetas), changes, np.array(policies), end)


def _slopes(mdp: MDP, direction: ArrayLike) -> PairTable:
    """The process with D for its rewards."""
    table = mdp.pairs
    shape = (mdp.n_actions, mdp.n_states)
    found = rewards_of(
        direction,
        table.rows,
        table.states,
        table.actions.astype(np.int64),
        table.terminal,
        shape,
        lambda s, a: f"{s}, {a}",
    )
    return replace(table, rewards=np.ascontiguousarray(found[0]), fixed=found[1], paid=None)


def _with_rewards(mdp: MDP, rewards: Floats, fixed: Floats) -> MDP:
    made = mdp.with_discount(mdp.discount)
    made.pairs = replace(mdp.pairs, rewards=rewards, fixed=fixed, paid=None)
    return made


class _Walk:
    """Policies along the line."""

    def __init__(self, mdp: MDP, table: PairTable, slopes: PairTable, apart: float) -> None:
        self._mdp, self._tables, self._apart = mdp, (table, slopes), apart
        self._held = tuple(each.native(mdp.discount) for each in self._tables)

    def actions(self, pairs: Pairs) -> NDArray[np.int64]:
        """The actions of a policy."""
        found = self._tables[0].actions[np.maximum(pairs, 0)].astype(np.int64)
        return np.where(pairs >= 0, found, -1)

    def _advantages(self, pairs: Pairs) -> tuple[Floats, Floats, list[float]]:
        """For every pair alpha and beta: its advantage over the policy is alpha + theta beta; and their errors.

        Values are off by at most the residual times the expected steps to the end.
        """
        table = self._tables[0]
        system = PolicySystem(table.chosen(pairs), table.terminal, self._mdp.discount)
        steps = system.solve(np.where(table.terminal, 0.0, 1.0), np.zeros(table.n_states))
        reach = 2.0 + 2.0 * float(np.max(steps, initial=0.0))
        found, errors = [], []
        for each, held in zip(self._tables, self._held, strict=True):
            values = system.solve(policy_rewards(each, pairs), each.fixed)
            worth = _native_calls.pair_values(held, values, len(each.rewards)) - values[each.states]
            residual = float(np.max(np.abs(worth[pairs[pairs >= 0]]), initial=0.0))
            size = float(np.max(np.abs(values), initial=0.0))
            errors.append(reach * (residual + rounding(each, self._mdp.discount, size)))
            worth[pairs[pairs >= 0]] = 0.0
            worth[np.abs(worth) <= errors[-1]] = 0.0
            found.append(worth)
        return found[0], found[1], errors

    def first_crossing(self, pairs: Pairs, theta: float) -> float:
        """The least theta above this one at which another action becomes better."""
        alpha, beta, _ = self._advantages(pairs)
        rising = beta > 0.0
        crossings = -alpha[rising] / beta[rising]
        beyond = crossings[crossings > theta + max(self._apart, 1e-12 * abs(theta))]
        return float(beyond.min(initial=np.inf))

    def settle(self, pairs: Pairs, theta: float) -> tuple[Pairs, bool]:
        """The policy that is best just above theta, from one that is best at theta; False if it never ends."""
        table = self._tables[0]
        for _ in range(1000):
            alpha, beta, errors = self._advantages(pairs)
            size = SPARE * (errors[0] + abs(theta) * errors[1]) + 2.0 * self._apart * beta
            better = np.flatnonzero((np.abs(alpha + theta * beta) <= size) & (beta > 0.0))
            if not better.size:
                break
            # The steepest pair of every state, the first of equals.
            order = better[np.lexsort((better, -beta[better], table.states[better]))]
            steepest = order[np.unique(table.states[order], return_index=True)[1]]
            pairs = pairs.copy()
            pairs[table.states[steepest]] = steepest
            if self._mdp.discount == 1.0 and not sure_to_end(table, pairs).all():
                return pairs, False
        return pairs, True
