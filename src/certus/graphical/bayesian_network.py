"""Bayesian networks: a graph without cycles and a table of conditional probabilities per node."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from certus.base import RandomStateLike, register_part, resolve_seed
from certus.distributions import Factor
from certus.graphical import _native_calls
from certus.graphical.networks.drawing.network_picture import dot_of, svg_of
from certus.graphical.networks.graphs.dag import Dag, unknown_name
from certus.graphical.networks.graphs.network_independences import NetworkIndependences
from certus.graphical.networks.inference.exact_queries import rows_given
from certus.graphical.networks.inference.network_questions import NetworkQuestions
from certus.graphical.networks.tables.coded_columns import coded_rows, decoded_rows
from certus.graphical.networks.tables.conditional_tables import stored_tables, table_begins
from certus.guarantees.records import check_count

Floats = NDArray[np.float64]


@register_part("graphical")
class BayesianNetwork(NetworkIndependences, NetworkQuestions):
    """A Bayesian network over variables with finitely many states: ``P(x) = prod_v P(x_v | parents of v)``.

    Nothing about a network ever changes; what looks like a change gives a new one.

    Parameters
    ----------
    parents : dict of node to sequence of nodes
        For every node its parents, in the order of its table's axes. Nodes that are no key have none.
    states : dict of node to sequence of labels
        For every node its states: any distinct hashable labels, at least one. Its order is the order of ``nodes``.
    tables : dict of node to array-like, optional
        For every node P(node | parents), with an axis per parent in their order and the node's own axis last. Rows
        (over the last axis) that miss 1 by at most 1e-4 are divided by their sum and counted; others are refused.
        Without tables the network is a structure only.
    properties : dict, optional
        Texts that a file had about the network, its nodes and tables; kept and written again.

    Attributes
    ----------
    nodes : tuple of str
        The names, in the order of ``states``.
    edges : tuple of (str, str)
        All pairs (parent, child).
    n_entries : int
        Numbers in all tables.
    n_parameters : int
        Free ones among them: a row of m entries has m - 1.
    kind : {"chain", "directed tree", "polytree", "loopy"}
        What the graph is; of several parts the least special one.
    rescaled : dict of node to int
        Rows that had to be divided by their sum, for nodes that had any.

    Examples
    --------
    >>> from certus.graphical import BayesianNetwork
    >>> network = BayesianNetwork(
    ...     {"rain": [], "grass": ["rain"]},
    ...     {"rain": ["yes", "no"], "grass": ["wet", "dry"]},
    ...     {"rain": [0.2, 0.8], "grass": [[0.9, 0.1], [0.3, 0.7]]},
    ... )
    >>> network.n_entries, network.n_parameters, network.kind
    (6, 3, 'chain')
    >>> network.sample(3, random_state=0).shape
    (3, 2)
    """

    _state = ("_given_parents", "_labels", "_values", "properties")

    def __init__(
        self,
        parents: Mapping[str, Iterable[str]],
        states: Mapping[str, Iterable[Hashable]],
        tables: Mapping[str, Any] | None = None,
        *,
        properties: Mapping[str, Any] | None = None,
    ) -> None:
        self._labels = {name: _labels_of(name, given) for name, given in states.items()}
        self._dag = Dag.of(parents, list(self._labels))
        self._given_parents = self._dag.mapping()
        self.properties = dict(properties or {})
        self._stored = None
        if tables is not None:
            self._stored = stored_tables(self.nodes, list(self._labels.values()), self._dag.parents, tables)
        self._values = None if self._stored is None else self._stored.values

    def _restored(self) -> None:
        """Check what came from a file, and rebuild the rest."""
        names = list(self._labels)
        dag = Dag.of(self._given_parents, names)
        tables = None
        if self._values is not None:
            cards = [len(found) for found in self._labels.values()]
            begins = table_begins(cards, dag.parents)
            if self._values.shape != (begins[-1],):
                raise ValueError(f"the tables must have {begins[-1]} entries, got {self._values.shape}")
            shapes = [(*(cards[parent] for parent in dag.parents[node]), cards[node]) for node in range(len(names))]
            parts = np.split(self._values, begins[1:-1])
            tables = {name: part.reshape(shape) for name, part, shape in zip(names, parts, shapes, strict=True)}
        BayesianNetwork.__init__(self, self._given_parents, self._labels, tables, properties=self.properties)

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self._state}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._restored()

    # Structure.

    @property
    def nodes(self) -> tuple[str, ...]:
        return tuple(self._labels)

    @property
    def edges(self) -> tuple[tuple[str, str], ...]:
        names = self.nodes
        return tuple((names[parent], names[child]) for parent, child in self._dag.edges)

    @property
    def kind(self) -> str:
        return self._dag.kind

    @property
    def n_entries(self) -> int:
        return sum(self._rows_of(node) * len(self._labels[name]) for node, name in enumerate(self.nodes))

    @property
    def n_parameters(self) -> int:
        return sum(self._rows_of(node) * (len(self._labels[name]) - 1) for node, name in enumerate(self.nodes))

    def _rows_of(self, node: int) -> int:
        rows = 1
        for parent in self._dag.parents[node]:
            rows *= len(self._labels[self.nodes[parent]])
        return rows

    @property
    def rescaled(self) -> dict[str, int]:
        counts = () if self._stored is None else self._stored.rescaled
        return {name: count for name, count in zip(self.nodes, counts, strict=False) if count}

    def parents(self, v: str) -> tuple[str, ...]:
        """The parents of a node, in the order of its table's axes."""
        return self._given_parents[self._known(v)]

    def children(self, v: str) -> tuple[str, ...]:
        """The children of a node."""
        return self._named(self._dag.children[self._place(v)])

    def states(self, v: str) -> tuple[Any, ...]:
        """The labels of a node's states."""
        return self._labels[self._known(v)]

    def markov_blanket(self, v: str) -> tuple[str, ...]:
        """Parents, children, and the children's other parents: given them, nothing else tells about the node."""
        return self._named(sorted(self._dag.markov_blanket(self._place(v))))

    def ancestors(self, v: str) -> tuple[str, ...]:
        """The nodes from which a directed path leads to this one."""
        return self._named(sorted(self._dag.ancestors([self._place(v)]) - {self._place(v)}))

    def descendants(self, v: str) -> tuple[str, ...]:
        """The nodes to which a directed path leads from this one."""
        return self._named(sorted(self._dag.descendants([self._place(v)]) - {self._place(v)}))

    def topological_order(self) -> tuple[str, ...]:
        """The nodes, each after its parents."""
        return self._named(self._dag.order)

    def moral_edges(self) -> tuple[tuple[str, str], ...]:
        """Pairs of nodes that are linked or have a child in common: the moral graph."""
        names = self.nodes
        return tuple((names[a], names[b]) for a, b in sorted(self._dag.moral_edges))

    # Tables and rows.

    def table(self, v: str) -> Floats:
        """P(v | parents), read-only: an axis per parent, in their order, and the node's own last."""
        stored = self._need_tables()
        node = self._place(v)
        shape = [*(len(self._labels[parent]) for parent in self.parents(v)), len(self._labels[v])]
        return stored.values[stored.begins[node] : stored.begins[node + 1]].reshape(shape)

    def factor(self, v: str) -> Factor:
        """The table of a node as a factor of its parents and itself."""
        return Factor({name: self._labels[name] for name in (*self.parents(v), v)}, self.table(v))

    def joint(self) -> Factor:
        """The whole joint distribution, for small networks: the product of all tables."""
        cells = 1
        for found in self._labels.values():
            cells *= len(found)
        if cells > 2**24 or len(self.nodes) > 30:
            raise MemoryError(
                f"The joint table must have at most {2**24:,} cells and 30 nodes, got {cells:,} and {len(self.nodes)}."
            )
        product = Factor({name: self._labels[name] for name in self.nodes}, np.ones(cells))
        for name in self.topological_order():
            product = product * self.factor(name)
        return product

    def with_tables(self, tables: Mapping[str, Any]) -> BayesianNetwork:
        """The same structure with other tables; nodes that are not named keep theirs."""
        known = {} if self._stored is None else {name: self.table(name) for name in self.nodes}
        for name in tables:
            self._known(name)
        return BayesianNetwork(self._given_parents, self._labels, {**known, **tables}, properties=self.properties)

    def structure(self) -> BayesianNetwork:
        """The network without its tables."""
        return BayesianNetwork(self._given_parents, self._labels, properties=self.properties)

    def do(self, assignment: Mapping[str, Any]) -> BayesianNetwork:
        """The network under intervention: these nodes lose their parents and are in these states for sure."""
        parents, tables = dict(self._given_parents), {name: self.table(name) for name in self.nodes}
        for name, label in assignment.items():
            states = self.states(name)
            if label not in states:
                raise ValueError(f"The state of {name!r} must be one of {list(states)!r}, got {label!r}.")
            parents[name] = ()
            tables[name] = np.eye(len(states))[states.index(label)]
        return BayesianNetwork(parents, self._labels, tables, properties=self.properties)

    def sample(
        self, n: int, *, evidence: Mapping[str, Any] | None = None, random_state: RandomStateLike = None
    ) -> pl.DataFrame:
        """Draw rows from P(x | evidence): without evidence every node after its parents, else by the clique tree.

        Parameters
        ----------
        n : int
            How many.
        evidence : dict, optional
            What is known, as for `query`; the draws are exact and independent.
        random_state : None, int, RandomState or Generator, default=None
            The seed.

        Returns
        -------
        polars.DataFrame
            A column of labels per node.
        """
        count = check_count(n, "n")
        if evidence:
            codes = rows_given(self, self._evidence(evidence), count, resolve_seed(random_state))
            return decoded_rows(codes, self.nodes, list(self._labels.values()))
        order = np.array(self._dag.order, dtype=np.int64)
        codes = _native_calls.draw_network_rows(self._arrays, order, count, resolve_seed(random_state))
        return decoded_rows(codes, self.nodes, list(self._labels.values()))

    def row_log_probabilities(self, table: Any) -> Floats:
        """Give log P(row) of every row of a table without missing cells; -inf where the network cannot give the row.

        Parameters
        ----------
        table : polars or pandas frame, or dict of columns
            A column of labels for every node; others are left out.
        """
        codes = coded_rows(table, self.nodes, list(self._labels.values()))
        missing = np.argwhere(codes < 0)
        if len(missing):
            row, node = missing[0]
            raise ValueError(f"Rows must be complete, got a missing cell of {self.nodes[node]!r} in row {row}.")
        return _native_calls.network_row_likelihoods(self._arrays, codes)

    # Pictures.

    def to_svg(self, marginals: Mapping[str, Any] | None = None, evidence: Mapping[str, Any] | None = None) -> str:
        """Draw the graph, parents above children, as the text of an SVG file.

        Parameters
        ----------
        marginals : dict of node to array-like, optional
            Probabilities that are shown as bars, such as ``network.marginals(evidence)``.
        evidence : dict of node to state, optional
            Nodes that are marked as observed.
        """
        return svg_of(self, marginals, evidence)

    def to_dot(self) -> str:
        """The graph in the language of Graphviz."""
        return dot_of(self)

    def _repr_svg_(self) -> str | None:
        return self.to_svg() if len(self.nodes) <= 100 else None

    @cached_property
    def _arrays(self) -> Any:
        """The network as compiled code reads it."""
        stored = self._need_tables()
        return _native_calls.network_arrays(self._cards, self._dag.parents, stored.begins, stored.values)

    # Names.

    def _need_tables(self) -> Any:
        if self._stored is None:
            raise ValueError(
                "The network must have tables for this, got a structure only.\n"
                "Hint: with_tables(...) adds them, learn_tables(network, rows) learns them."
            )
        return self._stored

    def _known(self, name: str) -> str:
        if name not in self._labels:
            raise ValueError(unknown_name(name, self.nodes, "You ask for"))
        return name

    def _place(self, name: str) -> int:
        return self._dag.place[self._known(name)]

    def _named(self, places: Sequence[int]) -> tuple[str, ...]:
        names = self.nodes
        return tuple(names[place] for place in places)

    def __eq__(self, other: object) -> bool:
        """Equal nodes in the same order, parents, states and tables."""
        if not isinstance(other, BayesianNetwork):
            return NotImplemented
        same = list(self._labels.items()) == list(other._labels.items()) and self._given_parents == other._given_parents
        if not same or (self._stored is None) != (other._stored is None):
            return False
        return self._stored is None or np.array_equal(self._stored.values, other._need_tables().values)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        lacking = "" if self._stored is not None else ", without tables"
        return f"BayesianNetwork({len(self.nodes)} nodes, {len(self.edges)} edges, {self.kind}{lacking})"


def _labels_of(name: Any, given: Iterable[Hashable]) -> tuple[Hashable, ...]:
    if not isinstance(name, str) or not name:
        raise ValueError(f"The name of a node must be a string that is not empty, got {name!r}.")
    if isinstance(given, str):
        raise ValueError(f"The states of {name!r} must be a sequence of labels, got the string {given!r}.")
    labels = tuple(label.item() if isinstance(label, np.generic) else label for label in given)
    if not labels or len(set(labels)) < len(labels):
        raise ValueError(f"The states of {name!r} must be distinct labels, at least one, got {list(labels)!r}.")
    if any(label is None or label != label for label in labels):
        raise ValueError(f"The states of {name!r} must not be missing values, got {list(labels)!r}.")
    return labels
