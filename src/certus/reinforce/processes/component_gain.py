"""Whether an end component can be stayed in at a profit: the sign of its largest mean reward."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import linprog

from certus.reinforce.processes.pair_table import PairTable

Sign = Literal["gain", "loss", "nothing"]
UNSURE = 1e-9  # mean rewards below this share of the largest reward are not told from 0


class Gain(NamedTuple):
    """The sign, and the pairs of a cycle that earns it."""

    sign: Sign
    pairs: NDArray[np.int64]


def component_gain(table: PairTable, pairs: NDArray[np.int64]) -> Gain:
    """The sign of the largest mean reward of the given pairs, which form an end component.

    Rewards of one sign decide it. Else the linear program min g s.t. g + h(s) >= r + P h bounds the gain from above
    for any h that it finds, and its dual solution is a stationary distribution of pairs (Manne 1960).
    """
    rewards = table.rewards[pairs]
    rewards = rewards / max(float(np.max(np.abs(rewards), initial=0.0)), 1e-300)  # tolerances of HiGHS are absolute
    if (rewards <= 0.0).all():
        return Gain("loss" if (rewards < 0.0).any() else "nothing", pairs[rewards == 0.0])
    if (rewards >= 0.0).all():
        return Gain("gain", pairs[rewards > 0.0])
    states = np.unique(table.states[pairs])
    place = np.full(table.n_states, -1, dtype=np.int64)
    place[states] = np.arange(len(states))
    count = len(pairs)
    own = sparse.csr_array((np.ones(count), (np.arange(count), place[table.states[pairs]])), shape=(count, len(states)))
    moves = sparse.csr_array(table.rows[pairs])[:, states]
    left = sparse.hstack([sparse.csr_array(-np.ones((count, 1))), moves - own], format="csr")
    cost = np.append(1.0, np.zeros(len(states)))
    exact = dict.fromkeys(("primal_feasibility_tolerance", "dual_feasibility_tolerance"), 1e-10)  # as HiGHS can be
    found = linprog(cost, A_ub=left, b_ub=-rewards, bounds=(None, None), method="highs", options=exact)
    shares = -found.ineqlin.marginals
    if found.x[0] > UNSURE:
        return Gain("gain", pairs[shares > 1e-9])
    reached = (rewards + moves @ found.x[1:] - own @ found.x[1:]).max()
    if reached < -UNSURE:
        return Gain("loss", pairs[:0])
    support = pairs[shares > 1e-9]
    # Nothing better than a place in it to stay for nothing, which is found apart: all else in it loses.
    return Gain("loss" if (table.rewards[support] == 0.0).all() else "nothing", support)
