"""The tables of a network one after the other in one array, and what is done to all of them at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.graphical import _native_calls
from certus.graphical.bayesian_network import BayesianNetwork
from certus.graphical.networks.tables.conditional_tables import table_begins

Floats = NDArray[np.float64]


class TableShapes:
    """Where the tables of a network lie.

    Parameters
    ----------
    network : BayesianNetwork
        The structure.
    """

    def __init__(self, network: BayesianNetwork) -> None:
        place = {name: node for node, name in enumerate(network.nodes)}
        self.network, self.nodes = network, network.nodes
        self.labels = [network.states(name) for name in self.nodes]
        self.cards = [len(found) for found in self.labels]
        self.parents: list[list[int]] = [[place[parent] for parent in network.parents(name)] for name in self.nodes]
        self.begins = table_begins(self.cards, self.parents)
        self.cells = int(self.begins[-1])
        rows = [(self.begins[node + 1] - self.begins[node]) // card for node, card in enumerate(self.cards)]
        lengths = np.repeat(np.array(self.cards, dtype=np.int64), np.array(rows, dtype=np.int64))
        self.row_begins = np.append(0, np.cumsum(lengths))[:-1]  # a row: one configuration of the parents
        self.lengths = lengths

    def row_sums(self, values: Floats) -> Floats:
        """The sum of every row, repeated for its entries."""
        return np.repeat(np.add.reduceat(values, self.row_begins), self.lengths)

    def uniform(self) -> Floats:
        """Every row uniform."""
        return np.repeat(1.0 / self.lengths, self.lengths)

    def random(self, generator: np.random.Generator, nodes: Sequence[int]) -> Floats:
        """Rows drawn evenly from all distributions for these nodes, uniform ones for others."""
        values = self.uniform()
        for node in nodes:
            part = slice(int(self.begins[node]), int(self.begins[node + 1]))
            drawn = generator.dirichlet(np.ones(self.cards[node]), size=(part.stop - part.start) // self.cards[node])
            values[part] = drawn.ravel()
        return values

    def given(self, network: BayesianNetwork) -> Floats:
        """The tables of another network with the same nodes, states and parents."""
        same = all(
            name in network.nodes
            and network.parents(name) == self.network.parents(name)
            and network.states(name) == self.network.states(name)
            for name in self.nodes
        )
        if not same:
            raise ValueError("start must be a network with the nodes, states and parents of this one, got another.")
        return np.concatenate([network.table(name).ravel() for name in self.nodes])

    def split(self, values: Floats) -> dict[str, Floats]:
        """The tables by node, in their shapes."""
        parts = np.split(values, self.begins[1:-1])
        shapes = [(*(self.cards[p] for p in own), self.cards[node]) for node, own in enumerate(self.parents)]
        return {name: part.reshape(shape) for name, part, shape in zip(self.nodes, parts, shapes, strict=True)}

    def native(self, values: Floats) -> Any:
        """The network with these tables as compiled code reads it."""
        return _native_calls.network_arrays(self.cards, self.parents, self.begins, values)

    def spread(self, alpha: Any) -> Floats:
        """Imaginary counts of every entry: one number for all, or a number or an array per node."""
        if not isinstance(alpha, dict):
            return np.full(self.cells, float(alpha))
        found = np.zeros(self.cells)
        for name, table in self.split(found).items():  # views
            table[...] = alpha.get(name, 0.0)
        unknown = [name for name in alpha if name not in self.nodes]
        if unknown or not (np.isfinite(found).all() and (found >= 0.0).all()):
            raise ValueError(f"alpha must hold numbers of at least 0 by node, got {alpha!r}.")
        return found
