"""Graphs against distributions: I-maps, factorization, minimal and perfect maps."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from certus.distributions import Factor
from certus.graphical.equivalent_dags import MOST, all_dags
from certus.graphical.networks.graphs.dag import Dag, Pair
from certus.graphical.networks.graphs.pattern import Pattern, forced_edges, pattern_of
from certus.graphical.networks.graphs.separation_proof import find_open_path
from certus.graphical.networks.graphs.unsatisfied_statements import Sides, fewest_unsatisfied

Parents = Mapping[Any, Iterable[Any]]


def is_i_map(parents: Parents, joint: Factor, *, tolerance: float = 1e-9) -> bool:
    """Whether a graph states only independences that a joint distribution has.

    Parameters
    ----------
    parents : mapping of node to parents
        The graph over the variables of the joint distribution.
    joint : Factor
        The distribution.
    tolerance : float, default=1e-9
        How far probabilities may be from those of independence.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.distributions import Factor
    >>> from certus.graphical import is_i_map
    >>> coins = Factor({"a": [0, 1], "b": [0, 1]}, np.full((2, 2), 0.25))
    >>> is_i_map({}, coins), is_i_map({"b": ["a"]}, coins)
    (True, True)
    """
    dag = _over(parents, joint)
    return all(
        joint.independent((dag.names[node],), _named(dag, others), _named(dag, own), tolerance=tolerance)
        for node, others, own in local_statements(dag)
    )


def factorizes(parents: Parents, joint: Factor, *, tolerance: float = 1e-9) -> bool:
    """Whether a joint distribution is the product of ``P(v | parents of v)``: just if the graph is an I-map of it.

    Parameters
    ----------
    parents : mapping of node to parents
        The graph over the variables of the joint distribution.
    joint : Factor
        The distribution.
    tolerance : float, default=1e-9
        How far the product may be from the joint probabilities.
    """
    dag = _over(parents, joint)
    whole = joint.normalized()
    product: Factor = Factor({}, [1.0])
    for node, name in enumerate(dag.names):
        given = _named(dag, dag.parents[node])
        product = product * whole.marginal(*given, name).conditional(*given)
    return bool(np.abs(product.aligned(whole).values - whole.values).max() <= tolerance)


def minimal_i_map(joint: Factor, order: Sequence[Any]) -> dict[Any, tuple[Any, ...]]:
    """The I-map of an order from which no edge can be removed.

    Parameters
    ----------
    joint : Factor
        The distribution.
    order : sequence of names
        Each variable gets as parents the smallest set of earlier ones that makes it independent of the other earlier
        ones.

    Returns
    -------
    dict
        The parents of every variable.
    """
    if sorted(map(str, order)) != sorted(map(str, joint.names)) or len(set(order)) < len(order):
        raise ValueError(f"order must name each of {list(joint.names)!r} once, got {list(order)!r}.")
    found = {}
    for place, name in enumerate(order):
        before = tuple(order[:place])
        found[name] = next(
            chosen
            for size in range(place + 1)
            for chosen in itertools.combinations(before, size)
            if size == place or joint.independent((name,), tuple(v for v in before if v not in chosen), chosen)
        )
    return found


@dataclass(frozen=True)
class Statement:
    """``a`` and ``b`` are independent given ``given``, or are not."""

    a: Hashable
    b: Hashable
    given: tuple[Hashable, ...]
    independent: bool

    def __str__(self) -> str:
        condition = f" given {', '.join(map(str, self.given))}" if self.given else ""
        return f"{self.a} and {self.b} are {'in' if self.independent else ''}dependent{condition}"


@dataclass(frozen=True)
class PerfectMap:
    """The outcome of the search for a graph with exactly the independences of a distribution.

    Parameters
    ----------
    pattern : Pattern or None
        The class of all such graphs.
    parents : dict or None
        One of them.
    conflict : tuple of Statement
        If there is none: true statements about the distribution that no graph over its variables satisfies together.
        Of up to 5 variables they are as few as possible, so that any smaller part of them is satisfied by some graph.
        Of more variables they are those that the only candidate contradicts: every perfect map has the skeleton and
        the v-structures that it was built from.
    """

    pattern: Pattern | None
    parents: dict[Any, tuple[Any, ...]] | None
    conflict: tuple[Statement, ...]


def p_map(joint: Factor, *, tolerance: float = 1e-9) -> PerfectMap:
    """Search a perfect map with the joint table as oracle: skeleton, v-structures, forced directions, then every test.

    Parameters
    ----------
    joint : Factor
        A distribution of at most 8 variables.
    tolerance : float, default=1e-9
        How far probabilities may be from those of independence.
    """
    count = len(joint.names)
    if count > 8:
        raise ValueError(f"joint must have at most 8 variables, got {count}.")
    oracle: dict[Sides, bool] = {}
    separators: dict[tuple[int, int], tuple[int, ...]] = {}
    for a, b in itertools.combinations(range(count), 2):
        for given in _subsets([node for node in range(count) if node not in (a, b)]):
            names = tuple(joint.names[node] for node in given)
            holds = joint.independent((joint.names[a],), (joint.names[b],), names, tolerance=tolerance)
            oracle[a, b, given] = holds
            if holds:
                separators.setdefault((a, b), given)
    skeleton = frozenset(pair for pair in itertools.combinations(range(count), 2) if pair not in separators)
    colliders = frozenset(
        (a, child, b)
        for (a, b), separator in separators.items()
        for child in range(count)
        if child not in separator and {_pair(a, child), _pair(b, child)} <= skeleton
    )
    dag = _extension(joint.names, skeleton, forced_edges(count, skeleton, colliders))
    if dag is None:
        wrong = [(a, b, given) for (a, b), given in separators.items()]
    else:
        wrong = [
            (a, b, given)
            for (a, b, given), holds in oracle.items()
            if holds != (find_open_path(dag, {a}, {b}, set(given)) is None)
        ]
        if not wrong and is_i_map(dag.mapping(), joint, tolerance=tolerance):
            return PerfectMap(pattern_of(dag), dag.mapping(), ())
    if count <= MOST:
        wrong = fewest_unsatisfied([graph.parents for graph in all_dags(count)], oracle) or wrong
    return PerfectMap(None, None, tuple(_statement(joint, side, oracle[side]) for side in wrong))


def _extension(
    names: Sequence[Any], skeleton: frozenset[tuple[int, int]], directed: set[tuple[int, int]]
) -> Dag | None:
    """A graph with this skeleton and these directions; None if they contradict each other (Dor and Tarsi 1992)."""
    left = set(range(len(names)))
    near = {node: {a + b - node for a, b in skeleton if node in (a, b)} for node in left}
    parents: list[list[int]] = [[] for _ in names]
    while left:
        for node in sorted(left):
            own = near[node] & left
            out = any((node, other) in directed for other in own)
            free = {other for other in own if (other, node) not in directed}
            if not out and all(own - {other} <= near[other] for other in free):
                break
        else:
            return None
        parents[node] = sorted(near[node] & left)
        left.remove(node)
    return Dag(names, parents)


def _statement(joint: Factor, sides: Sides, independent: bool) -> Statement:
    a, b, given = sides
    return Statement(joint.names[a], joint.names[b], tuple(joint.names[node] for node in given), independent)


def local_statements(dag: Dag) -> list[tuple[int, tuple[int, ...], tuple[int, ...]]]:
    """Every node with its non-descendants that are no parents, if there are any, and its parents."""
    found = []
    for node, own in enumerate(dag.parents):
        others = set(range(len(dag))) - dag.descendants([node]) - set(own)
        if others:
            found.append((node, tuple(sorted(others)), own))
    return found


def _over(parents: Parents, joint: Factor) -> Dag:
    return Dag.of(parents, joint.names)


def _named(dag: Dag, nodes: Iterable[int]) -> tuple[Any, ...]:
    return tuple(dag.names[node] for node in nodes)


def _subsets(nodes: Sequence[int]) -> Iterable[tuple[int, ...]]:
    return itertools.chain.from_iterable(itertools.combinations(nodes, size) for size in range(len(nodes) + 1))


def _pair(a: int, b: int) -> Pair:
    return (a, b) if a < b else (b, a)
