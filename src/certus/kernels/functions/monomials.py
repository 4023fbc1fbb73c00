"""Finite feature maps made of products of coordinates."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np

from certus.kernels._native_calls import Array


def polynomial_features(rows: Array, degree: int, gamma: float, offset: float) -> Array:
    """Features of (gamma x.z + offset)^degree: sqrt(multinomial gamma^|a| offset^(degree - |a|)) x^a."""
    columns = []
    for size in range(degree + 1):
        weight = gamma**size * offset ** (degree - size)
        if weight == 0.0:
            continue
        for chosen in itertools.combinations_with_replacement(range(rows.shape[1]), size):
            ways = math.factorial(degree) // math.factorial(degree - size)
            for count in Counter(chosen).values():
                ways //= math.factorial(count)
            columns.append(math.sqrt(ways * weight) * _product(rows, chosen))
    return np.column_stack(columns) if columns else np.empty((len(rows), 0))


def subset_features(rows: Array, sizes: range) -> Array:
    """The product of the coordinates of every subset of one of the sizes."""
    width = rows.shape[1]
    columns = [_product(rows, chosen) for size in sizes for chosen in itertools.combinations(range(width), size)]
    return np.column_stack(columns) if columns else np.empty((len(rows), 0))


def tensor_features(left: Array, right: Array) -> Array:
    """All products of a feature of the one with a feature of the other."""
    return np.einsum("ia,ib->iab", left, right).reshape(len(left), -1)


def _product(rows: Array, chosen: tuple[int, ...]) -> Array:
    return np.prod(rows[:, list(chosen)], axis=1) if chosen else np.ones(len(rows))
