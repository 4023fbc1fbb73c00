"""A directed graph without cycles over named nodes."""

from __future__ import annotations

import difflib
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

Pair = tuple[int, int]


class Dag:
    """Nodes with parents in order; inside, a node is its place in ``names``.

    Parameters
    ----------
    names : sequence of hashable
        The nodes.
    parents : sequence of sequences of int
        For every node the places of its parents.
    """

    def __init__(self, names: Sequence[Hashable], parents: Sequence[Sequence[int]]) -> None:
        self.names = tuple(names)
        self.parents = tuple(tuple(found) for found in parents)
        self.place = {name: place for place, name in enumerate(self.names)}
        self.order  # noqa: B018  refuses cycles

    @classmethod
    def of(cls, parents: Mapping[Any, Iterable[Any]], names: Iterable[Any] | None = None) -> Dag:
        """The graph of a mapping from nodes to their parents; nodes that are no key have none."""
        listed = list(parents) if names is None else list(names)
        place = {name: index for index, name in enumerate(listed)}
        for child in parents:
            if child not in place:
                raise ValueError(unknown_name(child, listed, "parents names the node"))
        found: list[tuple[int, ...]] = []
        for child in listed:
            given = parents.get(child, ())
            own = (given,) if isinstance(given, str) else tuple(given)
            for parent in own:
                if parent not in place:
                    raise ValueError(unknown_name(parent, listed, f"The parents of {child!r} name"))
            if len(set(own)) < len(own):
                raise ValueError(f"The parents of {child!r} must be named once each, got {list(own)!r}.")
            found.append(tuple(place[parent] for parent in own))
        return cls(listed, found)

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """For every node the places of its children."""
        found: list[list[int]] = [[] for _ in self.names]
        for child, parents in enumerate(self.parents):
            for parent in parents:
                found[parent].append(child)
        return tuple(map(tuple, found))

    @cached_property
    def edges(self) -> tuple[Pair, ...]:
        """All pairs (parent, child)."""
        return tuple((parent, child) for child, parents in enumerate(self.parents) for parent in parents)

    @cached_property
    def order(self) -> tuple[int, ...]:
        """Every node after its parents, early nodes first where there is a choice (Kahn 1962)."""
        missing = [len(parents) for parents in self.parents]
        found = [node for node, count in enumerate(missing) if count == 0]
        for node in found:
            for child in self.children[node]:
                missing[child] -= 1
                if missing[child] == 0:
                    found.append(child)
        if len(found) < len(self):
            raise ValueError(
                f"The graph must have no directed cycle, got {self._cycle(set(found))}.\n"
                "Hint: remove or turn one of these edges."
            )
        return tuple(found)

    def _cycle(self, sorted_out: set[int]) -> str:
        """A cycle among the nodes that no order could take, as text."""
        node = next(node for node in range(len(self)) if node not in sorted_out)
        seen: dict[int, int] = {}
        walk: list[int] = []
        while node not in seen:
            seen[node] = len(walk)
            walk.append(node)
            node = next(parent for parent in self.parents[node] if parent not in sorted_out)
        cycle = [*walk[seen[node] :], node][::-1]
        shown = [repr(self.names[member]) for member in cycle]
        if len(shown) > 20:
            shown = [*shown[:10], f"... {len(shown) - 20} more ...", *shown[-10:]]
        return " -> ".join(shown)

    def ancestors(self, nodes: Iterable[int]) -> set[int]:
        """The nodes and all from which a directed path leads to one of them."""
        return _reached(nodes, self.parents)

    def descendants(self, nodes: Iterable[int]) -> set[int]:
        """The nodes and all to which a directed path leads from one of them."""
        return _reached(nodes, self.children)

    def neighbors(self, node: int) -> tuple[int, ...]:
        """Parents and children."""
        return self.parents[node] + self.children[node]

    def markov_blanket(self, node: int) -> set[int]:
        """Parents, children, and the children's other parents."""
        found = set(self.neighbors(node))
        for child in self.children[node]:
            found.update(self.parents[child])
        return found - {node}

    @cached_property
    def moral_edges(self) -> frozenset[Pair]:
        """Pairs (smaller, larger) of nodes that are linked or have a child in common."""
        found: set[Pair] = set()
        for child, parents in enumerate(self.parents):
            family = sorted((child, *parents))
            found.update((a, b) for at, a in enumerate(family) for b in family[at + 1 :])
        return frozenset(found)

    @cached_property
    def skeleton(self) -> frozenset[Pair]:
        """The edges without their direction, as pairs (smaller, larger)."""
        return frozenset((min(edge), max(edge)) for edge in self.edges)

    @cached_property
    def v_structures(self) -> frozenset[tuple[int, int, int]]:
        """Triples (a, c, b) with a -> c <- b, a < b, and no edge between a and b."""
        return frozenset(
            (min(a, b), child, max(a, b))
            for child, parents in enumerate(self.parents)
            for at, a in enumerate(parents)
            for b in parents[at + 1 :]
            if (min(a, b), max(a, b)) not in self.skeleton
        )

    @cached_property
    def kind(self) -> str:
        """``"chain"``, ``"directed tree"``, ``"polytree"`` or ``"loopy"``; of several parts the least special one."""
        if all(len(parents) <= 1 for parents in self.parents):
            return "chain" if all(len(found) <= 1 for found in self.children) else "directed tree"
        return "polytree" if len(self.edges) == len(self) - self.components else "loopy"

    @cached_property
    def components(self) -> int:
        """How many parts are not linked with each other."""
        left, count = set(range(len(self))), 0
        while left:
            count += 1
            waiting = [left.pop()]
            while waiting:
                near = left.intersection(self.neighbors(waiting.pop()))
                left -= near
                waiting.extend(near)
        return count

    def places(self, names: Iterable[Any], what: str) -> list[int]:
        """Places of named nodes; a name that is unknown, or given twice, is an error."""
        found = []
        for name in names:
            if name not in self.place:
                raise ValueError(unknown_name(name, self.names, f"{what} names"))
            found.append(self.place[name])
        if len(set(found)) < len(found):
            raise ValueError(f"{what} must name each node once, got {[self.names[node] for node in found]!r}.")
        return found

    def mapping(self) -> dict[Any, tuple[Any, ...]]:
        """Every node's parents, by name."""
        return {
            name: tuple(self.names[parent] for parent in parents)
            for name, parents in zip(self.names, self.parents, strict=True)
        }


def _reached(nodes: Iterable[int], step: Sequence[Sequence[int]]) -> set[int]:
    found = set(nodes)
    waiting = list(found)
    while waiting:
        for node in step[waiting.pop()]:
            if node not in found:
                found.add(node)
                waiting.append(node)
    return found


def unknown_name(name: Any, known: Sequence[Any], start: str) -> str:
    """The message about a name that does not exist, with the nearest ones."""
    near = difflib.get_close_matches(str(name), [str(found) for found in known], n=3, cutoff=0.5)
    listed = near or [str(found) for found in known[:8]]
    more = ", ..." if not near and len(known) > 8 else ""
    return f"{start} {name!r}, which is no node of the network.\nHint: {'near names' if near else 'nodes'} are " + (
        f"{', '.join(map(repr, listed))}{more}."
    )


def as_names(names: Any) -> tuple[Any, ...]:
    """A name, or a sequence of names, as a tuple."""
    return tuple(names) if isinstance(names, list | tuple | set | frozenset) else (names,)
