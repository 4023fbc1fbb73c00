"""Factors as logarithms, for bounds."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Scoped = tuple[tuple[int, ...], Floats]


def log_factors(plain: Any) -> list[Scoped]:
    """Per factor its variables, ascending, and the logarithms of its table with axes in that order."""
    found = []
    for scope, values in plain["factors"]:
        order = np.argsort(scope, kind="stable")
        shape = [int(plain["states"][variable]) for variable in scope]
        with np.errstate(divide="ignore"):
            table = np.log(np.asarray(values, dtype=np.float64)).reshape(shape).transpose(order)
        found.append((tuple(int(scope[place]) for place in order), table))
    return found


def spread(scope: tuple[int, ...], own: tuple[int, ...], table: Floats) -> Floats:
    """A table with an axis of length 1 for every variable of the scope that it does not have."""
    sizes = iter(table.shape)
    return table.reshape([next(sizes) if variable in own else 1 for variable in scope])


def small_first_order(plain: Any) -> list[int]:
    """An order of elimination: always the variable with the fewest neighbors."""
    near: dict[int, set[int]] = {variable: set() for variable in range(len(plain["states"]))}
    for scope, _values in plain["factors"]:
        for variable in scope:
            near[variable].update(scope)
    for variable, others in near.items():
        others.discard(variable)
    order = []
    while near:
        variable = min(near, key=lambda candidate: (len(near[candidate]), candidate))
        others = near.pop(variable)
        for other in others:
            near[other] |= others
            near[other] -= {other, variable}
        order.append(variable)
    return order


def partition(scopes: Iterable[tuple[int, ...]], i_bound: int, cards: list[int]) -> list[list[int]]:
    """Places of scopes, the widest first, in groups of at most ``i_bound + 1`` variables and 4**i_bound cells."""
    listed = list(scopes)
    groups: list[tuple[set[int], list[int]]] = []
    for place in sorted(range(len(listed)), key=lambda at: (-len(listed[at]), at)):
        for members, group in groups:
            joined = members.union(listed[place])
            if len(joined) <= max(i_bound + 1, len(members)) and math.prod(cards[v] for v in joined) <= 4 ** (
                i_bound + 1
            ):
                members |= joined
                group.append(place)
                break
        else:
            groups.append((set(listed[place]), [place]))
    return [group for _members, group in groups]
