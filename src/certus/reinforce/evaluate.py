"""Policies of a known process: their values, visits, actions, and the policy that values suggest."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from certus.reinforce import _native_calls
from certus.reinforce.mdp import MDP
from certus.reinforce.processes.pair_table import PairTable, compact
from certus.reinforce.solvers.linear_solves import PolicySystem

Floats = NDArray[np.float64]


def pairs_of(mdp: MDP, policy: ArrayLike) -> NDArray[np.int32]:
    """The pairs of a policy that is given by its action in every state; those of terminal states are not read."""
    actions = np.asarray(policy)
    if actions.shape != (mdp.n_states,) or actions.dtype.kind not in "iu":
        raise ValueError(
            f"policy must hold one action (a whole number) for each of the {mdp.n_states} states, got "
            f"{actions.dtype} of shape {actions.shape}."
        )
    table = mdp.pairs
    number = np.full((mdp.n_states, max(1, mdp.n_actions)), -1, dtype=np.int64)
    number[table.states, table.actions] = np.arange(len(table.actions))
    inside = (actions >= 0) & (actions < mdp.n_actions)
    found = np.where(inside, number[np.arange(mdp.n_states), np.where(inside, actions, 0)], -1)
    found[mdp.terminal] = -1
    missing = np.flatnonzero((found < 0) & ~mdp.terminal)
    if missing.size:
        state = int(missing[0])
        raise ValueError(
            f"policy: state {mdp.state_names[state]!r} has no action {int(actions[state])} "
            f"({missing.size} of {mdp.n_states} states).\nHint: mdp.available shows which actions a state has."
        )
    return found.astype(np.int32)


def action_values(mdp: MDP, values: ArrayLike) -> Floats:
    """Q(s, a) of values, of shape (S, A); NaN where a state does not have the action, and in terminal states."""
    table = mdp.pairs
    given = np.asarray(values, dtype=np.float64)
    if given.shape != (mdp.n_states,):
        raise ValueError(f"values must have the shape ({mdp.n_states},), got {given.shape}.")
    found = np.full((mdp.n_states, mdp.n_actions), np.nan)
    worth = _native_calls.pair_values(table.native(mdp.discount), given, len(table.rewards))
    found[table.states, table.actions] = worth
    return found


def greedy(mdp: MDP, values: ArrayLike) -> NDArray[np.int64]:
    """The actions that look best when next states have these values, the first of equals; -1 in terminal states."""
    worth = action_values(mdp, values)
    if not mdp.n_actions:
        return np.full(mdp.n_states, -1)
    return np.where(mdp.terminal, -1, np.argmax(np.where(np.isnan(worth), -np.inf, worth), axis=1))


def shares_of(mdp: MDP, policy: ArrayLike) -> Floats:
    """The probability of every pair under a policy: actions of shape (S,) or probabilities of shape (S, A)."""
    given = np.asarray(policy)
    table = mdp.pairs
    if given.ndim != 2:
        chosen = pairs_of(mdp, given)
        found = np.zeros(len(table.rewards))
        found[chosen[chosen >= 0]] = 1.0
        return found
    if given.shape != (mdp.n_states, mdp.n_actions):
        raise ValueError(
            f"policy must have the shape ({mdp.n_states},) or ({mdp.n_states}, {mdp.n_actions}), got {given.shape}."
        )
    shares = given.astype(np.float64)
    found = shares[table.states, table.actions]
    sums = np.bincount(table.states, found, minlength=mdp.n_states)
    wrong = (np.abs(sums - 1.0) > 1e-9) | (np.bincount(table.states, ~(found >= 0.0), minlength=mdp.n_states) > 0)
    bad = np.flatnonzero(wrong & ~mdp.terminal)
    if bad.size:
        state = int(bad[0])
        raise ValueError(
            f"policy: in state {mdp.state_names[state]!r} the probabilities of its actions must be at least 0 and "
            f"sum to 1, "
            f"got {shares[state].tolist()} ({bad.size} of {mdp.n_states} states).\n"
            "Hint: mdp.available shows which actions a state has."
        )
    return np.asarray(found / np.where(sums > 0.0, sums, 1.0)[table.states])


def induced(mdp: MDP, policy: ArrayLike) -> MDP:
    """The process that is left when a policy has chosen: one action in every state."""
    table = mdp.pairs
    shares = shares_of(mdp, policy)
    mix = sparse.csr_array((shares, (table.states, np.arange(len(shares)))), shape=(mdp.n_states, len(shares)))
    mix.eliminate_zeros()
    acting = np.flatnonzero(~mdp.terminal)
    rows = (mix @ table.rows)[acting]
    if sparse.issparse(rows):
        rows = compact(rows)
    made = MDP.__new__(MDP)
    made.__dict__.update(mdp.__dict__)
    made.n_actions, made.action_names = 1, ["policy"]
    made.pairs = PairTable(
        starts=np.append(0, np.cumsum(~mdp.terminal)).astype(np.int64),
        actions=np.zeros(len(acting), dtype=np.int32),
        rewards=(mix @ table.rewards)[acting],
        rows=rows,
        fixed=table.fixed,
        merged=max(table.longest_row, mdp.n_actions),
        largest=table.reward_size,
    )
    return made


def evaluate(mdp: MDP, policy: ArrayLike) -> Floats:
    """The values of a policy: U(s) = E[sum_t discount^t r_t | s, policy].

    Without discount a policy that is never sure to end is worth what it collects: 0 where nothing is paid any more,
    else +inf or -inf.

    Parameters
    ----------
    mdp : MDP
        The process.
    policy : array of shape (S,) or (S, A)
        Actions, or their probabilities.

    Returns
    -------
    ndarray of shape (S,)
        The values, by one linear system.

    Examples
    --------
    >>> from certus.reinforce import GridWorld, evaluate, solve
    >>> world = GridWorld(discount=0.9)
    >>> bool(abs(evaluate(world, solve(world).policy) - solve(world).values).max() < 1e-8)
    True
    """
    from certus.reinforce.solve import planned  # which evaluates policies by what is above

    return planned(induced(mdp, policy), "policy-iteration").values


def occupancy(mdp: MDP, policy: ArrayLike, start: ArrayLike | None = None) -> Floats:
    """How often each state that is not terminal is visited on average, visits at time t counting discount^t.

    Parameters
    ----------
    mdp : MDP
        The process.
    policy : array of shape (S,) or (S, A)
        Actions, or their probabilities.
    start : array of shape (S,), optional
        Where episodes begin; by default as the process says.
    """
    chain = induced(mdp, policy)
    first = mdp.start if start is None else np.asarray(start, dtype=np.float64)
    if first.shape != (mdp.n_states,):
        raise ValueError(f"start must have the shape ({mdp.n_states},), got {first.shape}.")
    pairs = np.where(mdp.terminal, -1, np.cumsum(~mdp.terminal) - 1).astype(np.int32)
    _require_end(chain, pairs)
    return PolicySystem(chain.pairs.chosen(pairs), mdp.terminal, mdp.discount).visits(first)


def _require_end(chain: MDP, pairs: Any) -> None:
    from certus.reinforce.evidence.total_reward_bounds import sure_to_end

    if chain.discount == 1.0 and not (sure := sure_to_end(chain.pairs, pairs)).all():
        state = chain.state_names[int(np.flatnonzero(~sure)[0])]
        raise ValueError(f"policy: from state {state!r} it is not sure to end, so visits have no limit.")
