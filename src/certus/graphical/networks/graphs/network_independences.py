"""What the graph of a Bayesian network says about independence."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

from certus.graphical.networks.graphs.dag import Dag, as_names
from certus.graphical.networks.graphs.network_lint import Finding, findings
from certus.graphical.networks.graphs.pattern import Pattern, equivalence_key, pattern_of
from certus.graphical.networks.graphs.separation_proof import Separation, find_open_path, prove_separation
from certus.guarantees.records import check_count

Names = str | Sequence[str]


class Independence(NamedTuple):
    """``a`` is independent of ``b`` given ``given``; all three are tuples of names."""

    a: tuple[str, ...]
    b: tuple[str, ...]
    given: tuple[str, ...]


class NetworkIndependences:
    """Separation, independences and equivalence of a network's graph."""

    _dag: Dag

    def separation(self, a: Names, b: Names, given: Names = (), *, max_paths: int = 1000) -> Separation:
        """Whether the graph separates a from b by given, and why.

        Parameters
        ----------
        a, b, given : str or sequence of str
            Nodes, none of them twice.
        max_paths : int, default=1000
            How many closed paths are listed at most.

        Returns
        -------
        Separation
            ``separated``, an open ``path``, or per path in ``blocks`` the node that closes it and the rule by which.
        """
        first, last = self._dag.places(as_names(a), "a"), self._dag.places(as_names(b), "b")
        return prove_separation(self._dag, first, last, self._dag.places(as_names(given), "given"), max_paths)

    def local_independences(self) -> list[Independence]:
        """Every node is independent of its non-descendants given its parents; nodes without any others are left out."""
        from certus.graphical.independence_maps import local_statements

        return [
            Independence(self._names_of([node]), self._names_of(others), self._names_of(parents))
            for node, others, parents in local_statements(self._dag)
        ]

    def global_independences(self) -> list[Independence]:
        """All pairs of nodes with all sets that separate them, of networks with at most 10 nodes."""
        nodes = range(len(self._dag))
        if len(nodes) > 10:
            raise ValueError(f"The network must have at most 10 nodes for this, got {len(nodes)}.")
        found = []
        for a, b in itertools.combinations(nodes, 2):
            rest = [node for node in nodes if node not in (a, b)]
            for size in range(len(rest) + 1):
                for given in itertools.combinations(rest, size):
                    if find_open_path(self._dag, {a}, {b}, set(given)) is None:
                        found.append(Independence(self._names_of([a]), self._names_of([b]), self._names_of(given)))
        return found

    def v_structures(self) -> list[tuple[str, str, str]]:
        """Triples (a, child, b) of two parents of a child that are not linked."""
        return [self._names_of(found) for found in sorted(self._dag.v_structures)]  # type: ignore[misc]

    def cpdag(self) -> Pattern:
        """What all equivalent graphs have in common: edges with a forced direction, and the others."""
        return pattern_of(self._dag)

    def equivalent(self, other: Any) -> bool:
        """Whether both graphs, over the same nodes, state the same independences."""
        if set(self._dag.names) != set(other.nodes):
            return False
        same_order = Dag.of(other._dag.mapping(), self._dag.names)
        return equivalence_key(self._dag) == equivalence_key(same_order)

    def unrolled(self, rows: int) -> Any:
        """The network of some rows and the parameters that they share.

        Parameters
        ----------
        rows : int
            How many copies of the nodes: ``"x[1]"`` is the first copy of ``x``.

        Returns
        -------
        BayesianNetwork
            A structure in which ``"theta[x]"``, the table of ``x``, is a parent of all copies of ``x``.
        """
        check_count(rows, "rows", 1)
        states: dict[str, Any] = {f"theta[{name}]": ("unknown",) for name in self._dag.names}
        parents: dict[str, list[str]] = {}
        for row in range(1, rows + 1):
            for name, own in self._dag.mapping().items():
                states[f"{name}[{row}]"] = self.states(name)  # type: ignore[attr-defined]
                parents[f"{name}[{row}]"] = [f"theta[{name}]", *(f"{parent}[{row}]" for parent in own)]
        return type(self)(parents, states)  # type: ignore[call-arg]

    def lint(self) -> list[Finding]:
        """What a builder of networks should look at: zeros, rows that are nearly certain or equal, useless states."""
        return findings(self)

    def _names_of(self, places: Sequence[int]) -> tuple[str, ...]:
        return tuple(str(self._dag.names[place]) for place in places)
