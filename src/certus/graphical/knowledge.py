"""What is known about a network before any row is seen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from certus.graphical.networks.graphs.dag import Dag

Flags = NDArray[np.uint8]


@dataclass(frozen=True)
class Knowledge:
    """Arcs that a learned network must have or must not have.

    Parameters
    ----------
    required : iterable of (parent, child), default=()
        Arcs that every network has.
    forbidden : iterable of (parent, child), default=()
        Arcs that no network has.
    tiers : iterable of collections of nodes, default=()
        Groups in the order of time: no arc leads from a later one to an earlier one. Nodes in no group are free.
    max_parents : int or dict of node to int, default=None
        Most parents of every node, or of some.

    Examples
    --------
    >>> from certus.graphical import Knowledge, learn_structure
    >>> rows = {"rain": ["y", "y", "n", "n"] * 5, "wet": ["y", "y", "n", "n"] * 5}
    >>> learn_structure(rows, knowledge=Knowledge(tiers=[["rain"], ["wet"]])).network.edges
    (('rain', 'wet'),)
    """

    required: Iterable[tuple[str, str]] = ()
    forbidden: Iterable[tuple[str, str]] = ()
    tiers: Iterable[Iterable[str]] = ()
    max_parents: int | dict[str, int] | None = None

    def __post_init__(self) -> None:
        for name in ("required", "forbidden"):
            arcs = tuple((tuple(arc) if not isinstance(arc, str) else (arc,)) for arc in getattr(self, name))
            for arc in arcs:
                if len(arc) != 2 or arc[0] == arc[1]:
                    raise ValueError(f"{name} must hold pairs (parent, child) of two nodes, got {arc!r}.")
            object.__setattr__(self, name, arcs)
        groups = tuple((tier,) if isinstance(tier, str) else tuple(tier) for tier in self.tiers)
        listed = [node for tier in groups for node in tier]
        if len(set(listed)) < len(listed):
            raise ValueError(f"tiers must name each node once, got {listed!r}.")
        object.__setattr__(self, "tiers", groups)
        limits = list(self.max_parents.values()) if isinstance(self.max_parents, dict) else [self.max_parents]
        if any(most is not None and (isinstance(most, bool) or most != int(most) or most < 0) for most in limits):
            raise ValueError(f"max_parents must be a whole number of at least 0, or such by node, got {limits!r}.")
        if both := set(self.required) & set(self.forbidden):
            raise ValueError(f"An arc must not be required and forbidden, got {sorted(both)[0]!r}.")


class ArcRules:
    """Knowledge about the nodes of one table: which arcs may be, must be, and how many.

    Parameters
    ----------
    names : sequence of str
        The nodes.
    knowledge : Knowledge or None
        What is known.
    max_parents : int or None
        Most parents of every node.
    """

    def __init__(self, names: Sequence[str], knowledge: Knowledge | None, max_parents: int | None = None) -> None:
        known = Knowledge() if knowledge is None else knowledge
        if not isinstance(known, Knowledge):
            raise ValueError(f"knowledge must be a Knowledge or None, got {knowledge!r}.")
        self.names, nodes = tuple(names), len(names)
        dag = Dag(names, [()] * nodes)
        self.allowed: Flags = 1 - np.eye(nodes, dtype=np.uint8)  # [parent, child]
        self.required: Flags = np.zeros((nodes, nodes), dtype=np.uint8)
        tiers = [dag.places(tier, "tiers") for tier in known.tiers]
        for later in range(len(tiers)):
            for earlier in range(later):
                self.allowed[np.ix_(tiers[later], tiers[earlier])] = 0
        for arc in known.forbidden:
            self.allowed[tuple(dag.places(arc, "forbidden"))] = 0
        for arc in known.required:
            place = tuple(dag.places(arc, "required"))
            if not self.allowed[place]:
                raise ValueError(f"The required arc {arc!r} must not be forbidden, by tiers or alone.")
            self.required[place] = 1
        self.most = self._limits(known, max_parents, dag)
        Dag(names, self.required_parents())  # refuses required arcs in a circle

    def _limits(self, known: Knowledge, max_parents: int | None, dag: Dag) -> list[int]:
        nodes = len(self.names)
        most = [nodes - 1 if max_parents is None else min(max_parents, nodes - 1)] * nodes
        given = known.max_parents
        if isinstance(given, dict):
            for name, count in given.items():
                place = dag.places([name], "max_parents")[0]
                most[place] = min(most[place], count)
        elif given is not None:
            most = [min(own, given) for own in most]
        for node, own in enumerate(self.required_parents()):
            if most[node] < len(own):
                raise ValueError(
                    f"max_parents must leave room for the required parents of {self.names[node]!r}, got {most[node]} "
                    f"for {len(own)}."
                )
        return most

    def required_parents(self) -> list[list[int]]:
        """For every node the parents it must have."""
        return [np.flatnonzero(column).tolist() for column in self.required.T]

    def free_parents(self, node: int) -> list[int]:
        """The parents a node may have besides those it must have."""
        return np.flatnonzero(self.allowed[:, node] & (1 - self.required[:, node])).tolist()

    def fits(self, parents: Sequence[Sequence[int]]) -> bool:
        """Whether a network keeps all rules."""
        arcs = np.zeros_like(self.allowed)
        for child, own in enumerate(parents):
            arcs[list(own), child] = 1
        room = all(len(own) <= most for own, most in zip(parents, self.most, strict=True))
        return room and bool(((arcs <= self.allowed) & (arcs >= self.required)).all())
