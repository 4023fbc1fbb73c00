"""Upper bounds on sums and maxima of products: weighted mini-buckets (Liu and Ihler 2011).

Where the product of all factors of a variable has too many variables, it is split into parts with weights w_r that sum
to 1, and by Hoelder's inequality

    sum_x prod_r f_r(x)  <=  prod_r (sum_x f_r(x)^(1 / w_r))^w_r,    max_x prod_r f_r(x)  <=  prod_r max_x f_r(x).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import logsumexp

from certus.graphical.networks.bounds.log_factors import Scoped, log_factors, partition, spread


@dataclass(frozen=True)
class UpperBound:
    """A bound on a logarithm.

    Parameters
    ----------
    value : float
        The bound, rounding not yet paid for.
    rounding : float
        What rounding can amount to.
    split : bool
        Whether any product was split; otherwise the bound is exact.
    """

    value: float
    rounding: float
    split: bool


def mini_bucket_bound(plain: Any, order: list[int], i_bound: int, *, maximise: bool = False) -> UpperBound:
    """An upper bound on the log of the sum (or maximum) over all variables of the product of all factors."""
    cards = [int(count) for count in plain["states"]]
    factors = log_factors(plain)
    split, steps, largest = False, len(factors), 1.0
    for _scope, table in factors:
        largest = max(largest, float(np.abs(table[np.isfinite(table)]).max(initial=0.0)))
    for variable in order:
        bucket = [entry for entry in factors if variable in entry[0]]
        factors = [entry for entry in factors if variable not in entry[0]]
        groups = partition([scope for scope, _table in bucket], i_bound, cards)
        split = split or len(groups) > 1
        for group in groups or [[]]:
            scope, table = _product([bucket[place] for place in group], variable, cards)
            axis, weight = scope.index(variable), 1.0 / max(len(groups), 1)
            with np.errstate(invalid="ignore"):
                message = table.max(axis=axis) if maximise else weight * logsumexp(table / weight, axis=axis)
            finite = message[np.isfinite(message)]
            largest = max(largest, float(np.abs(finite).max(initial=0.0)) / weight)
            steps += len(group) + cards[variable] + 2
            factors.append((tuple(member for member in scope if member != variable), np.asarray(message)))
    rest = [float(table) for _scope, table in factors]
    value = -math.inf if -math.inf in rest else math.fsum(rest)
    return UpperBound(value, 4.0 * float(np.finfo(float).eps) * steps * (1.0 + largest + abs_or_zero(value)), split)


def abs_or_zero(value: float) -> float:
    """The size of a finite number, 0 for infinite ones."""
    return abs(value) if np.isfinite(value) else 0.0


def _product(entries: list[Scoped], variable: int, cards: list[int]) -> Scoped:
    scope = tuple(sorted({variable, *(member for found, _table in entries for member in found)}))
    total = np.zeros([cards[member] for member in scope])
    for found, table in entries:
        total = total + spread(scope, found, table)
    return scope, total
