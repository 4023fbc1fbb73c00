"""Optimal values in rational arithmetic, by enumeration of all policies: slow, and beyond doubt."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from certus.reinforce import MDP

Row = dict[int, Fraction]
INF = Fraction(10**30)  # stands for infinity: larger than any value here


class NoLimit(Exception):
    """Rewards of a cycle sum to 0 without being 0."""


@dataclass
class SmallProcess:
    """A process in fractions: rows[s][k] belongs to the k-th action of s; fixed are the terminal values."""

    actions: list[list[int]]
    rows: list[list[Row]]
    rewards: list[list[Fraction]]
    fixed: dict[int, Fraction]
    discount: Fraction

    @property
    def size(self) -> int:
        return len(self.rows)

    def mdp(self, *, dense: bool = False) -> MDP:
        pairs = [(s, k) for s in range(self.size) for k in range(len(self.rows[s]))]
        matrix = np.zeros((len(pairs), self.size))
        for i, (s, k) in enumerate(pairs):
            for t, share in self.rows[s][k].items():
                matrix[i, t] = float(share)
        from scipy import sparse

        made = MDP.from_pairs(
            matrix if dense else sparse.csr_array(matrix),
            [float(self.rewards[s][k]) for s, k in pairs],
            float(self.discount),
            np.array([s for s, _ in pairs], dtype=int),
            np.array([self.actions[s][k] for s, k in pairs], dtype=int),
            terminal=sorted(self.fixed),
        )
        for state, value in self.fixed.items():
            made.pairs.fixed[state] = float(value)
        return made

    def policies(self) -> itertools.product:
        return itertools.product(*[range(max(1, len(rows))) for rows in self.rows])

    def policy_values(self, policy: tuple[int, ...]) -> list[Fraction]:
        rows = [{} if s in self.fixed else self.rows[s][policy[s]] for s in range(self.size)]
        paid = [Fraction(0) if s in self.fixed else self.rewards[s][policy[s]] for s in range(self.size)]
        return chain_values(rows, paid, self.fixed, self.discount)

    def optimum(self) -> list[Fraction]:
        return [max(column) for column in zip(*map(self.policy_values, self.policies()), strict=True)]


def chain_values(
    rows: list[Row], paid: list[Fraction], fixed: dict[int, Fraction], discount: Fraction
) -> list[Fraction]:
    """Values of a chain; without discount +INF and -INF (which wins) for classes that are left never."""
    size = len(rows)
    known = dict(fixed)
    if discount == 1:
        reach = [closure(rows, s) for s in range(size)]
        for s in range(size):
            recurrent = s not in fixed and all(s in reach[t] for t in reach[s])
            if recurrent:
                known[s] = class_value(rows, paid, sorted(reach[s]))
        for bad in (-INF, INF):
            for s in range(size):
                if s not in known and any(known.get(t) == bad for t in reach[s]):
                    known[s] = bad
    free = [s for s in range(size) if s not in known]
    matrix = [[Fraction(s == t) - discount * rows[s].get(t, Fraction(0)) for t in free] for s in free]
    right = [paid[s] + discount * sum(p * known[t] for t, p in rows[s].items() if t in known) for s in free]
    for s, value in zip(free, eliminate(matrix, right), strict=True):
        known[s] = value
    return [known[s] for s in range(size)]


def closure(rows: list[Row], start: int) -> set[int]:
    found, waiting = {start}, [start]
    while waiting:
        for t, share in rows[waiting.pop()].items():
            if share > 0 and t not in found:
                found.add(t)
                waiting.append(t)
    return found


def class_value(rows: list[Row], paid: list[Fraction], states: list[int]) -> Fraction:
    """0 where nothing is paid, else the sign of the stationary mean times INF."""
    if all(paid[s] == 0 for s in states):
        return Fraction(0)
    matrix = [[rows[t].get(s, Fraction(0)) - Fraction(s == t) for t in states] for s in states]
    matrix[-1] = [Fraction(1)] * len(states)
    stationary = eliminate(matrix, [Fraction(0)] * (len(states) - 1) + [Fraction(1)])
    mean = sum(share * paid[s] for share, s in zip(stationary, states, strict=True))
    if mean == 0:
        raise NoLimit
    return INF if mean > 0 else -INF


def eliminate(matrix: list[list[Fraction]], right: list[Fraction]) -> list[Fraction]:
    """Gauss-Jordan elimination."""
    size = len(right)
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for column in range(size):
        pivot = next(r for r in range(column, size) if rows[r][column] != 0)
        rows[column], rows[pivot] = rows[pivot], rows[column]
        rows[column] = [x / rows[column][column] for x in rows[column]]
        for r in range(size):
            if r != column and rows[r][column] != 0:
                factor = rows[r][column]
                rows[r] = [a - factor * b for a, b in zip(rows[r], rows[column], strict=True)]
    return [row[size] for row in rows]


def random_process(rng: np.random.Generator, *, discount: Fraction, most_states: int = 4) -> SmallProcess:
    """A process with ties, absorbing states, terminal states, states of one action; probabilities in quarters."""
    size = int(rng.integers(1, most_states + 1))
    n_actions = int(rng.integers(1, 4))
    terminals = {s for s in range(size) if rng.random() < 0.25}
    kind = rng.choice(["signs", "costs", "gains", "zeros"])
    low, high = {"signs": (-2, 3), "costs": (-2, 1), "gains": (0, 3), "zeros": (0, 1)}[str(kind)]
    actions, rows, rewards = [], [], []
    for s in range(size):
        mine = sorted(rng.choice(n_actions, size=int(rng.integers(1, n_actions + 1)), replace=False).tolist())
        mine = [] if s in terminals else mine
        actions.append(mine)
        rows.append([random_row(rng, size) for _ in mine])
        rewards.append([Fraction(int(rng.integers(low, high))) for _ in mine])
    fixed = {s: Fraction(int(rng.integers(-2, 3))) for s in terminals}
    return SmallProcess(actions, rows, rewards, fixed, discount)


def random_row(rng: np.random.Generator, size: int) -> Row:
    found: Row = {}
    pieces = int(rng.choice([1, 2, 4]))
    for _ in range(pieces):
        t = int(rng.integers(size))
        found[t] = found.get(t, Fraction(0)) + Fraction(1, pieces)
    return found
