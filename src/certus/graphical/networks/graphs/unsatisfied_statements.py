"""The fewest statements about (in)dependence that no directed graph satisfies together, by all graphs there are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, milp

Sides = tuple[int, int, tuple[int, ...]]  # two nodes, and what is given
Masks = NDArray[np.uint8]


def fewest_unsatisfied(graphs: Sequence[Sequence[Sequence[int]]], oracle: Mapping[Sides, bool]) -> list[Sides]:
    """Statements of an oracle that no graph satisfies together, and of which any smaller part is satisfied by some.

    Every graph contradicts at least one of them: they are a smallest set that meets the contradicted statements of
    each graph. Empty if a graph satisfies all.

    Parameters
    ----------
    graphs : sequence
        For every graph the parents of each of its nodes; at most 8 nodes.
    oracle : mapping
        Whether two nodes are independent given others.
    """
    parents = np.array([[sum(1 << p for p in own) for own in graph] for graph in graphs], dtype=np.uint8)
    sides = list(oracle)
    wrong = np.column_stack([_separated(parents, *side) != oracle[side] for side in sides])
    wrong = _smallest(np.unique(wrong, axis=0))
    if not wrong[0].any():
        return []
    found = milp(
        np.ones(len(sides)),
        constraints=LinearConstraint(wrong.astype(np.float64), lb=1.0),
        integrality=np.ones(len(sides)),
        bounds=Bounds(0, 1),
    )
    chosen = np.round(found.x) > 0
    for place in np.flatnonzero(chosen):  # nothing that the solver's tolerance left over
        chosen[place] = False
        chosen[place] = not (wrong & chosen).any(axis=1).all()
    return [side for side, used in zip(sides, chosen, strict=True) if used]


def _separated(parents: Masks, a: int, b: int, given: tuple[int, ...]) -> NDArray[np.bool_]:
    """Whether two nodes are in different parts of the moral graph of all ancestors without what is given."""
    count = parents.shape[1]
    closed = sum(1 << node for node in given)
    above = np.full(len(parents), (1 << a) | (1 << b) | closed, dtype=np.uint8)
    for _ in range(count - 1):
        for node in range(count):
            above |= np.where(above >> node & 1, parents[:, node], 0).astype(np.uint8)
    linked = np.zeros_like(parents)
    for node in range(count):
        family = np.where(above >> node & 1, parents[:, node] | (1 << node), 0).astype(np.uint8)
        for member in range(count):
            linked[:, member] |= np.where(family >> member & 1, family, 0).astype(np.uint8)
    reached = np.full(len(parents), 1 << a, dtype=np.uint8)
    for _ in range(count - 1):
        for node in range(count):
            if node not in given:
                reached |= np.where(reached >> node & 1, linked[:, node], 0).astype(np.uint8)
    return (reached >> b & 1) == 0


def _smallest(rows: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The rows that contain no other one: whoever meets them meets all."""
    left = rows[np.argsort(rows.sum(axis=1), kind="stable")]
    kept = []
    while len(left):
        first = left[0]
        kept.append(first)
        left = left[(first & ~left).any(axis=1)]
    return np.array(kept)
