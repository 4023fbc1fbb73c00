"""All directed graphs without cycles over a few nodes, and their classes of equivalence."""

from __future__ import annotations

import itertools

from certus.graphical.networks.graphs.dag import Dag
from certus.graphical.networks.graphs.pattern import equivalence_key

MOST = 5  # 29 281 graphs; 6 nodes have 3.8 millions


def enumerate_dags(n: int) -> list[dict[str, tuple[str, ...]]]:
    """Every directed graph without cycles over the nodes ``x1`` to ``xn``, as parents per node.

    Parameters
    ----------
    n : int
        How many nodes, at most 5.

    Examples
    --------
    >>> from certus.graphical import enumerate_dags
    >>> [len(enumerate_dags(n)) for n in (1, 2, 3, 4)]
    [1, 3, 25, 543]
    """
    return [dag.mapping() for dag in all_dags(n)]


def equivalence_classes(n: int) -> list[list[dict[str, tuple[str, ...]]]]:
    """The same graphs, those together that state the same independences: equal skeleton and v-structures.

    Parameters
    ----------
    n : int
        How many nodes, at most 5.

    Examples
    --------
    >>> from certus.graphical import equivalence_classes
    >>> sorted(map(len, equivalence_classes(3)))
    [1, 1, 1, 1, 2, 2, 2, 3, 3, 3, 6]
    """
    classes: dict[object, list[dict[str, tuple[str, ...]]]] = {}
    for dag in all_dags(n):
        classes.setdefault(equivalence_key(dag), []).append(dag.mapping())
    return list(classes.values())


def all_dags(n: int) -> list[Dag]:
    """Every directed graph without cycles over so many nodes."""
    if isinstance(n, bool) or not isinstance(n, int) or not 1 <= n <= MOST:
        raise ValueError(f"n must be a whole number from 1 to {MOST}, got {n!r}.")
    names = [f"x{place + 1}" for place in range(n)]
    pairs = list(itertools.combinations(range(n), 2))
    found = []
    for choice in itertools.product((0, 1, 2), repeat=len(pairs)):
        parents: list[list[int]] = [[] for _ in range(n)]
        for (a, b), direction in zip(pairs, choice, strict=True):
            if direction:
                parents[b if direction == 1 else a].append(a if direction == 1 else b)
        if _is_acyclic(parents):
            found.append(Dag(names, parents))
    return found


def _is_acyclic(parents: list[list[int]]) -> bool:
    left = set(range(len(parents)))
    while left:
        free = {node for node in left if not left.intersection(parents[node])}
        if not free:
            return False
        left -= free
    return True
