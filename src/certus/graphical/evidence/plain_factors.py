"""Factors as plain lists, and elimination of their variables one by one: the second route to exact answers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.guarantees import CertificateError

Floats = NDArray[np.float64]
Scaled = tuple[tuple[int, ...], Floats, NDArray[np.int64]]  # numbers in [1/2, 1) or 0, and powers of two
UNIT = float(np.finfo(np.float64).eps) / 2.0
TINY = 1e-290  # below this, products may have lost digits


def plain_factors(question: Any) -> dict[str, Any]:
    """States per free variable, and all tables of a question, sliced at its evidence."""
    network, evidence = question.network, question.evidence
    free = [node for node in np.flatnonzero(question.kept).tolist() if node not in evidence.states]
    place = {node: variable for variable, node in enumerate(free)}
    factors = []
    for node in np.flatnonzero(question.kept).tolist():
        scope = [*network._dag.parents[node], node]
        cut = tuple(evidence.states.get(member, slice(None)) for member in scope)
        values = np.asarray(network.table(network.nodes[node])[cut])
        factors.append([[place[member] for member in scope if member in place], values.ravel().tolist()])
    factors += [[[place[node]], weights.tolist()] for node, weights in evidence.weights.items() if node in place]
    return {
        "names": [network.nodes[node] for node in free],
        "states": [len(network.states(network.nodes[node])) for node in free],
        "factors": factors,
    }


def gamma(roundings: float) -> float:
    """Return n u / (1 - n u), what n roundings do to sums and products of non-negative numbers (Higham 2002)."""
    return roundings * UNIT / (1.0 - roundings * UNIT) if roundings * UNIT < 0.5 else math.inf


class Elimination:
    """Variables of factors eliminated one by one, those with the smallest table first.

    Parameters
    ----------
    plain : mapping
        What `plain_factors` gave.

    Attributes
    ----------
    roundings : float
        Upper bound on the roundings behind any number so far.
    log_scale : float
        What the numbers were divided by, as a logarithm.
    """

    def __init__(self, plain: Any) -> None:
        self._cards = [int(count) for count in plain["states"]]
        self.roundings, self.log_scale = 0.0, 0.0
        self._tables: list[Scaled] = []
        for scope, values in plain["factors"]:
            order = np.argsort(scope, kind="stable")
            shape = [self._cards[variable] for variable in scope]
            table = np.asarray(values, dtype=np.float64)
            if table.size != math.prod(shape) or not np.isfinite(table).all() or (table < 0).any():
                raise CertificateError("a factor of the witness is not a table of its variables")
            table = table.reshape(shape).transpose(order)
            self._tables.append((tuple(scope[place] for place in order), *np.frexp(table)))

    def run(self, keep: Sequence[int], *, maximise: bool = False) -> Floats:
        """The table over the kept variables, in their order, after all others were summed out or maximized."""
        self.eliminate(set(range(len(self._cards))) - set(keep), maximise=maximise)
        scope, table, powers = self._product(self._tables, extra=sorted(keep))
        if table.any():
            largest = int(powers[table > 0.0].max())
            table = np.ldexp(table, np.maximum(powers - largest, -2000))
            self.log_scale += largest * math.log(2.0)
        return table.transpose([scope.index(variable) for variable in keep])

    def eliminate(self, variables: Iterable[int], *, maximise: bool = False) -> None:
        """Sum out or maximize over these variables."""
        left = set(variables)
        while left:
            variable = min(left, key=lambda candidate: (self._size(candidate), -candidate))
            self._eliminate(variable, maximise)
            left.remove(variable)

    def _size(self, variable: int) -> int:
        scope = {member for found, *_ in self._tables if variable in found for member in found}
        return math.prod(self._cards[member] for member in scope)

    def _eliminate(self, variable: int, maximise: bool) -> None:
        near = [entry for entry in self._tables if variable in entry[0]]
        scope, table, powers = self._product(near, extra=[variable])
        axis = scope.index(variable)
        largest = np.where(table > 0.0, powers, -(2**40)).max(axis=axis, keepdims=True)
        table = np.ldexp(table, np.clip(powers - largest, -2000, 0))  # what vanishes is below 2**-1000 of the largest
        table, more = np.frexp(table.max(axis=axis) if maximise else table.sum(axis=axis))
        powers = np.where(table > 0.0, largest.squeeze(axis) + more, 0)
        self.roundings += self._cards[variable] + 1
        self._tables = [entry for entry in self._tables if variable not in entry[0]]
        self._tables.append((tuple(member for member in scope if member != variable), table, powers))

    def _product(self, tables: Iterable[Scaled], extra: Sequence[int]) -> Scaled:
        chosen = list(tables)
        scope = tuple(sorted({*extra, *(member for found, *_ in chosen for member in found)}))
        if len(scope) > 32 or math.prod(self._cards[member] for member in scope) > 2**27:
            raise CertificateError("the network is too wide for the plain second route")
        shape = [self._cards[member] for member in scope]
        product, powers = np.ones(shape), np.zeros(shape, dtype=np.int64)
        for found, table, own in chosen:
            spread = [self._cards[member] if member in found else 1 for member in scope]
            product, more = np.frexp(product * table.reshape(spread))
            powers = powers + own.reshape(spread) + more
        self.roundings += len(chosen)
        return scope, product, powers
