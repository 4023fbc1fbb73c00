"""Networks with continuous nodes: linear means and normal noise, also given the states of discrete parents."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from certus.base import RandomStateLike, register_part, resolve_seed
from certus.graphical.bayesian_network import BayesianNetwork
from certus.graphical.linear_normal import LinearNormal
from certus.graphical.networks.graphs.dag import Dag, as_names, unknown_name
from certus.graphical.networks.normals.mixed_posterior import MixedPosterior
from certus.graphical.networks.normals.mixed_queries import MixedQuestion, mixed_draws, mixed_posterior, read_mixed
from certus.graphical.networks.normals.mixed_rows import row_log_densities
from certus.graphical.networks.tables.coded_columns import columns_of, decoded_rows
from certus.guarantees.records import check_count

Floats = NDArray[np.float64]
Given = Mapping[str, Any] | None


@register_part("graphical")
class ConditionalGaussianNetwork:
    """A Bayesian network with continuous nodes: given its parents, each is normal around a linear mean.

    A continuous node may have parents of both kinds, ``N(intercept[u] + coefficients[u] @ x, variance[u])`` with the
    states ``u`` of its discrete parents and the values ``x`` of the continuous ones; a discrete node has discrete
    parents only. Without discrete nodes all values together are normal. Nothing about a network ever changes.

    Parameters
    ----------
    parents : dict of node to sequence of nodes
        For every node its parents; nodes that are no key have none.
    states : dict of node to sequence of labels
        The discrete nodes.
    tables : dict of node to array-like, optional
        For every discrete node P(node | parents), as for `BayesianNetwork`.
    normals : dict of node to LinearNormal, or sequence of nodes
        The continuous nodes; names alone make a structure, whose numbers `learn_gaussians` finds.

    Attributes
    ----------
    nodes : tuple of str
        Discrete nodes, then continuous ones.
    discrete, continuous : tuple of str
        The nodes of each kind.
    edges : tuple of (str, str)
        All pairs (parent, child).
    discrete_part : BayesianNetwork
        The discrete nodes as a network of their own.
    n_parameters : int
        Free numbers: of tables, intercepts, coefficients and variances.

    Examples
    --------
    >>> from certus.graphical import ConditionalGaussianNetwork, LinearNormal
    >>> network = ConditionalGaussianNetwork(
    ...     {"size": ["kind"], "weight": ["size"]},
    ...     {"kind": ["cat", "dog"]},
    ...     {"kind": [0.5, 0.5]},
    ...     {"size": LinearNormal([25.0, 50.0], (), [4.0, 100.0]), "weight": LinearNormal(-2.0, [0.3], 1.0)},
    ... )
    >>> print(network.query("kind", {"weight": 8.0}).values.round(3))
    [0.487 0.513]
    >>> print(network.query("weight", {"kind": "dog"}).mean)
    [13.]
    """

    _state = ("_given_parents", "_discrete_part", "_continuous", "_numbers")

    def __init__(
        self,
        parents: Mapping[str, Iterable[str]],
        states: Mapping[str, Iterable[Hashable]],
        tables: Mapping[str, Any] | None = None,
        normals: Mapping[str, LinearNormal] | Iterable[str] = (),
    ) -> None:
        labels = {name: tuple(given) if not isinstance(given, str) else given for name, given in states.items()}
        self._continuous = tuple(normals)
        _check_names(self._continuous, labels)
        self._nodes: tuple[str, ...] = (*labels, *self._continuous)
        self._dag = Dag.of(parents, self._nodes)
        self._given_parents = self._dag.mapping()
        _check_kinds(self._given_parents, self._continuous)
        own = {name: self._given_parents[name] for name in labels}
        if isinstance(normals, Mapping) and labels and tables is None:
            raise ValueError("tables must hold a table for every discrete node, got none.")
        self._discrete_part = BayesianNetwork(own, labels, tables if labels else None)
        self._normals: dict[str, LinearNormal] = {}
        for name, given in normals.items() if isinstance(normals, Mapping) else ():
            if not isinstance(given, LinearNormal):
                raise TypeError(f"The distribution of {name!r} must be a LinearNormal, got {given!r}.")
            self._normals[name] = given.spread(name, *self._shape(name))
        self._numbers = self._flat()

    def _shape(self, name: str) -> tuple[list[int], int]:
        """The states of the discrete parents, and how many continuous ones there are."""
        parents = self._given_parents[name]
        cards = [len(self.states(parent)) for parent in parents if parent not in self._continuous]
        if math.prod(cards) > 2**32:
            raise MemoryError(f"The parents of {name!r} must have fewer states together, got {math.prod(cards):,}.")
        return cards, len(parents) - len(cards)

    def _flat(self) -> Floats:
        """All numbers of the normals, node by node: intercepts, coefficients, variances."""
        found = [np.ravel(part) for normal in self._normals.values() for part in _parts_of(normal)]
        return np.concatenate([*found, np.empty(0)])

    def _restored(self) -> None:
        """Check what came from a file, and rebuild the rest."""
        part, numbers, at = self._discrete_part, np.asarray(self._numbers, dtype=np.float64), 0
        self._dag = Dag.of(self._given_parents, [*part.nodes, *self._continuous])
        normals: Any = self._continuous
        if numbers.size:
            normals = {}
            for name in self._continuous:
                cards, linked = self._shape(name)
                rows, fields = math.prod(cards), []
                for shape in (tuple(cards), (*cards, linked), tuple(cards)):
                    size = rows * linked if len(shape) > len(cards) else rows
                    if at + size > numbers.size:
                        raise ValueError(f"the normals must have more than {numbers.size} numbers")
                    fields.append(numbers[at : at + size].reshape(shape))
                    at += size
                normals[name] = LinearNormal(*fields)
        if at != numbers.size:
            raise ValueError(f"the normals must have {at} numbers, got {numbers.size}")
        labels = {name: part.states(name) for name in part.nodes}
        tables = {name: part.table(name) for name in part.nodes} if part._stored is not None else None
        ConditionalGaussianNetwork.__init__(self, self._given_parents, labels, tables, normals)

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self._state}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._restored()

    # Structure.

    @property
    def discrete(self) -> tuple[str, ...]:
        return self._discrete_part.nodes

    @property
    def continuous(self) -> tuple[str, ...]:
        return self._continuous

    @property
    def nodes(self) -> tuple[str, ...]:
        return self._nodes

    @property
    def edges(self) -> tuple[tuple[str, str], ...]:
        return tuple((parent, child) for child, own in self._given_parents.items() for parent in own)

    @property
    def discrete_part(self) -> BayesianNetwork:
        return self._discrete_part

    @property
    def n_parameters(self) -> int:
        shapes = [self._shape(name) for name in self._continuous]
        return self._discrete_part.n_parameters + sum(math.prod(cards) * (linked + 2) for cards, linked in shapes)

    def parents(self, v: str) -> tuple[str, ...]:
        """The parents of a node, in order."""
        return self._given_parents[self._known(v)]

    def children(self, v: str) -> tuple[str, ...]:
        """The children of a node."""
        return tuple(self.nodes[child] for child in self._dag.children[self._dag.place[self._known(v)]])

    def states(self, v: str) -> tuple[Any, ...]:
        """The labels of a discrete node's states."""
        if v in self._continuous:
            raise ValueError(f"{v!r} must be a discrete node to have states, got a continuous one.")
        return self._discrete_part.states(v)

    def table(self, v: str) -> Floats:
        """P(v | parents) of a discrete node."""
        return self._discrete_part.table(v)

    def normal(self, v: str) -> LinearNormal:
        """The distribution of a continuous node given its parents, with all axes written out."""
        if self._known(v) not in self._normals:
            what = "a structure only" if v in self._continuous else "a discrete node"
            raise ValueError(f"{v!r} must be a continuous node with a distribution, got {what}.")
        return self._normals[v]

    def topological_order(self) -> tuple[str, ...]:
        """The nodes, each after its parents."""
        return tuple(self._ranks)

    @cached_property
    def _ranks(self) -> dict[str, int]:
        """Where every node stands in the topological order."""
        return {self.nodes[place]: rank for rank, place in enumerate(self._dag.order)}

    # Questions.

    def query(
        self, targets: str | Sequence[str], evidence: Given = None, *, max_cells: int | None = None
    ) -> MixedPosterior:
        """P(targets | evidence), exactly: jointly for several targets of both kinds.

        Parameters
        ----------
        targets : str or sequence of str
            The nodes.
        evidence : dict, optional
            Discrete node to state, set of states, or likelihoods of its states; continuous node to value.
        max_cells : int, optional
            The most memory, in numbers of 8 bytes; half of what is free by default.
        """
        names = as_names(targets)
        if not names:
            raise ValueError("targets must name at least one node, got none.")
        self._dag.places(names, "targets")
        self._need_numbers()
        return mixed_posterior(self, names, read_mixed(self, evidence), max_cells)

    def log_density(self, evidence: Given) -> float:
        """Log of P(discrete evidence) times the density of the continuous evidence; -inf if it is impossible."""
        self._need_numbers()
        logs, _buckets, _parts = MixedQuestion(self, read_mixed(self, evidence), ()).solve(demand=False)
        return float(logs)

    def row_log_densities(self, table: Any) -> Floats:
        """Give the log-density of every row of a table without missing cells.

        Parameters
        ----------
        table : polars or pandas frame, or dict of columns
            A column for every node; others are left out.
        """
        self._need_numbers()
        return row_log_densities(self, columns_of(table))

    def sample(self, n: int, *, evidence: Given = None, random_state: RandomStateLike = None) -> pl.DataFrame:
        """Draw independent rows from P(x | evidence).

        Parameters
        ----------
        n : int
            How many.
        evidence : dict, optional
            What is known, as for `query`.
        random_state : None, int, RandomState or Generator, default=None
            The seed.
        """
        self._need_numbers()
        drawn = mixed_draws(self, read_mixed(self, evidence), check_count(n, "n"), resolve_seed(random_state))
        codes = np.column_stack([np.empty((n, 0), np.int32), *(drawn[name].astype(np.int32) for name in self.discrete)])
        labels = decoded_rows(codes, self.discrete, [self.states(name) for name in self.discrete])
        numbers = [pl.Series(name, drawn[name], dtype=pl.Float64) for name in self._continuous]
        return pl.DataFrame([*labels.get_columns(), *numbers])

    # Names.

    def _ancestors(self, names: Iterable[str]) -> set[str]:
        """The nodes and all their ancestors."""
        return {self.nodes[place] for place in self._dag.ancestors([self._dag.place[name] for name in names])}

    def _known(self, name: str) -> str:
        if name not in self._given_parents:
            raise ValueError(unknown_name(name, self.nodes, "You ask for"))
        return name

    def _need_numbers(self) -> None:
        if len(self._normals) < len(self._continuous) or (self.discrete and self._discrete_part._stored is None):
            raise ValueError(
                "The network must have tables and normals for this, got a structure only.\n"
                "Hint: learn_gaussians(network, rows) learns them."
            )

    def __eq__(self, other: object) -> bool:
        """Equal nodes in the same order, parents, states, tables and normals."""
        if not isinstance(other, ConditionalGaussianNetwork):
            return NotImplemented
        same = self._continuous == other._continuous and self._given_parents == other._given_parents
        return same and self._discrete_part == other._discrete_part and self._normals == other._normals

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return (
            f"ConditionalGaussianNetwork({len(self.discrete)} discrete and {len(self._continuous)} continuous nodes, "
            f"{len(self.edges)} edges)"
        )


def _parts_of(normal: LinearNormal) -> tuple[Any, Any, Any]:
    return normal.intercept, normal.coefficients, normal.variance


def _check_names(continuous: Sequence[Any], states: Mapping[str, Any]) -> None:
    for name in continuous:
        if not isinstance(name, str) or not name:
            raise ValueError(f"The name of a node must be a string that is not empty, got {name!r}.")
        if name in states:
            raise ValueError(f"{name!r} must be either discrete or continuous, got states and a normal.")
    if len(set(continuous)) < len(continuous):
        raise ValueError(f"normals must name each node once, got {list(continuous)!r}.")
    if not continuous:
        raise ValueError("normals must name at least one node, got none.\nHint: use BayesianNetwork.")


def _check_kinds(parents: Mapping[str, Sequence[str]], continuous: Sequence[str]) -> None:
    for name, own in parents.items():
        numbers = [parent for parent in own if parent in continuous]
        if numbers and name not in continuous:
            raise ValueError(
                f"The parents of the discrete node {name!r} must be discrete, got the continuous {numbers[0]!r}.\n"
                "Hint: turn the edge, or cut the column with Discretizer."
            )
