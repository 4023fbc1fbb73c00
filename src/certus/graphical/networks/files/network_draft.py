"""A network while it is read: what a file says about each node, with the lines where it says so."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.graphical.bayesian_network import BayesianNetwork
from certus.graphical.networks.inference.clique_messages import free_cells

Floats = NDArray[np.float64]
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


class NetworkFileError(ValueError):
    """A file that does not hold a network.

    Attributes
    ----------
    line : int
        The line where it goes wrong, counted from 1.
    """

    def __init__(self, message: str, line: int, column: int | None = None) -> None:
        self.line = line
        self._told = (message, line, column)
        place = f"line {line}" + ("" if column is None else f", column {column}")
        super().__init__(f"{place}: {message}")

    def __reduce__(self) -> tuple[Any, ...]:
        return NetworkFileError, self._told


@dataclass
class NetworkDraft:
    """What has been read so far.

    Parameters
    ----------
    states, parents, tables : dict
        By node.
    lines : dict of node to int
        Where each node is declared, and later where its table is.
    properties : dict
        Texts about the network, its nodes and tables.
    """

    states: dict[str, list[Any]] = field(default_factory=dict)
    parents: dict[str, list[str]] = field(default_factory=dict)
    tables: dict[str, Floats] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    properties: dict[str, Any] = field(default_factory=dict)
    cells: int = 0

    def declare(self, name: str, states: list[Any], line: int) -> None:
        """A node and its states."""
        if name in self.states:
            raise NetworkFileError(f"the node {name!r} is declared twice.", line)
        self.states[name], self.lines[name] = states, line

    def define(self, name: str, parents: Sequence[str], line: int) -> tuple[int, ...]:
        """That a table of this node begins; its shape, parents first, which fits into memory."""
        for found in (name, *parents):
            if found not in self.states:
                raise NetworkFileError(f"{found!r} is no node that was declared.", line)
        if name in self.parents:
            raise NetworkFileError(f"the node {name!r} has two tables.", line)
        if len({name, *parents}) < len(parents) + 1:
            raise NetworkFileError(f"the table of {name!r} names a node twice.", line)
        shape = (*(len(self.states[parent]) for parent in parents), len(self.states[name]))
        self.cells += math.prod(shape)
        if self.cells > free_cells():
            raise NetworkFileError(
                f"the tables up to that of {name!r} have {self.cells:,} entries, too many here.", line
            )
        self.parents[name], self.lines[name] = list(parents), line
        return shape

    def fill(self, name: str, values: Sequence[float], shape: tuple[int, ...], line: int) -> None:
        """The whole table, in C order."""
        if len(values) != math.prod(shape):
            raise NetworkFileError(
                f"the table of {name!r} must hold {math.prod(shape)} numbers, got {len(values)}.", line
            )
        self.tables[name] = np.array(values, dtype=np.float64).reshape(shape)

    def network(self) -> BayesianNetwork:
        """The finished network; what does not fit together is told with the line of the node."""
        if not self.states:
            raise NetworkFileError("the file declares no node.", 1)
        lacking = next((name for name in self.states if name not in self.tables), None)
        if lacking is not None:
            raise NetworkFileError(f"the node {lacking!r} has no table.", self.lines[lacking])
        try:
            return BayesianNetwork(self.parents, self.states, self.tables, properties=self.properties)
        except ValueError as error:
            named = [(str(error).find(repr(name)), name) for name in self.states if repr(name) in str(error)]
            raise NetworkFileError(str(error), self.lines[min(named)[1]] if named else 1) from None


def number_of(text: str, line: int, column: int | None = None) -> float:
    """A finite number in double precision."""
    if _NUMBER.fullmatch(text) is None:
        raise NetworkFileError(f"a number must stand here, got {text[:40]!r}.", line, column)
    return float(text)


def numbers_of(text: str, line: int) -> list[float]:
    """Numbers with spaces between them."""
    return [number_of(word, line) for word in text.split()]
