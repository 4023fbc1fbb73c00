"""All networks over a few nodes, and random tables of labels: oracles of learning."""

from __future__ import annotations

from functools import cache
from itertools import combinations, product

import numpy as np


@cache
def parent_lists(nodes: int) -> list[tuple[tuple[int, ...], ...]]:
    """The parents of every node in every graph without circles."""
    choices = [
        [own for size in range(nodes) for own in combinations([other for other in range(nodes) if other != node], size)]
        for node in range(nodes)
    ]
    return [parents for parents in product(*choices) if is_acyclic(parents)]


def is_acyclic(parents: tuple[tuple[int, ...], ...]) -> bool:
    """Whether nodes without parents can be taken away until none is left."""
    left = set(range(len(parents)))
    while left:
        free = {node for node in left if not left.intersection(parents[node])}
        if not free:
            return False
        left -= free
    return True


def random_table(seed: int, nodes: int, rows: int, most_states: int = 3) -> dict[str, list[str]]:
    """Labels that depend on each other: each column repeats an earlier one here and there."""
    rng = np.random.default_rng(seed)
    columns: list[np.ndarray] = []
    for node in range(nodes):
        states = int(rng.integers(1 if rows > 3 else 2, most_states + 1))
        fresh = rng.integers(0, states, size=rows)
        if node and rng.random() < 0.8:
            copied = columns[int(rng.integers(node))] % states
            fresh = np.where(rng.random(rows) < 0.7, copied, fresh)
        columns.append(fresh)
    return {f"v{node}": [f"s{code}" for code in column] for node, column in enumerate(columns)}
