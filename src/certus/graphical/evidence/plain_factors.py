"""Factors as plain lists, and elimination of their variables one by one: the second route to exact answers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.guarantees import CertificateError

Floats = NDArray[np.float64]
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
        self._tables: list[tuple[tuple[int, ...], Floats]] = []
        for scope, values in plain["factors"]:
            order = np.argsort(scope, kind="stable")
            shape = [self._cards[variable] for variable in scope]
            table = np.asarray(values, dtype=np.float64)
            if table.size != math.prod(shape) or not np.isfinite(table).all() or (table < 0).any():
                raise CertificateError("a factor of the witness is not a table of its variables")
            table = table.reshape(shape).transpose(order)
            self._tables.append((tuple(scope[place] for place in order), table))

    def run(self, keep: Sequence[int], *, maximise: bool = False) -> Floats:
        """The table over the kept variables, in their order, after all others were summed out or maximized."""
        self.eliminate(set(range(len(self._cards))) - set(keep), maximise=maximise)
        scope, table = self._product(self._tables, extra=sorted(keep))
        return table.transpose([scope.index(variable) for variable in keep])

    def eliminate(self, variables: Iterable[int], *, maximise: bool = False) -> None:
        """Sum out or maximize over these variables."""
        left = set(variables)
        while left:
            variable = min(left, key=lambda candidate: (self._size(candidate), -candidate))
            self._eliminate(variable, maximise)
            left.remove(variable)

    def _size(self, variable: int) -> int:
        scope = {member for found, _ in self._tables if variable in found for member in found}
        return math.prod(self._cards[member] for member in scope)

    def _eliminate(self, variable: int, maximise: bool) -> None:
        near = [entry for entry in self._tables if variable in entry[0]]
        scope, table = self._product(near, extra=[variable])
        axis = scope.index(variable)
        table = table.max(axis=axis) if maximise else table.sum(axis=axis)
        self.roundings += self._cards[variable]
        largest = float(table.max())
        if largest > 0.0:
            exponent = math.frexp(largest)[1]
            table = np.ldexp(table, -exponent)
            self.log_scale += exponent * math.log(2.0)
        self._tables = [entry for entry in self._tables if variable not in entry[0]]
        self._tables.append((tuple(member for member in scope if member != variable), table))

    def _product(
        self, tables: Iterable[tuple[tuple[int, ...], Floats]], extra: Sequence[int]
    ) -> tuple[tuple[int, ...], Floats]:
        chosen = list(tables)
        scope = tuple(sorted({*extra, *(member for found, _ in chosen for member in found)}))
        if len(scope) > 32 or math.prod(self._cards[member] for member in scope) > 2**27:
            raise CertificateError("the network is too wide for the plain second route")
        product = np.ones([self._cards[member] for member in scope])
        for found, table in chosen:
            product = product * table.reshape([self._cards[member] if member in found else 1 for member in scope])
            largest = float(product.max())
            if 0.0 < largest < 1e-100:
                exponent = math.frexp(largest)[1]
                product = np.ldexp(product, -exponent)
                self.log_scale += exponent * math.log(2.0)
        self.roundings += len(chosen)
        return scope, product
