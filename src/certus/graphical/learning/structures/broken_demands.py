"""Sets of nodes of which shares of parent sets say what no network could: where a relaxation has circles."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

Cluster = tuple[int, ...]
Demand = tuple[Cluster, int]  # at least so many nodes of the cluster have fewer parents in it than that
Shares = Mapping[int, Sequence[tuple[set[int], float]]]  # parent sets of every node with their shares
VIOLATED = 1e-6
LARGEST = 8


def broken_demands(shares: Shares) -> list[Demand]:
    """Demands that the shares do not meet: circles of each node's largest share, and sets grown from small ones."""
    main = {node: max(own, key=lambda entry: entry[1])[0] for node, own in shares.items()}
    found: list[Demand] = [(circle, 1) for circle in circles(main)]
    found += _grown(shares, combinations(sorted(shares), 2), 1)
    for rank in (2, 3):
        families = {
            tuple(sorted((node, *chosen)))
            for node, own in shares.items()
            for parents, _ in own
            for chosen in combinations(sorted(parents), rank)
        }
        found += _grown(shares, sorted(families), rank)
    return list(dict.fromkeys(found))


def _grown(shares: Shares, seeds: Iterable[Cluster], rank: int) -> list[Demand]:
    """Clusters that break the demand of a rank, each a seed with the nodes that lower what counts for it."""
    found = []
    for seed in seeds:
        cluster, left = set(seed), counted(shares, set(seed), rank)
        while rank - VIOLATED <= left < rank + 1.0 and len(cluster) < LARGEST:
            near = {v for node in cluster for parents, _ in shares.get(node, ()) for v in parents} - cluster
            best = min(((counted(shares, cluster | {v}, rank), v) for v in near), default=(math.inf, -1))
            if best[0] > left + VIOLATED:
                break
            left, cluster = best[0], cluster | {best[1]}
        if left < rank - VIOLATED:
            found.append((tuple(sorted(cluster)), rank))
    return found


def counted(shares: Shares, cluster: set[int], rank: int) -> float:
    """The shares of parent sets with fewer members in the cluster, over its nodes: at least the rank in a network."""
    return sum(share for node in cluster for parents, share in shares.get(node, ()) if len(cluster & parents) < rank)


def circles(parents: Mapping[int, set[int]]) -> list[Cluster]:
    """The nodes of circles of arcs, one for every node that lies on a shortest one through it."""
    found = []
    for start in parents:
        before: dict[int, int] = {}
        waiting = [start]
        while waiting and start not in before:
            after = []
            for node in waiting:
                for parent in sorted(parents.get(node, ())):
                    if parent not in before:
                        before[parent] = node
                        after.append(parent)
            waiting = after
        if start in before:
            walk, node = [start], before[start]
            while node != start:
                walk.append(node)
                node = before[node]
            found.append(tuple(sorted(walk)))
    return list(dict.fromkeys(found))
