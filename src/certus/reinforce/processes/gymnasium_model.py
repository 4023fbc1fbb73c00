"""The table ``P`` by which small environments of gymnasium show the process behind them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse


class Model(NamedTuple):
    """Pairs with their transitions; what each pays; the last state is the end."""

    states: NDArray[np.int64]
    actions: NDArray[np.int64]
    rows: sparse.csr_array
    paid: NDArray[np.float64]
    n_actions: int
    start: NDArray[np.float64] | None


def read(env: Any) -> Model:
    """The model of an environment, or of its ``P``."""
    inner = getattr(env, "unwrapped", env)
    table = inner if isinstance(inner, dict) else getattr(inner, "P", None)
    if not isinstance(table, dict):
        raise ValueError(
            f"env: {type(inner).__name__} does not show its transitions as a dictionary P[state][action].\n"
            "Hint: learn from it with QLearning, or build an MDP from arrays."
        )
    n_states = len(table)
    columns: list[int] = []
    shares: list[float] = []
    paid: list[float] = []
    lengths, states, actions = [0], [], []
    for state in range(n_states):
        if state not in table:
            raise ValueError(f"P: states must be numbered 0 .. {n_states - 1}; {state} is missing.")
        for action, outcomes in sorted(table[state].items()):
            for share, following, reward, ended in outcomes:
                columns.append(n_states if ended else int(following))
                shares.append(float(share))
                paid.append(float(reward))
            lengths.append(len(columns))
            states.append(state)
            actions.append(int(action))
    indices = (np.array(shares), np.array(columns, np.int32), np.array(lengths, np.int32))
    rows = sparse.csr_array(indices, shape=(len(states), n_states + 1))
    start = getattr(inner, "initial_state_distrib", None)
    return Model(
        np.array(states, np.int64),
        np.array(actions, np.int64),
        rows,
        np.array(paid),
        max(actions, default=-1) + 1,
        None if start is None else np.append(np.asarray(start, dtype=np.float64), 0.0),
    )
