"""Sums over discrete variables in logarithms, one variable after the other, so that no density underflows."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Scope = tuple[str, ...]


@dataclass(frozen=True)
class Bucket:
    """The product of what held a variable when it was summed out.

    Parameters
    ----------
    variable : str
        The variable, whose axis is the last one.
    scope : tuple of str
        The axes, all of which but the last are summed out later or kept.
    logs : ndarray
        The logarithms of the product.
    """

    variable: str
    scope: Scope
    logs: Floats


class LogElimination:
    """The order in which variables are summed out, and what it costs; then the sums.

    Parameters
    ----------
    cards : mapping of str to int
        The states of all variables.
    scopes : sequence of tuples of str
        The variables of every factor.
    kept : iterable of str
        Variables that stay.
    """

    def __init__(self, cards: Mapping[str, int], scopes: Sequence[Scope], kept: Iterable[str]) -> None:
        self.cards, self.kept = cards, tuple(kept)
        self.order: list[str] = []
        self.cells = math.prod(cards[name] for name in self.kept)
        near: dict[str, set[str]] = {name: {name} for name in cards}
        for scope in dict.fromkeys(scopes):
            for name in scope:
                near[name].update(scope)
        size = {name: math.prod(cards[other] for other in near[name]) for name in cards if name not in self.kept}
        while size:
            chosen = min(size, key=size.__getitem__)
            self.cells += size.pop(chosen)
            self.order.append(chosen)
            for name in near[chosen] - {chosen}:
                near[name] = (near[name] | near[chosen]) - {chosen}
                if name in size:
                    size[name] = math.prod(cards[other] for other in near[name])

    def run(self, factors: Sequence[tuple[Scope, Floats]]) -> tuple[Floats, list[Bucket]]:
        """The logarithms of the sums over the kept variables, and the buckets in the order of summation."""
        left, buckets = list(factors), []
        for variable in self.order:
            inside = [factor for factor in left if variable in factor[0]]
            scope = tuple(dict.fromkeys(name for own, _ in inside for name in own if name != variable))
            logs = self._product(inside, (*scope, variable))
            buckets.append(Bucket(variable, (*scope, variable), logs))
            left = [*(factor for factor in left if variable not in factor[0]), (scope, log_sum(logs))]
        return self._product(left, self.kept), buckets

    def _product(self, factors: Sequence[tuple[Scope, Floats]], scope: Scope) -> Floats:
        product = np.zeros([self.cards[name] for name in scope])
        for own, logs in factors:
            axes = [own.index(name) for name in scope if name in own]
            shape = [self.cards[name] if name in own else 1 for name in scope]
            product = product + logs.transpose(axes).reshape(shape)
        return product


def log_sum(logs: Floats) -> Floats:
    """The logarithm of the sum over the last axis."""
    most = logs.max(axis=-1, keepdims=True)
    most = np.where(np.isneginf(most), 0.0, most)
    with np.errstate(divide="ignore"):
        found: Floats = np.log(np.exp(logs - most).sum(axis=-1)) + most[..., 0]
    return found
