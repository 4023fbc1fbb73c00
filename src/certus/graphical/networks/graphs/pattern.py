"""What all equivalent graphs have in common: skeleton, v-structures, and the edges that they force."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from certus.graphical.networks.graphs.dag import Dag, Pair


@dataclass(frozen=True)
class Pattern:
    """A completed partially directed graph (CPDAG): one object per class of equivalent graphs.

    Parameters
    ----------
    directed : frozenset of (str, str)
        Edges (parent, child) that have this direction in every member.
    undirected : frozenset of frozenset of str
        Edges that have either direction in some member.
    """

    directed: frozenset[tuple[Any, Any]]
    undirected: frozenset[frozenset[Any]]


def pattern_of(dag: Dag) -> Pattern:
    """The pattern of a graph: its v-structures, and what they force (Meek 1995)."""
    compelled = forced_edges(len(dag), dag.skeleton, dag.v_structures)
    names = dag.names
    free = {edge for edge in dag.skeleton if edge not in compelled and edge[::-1] not in compelled}
    return Pattern(
        frozenset((names[a], names[b]) for a, b in compelled),
        frozenset(frozenset((names[a], names[b])) for a, b in free),
    )


def forced_edges(nodes: int, skeleton: frozenset[Pair], v_structures: frozenset[tuple[int, int, int]]) -> set[Pair]:
    """Directed edges of v-structures, and those that another direction would turn into a new one or a cycle."""
    near: list[set[int]] = [set() for _ in range(nodes)]
    for a, b in skeleton:
        near[a].add(b)
        near[b].add(a)
    found: set[Pair] = set()
    for a, child, b in v_structures:
        found |= {(a, child), (b, child)}
    free = {edge for pair in skeleton for edge in (pair, pair[::-1]) if edge not in found and edge[::-1] not in found}
    changed = True
    while changed:
        changed = False
        for a, b in sorted(free):
            if (a, b) in free and _forces(a, b, near, found, free):
                found.add((a, b))
                free -= {(a, b), (b, a)}
                changed = True
    return found


def _forces(a: int, b: int, near: list[set[int]], found: set[Pair], free: set[Pair]) -> bool:
    """Meek's rules 1 to 3 for the edge a - b."""
    if any((c, a) in found and c not in near[b] for c in near[a]):
        return True
    if any((a, c) in found and (c, b) in found for c in near[a] & near[b]):
        return True
    above = [c for c in near[a] & near[b] if (a, c) in free and (c, b) in found]
    return any(d not in near[c] for at, c in enumerate(above) for d in above[at + 1 :])


def equivalence_key(dag: Dag) -> tuple[frozenset[Pair], frozenset[tuple[int, int, int]]]:
    """Graphs are equivalent if and only if this is the same (Verma and Pearl 1990)."""
    return dag.skeleton, dag.v_structures
