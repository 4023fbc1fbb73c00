"""Tables cut into blocks: even, uneven, with empty ones, with blocks of one class."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import certus

CUTS = {
    "one block": 1,
    "two": 2,
    "three": 3,
    "seven": 7,
    "uneven": [5, 6, 6, 90],  # among them one of one row, and an empty one
}


# One cut of every kind runs by default.
every_cut = pytest.mark.parametrize(
    "cuts",
    [
        pytest.param(cuts, id=name, marks=() if name in ("three", "uneven") else pytest.mark.slow)
        for name, cuts in CUTS.items()
    ],
)


def cut(table: Sequence[Any], cuts: Any) -> Any:
    """The arrays, cut at the same rows, as a table in blocks."""
    rows = len(table[0])
    if isinstance(cuts, int):
        cuts = [rows * k // cuts for k in range(1, cuts)]
    edges = [0, *cuts, rows]
    blocks = [tuple(part[a:b] for part in table) for a, b in pairwise(edges)]
    return certus.scale.blocks(blocks).xy(weights=len(table) == 3)


def classes_table(seed: int = 0, rows: int = 200, columns: int = 4, classes: int = 3) -> tuple[Any, Any]:
    """Rows of overlapping classes, the first ones all of one class."""
    generator = np.random.default_rng(seed)
    y = generator.integers(classes, size=rows)
    y[:8] = 0
    X = generator.normal(size=(rows, columns)) + 0.8 * y[:, None] * np.arange(columns)
    return X, y


def numbers_table(seed: int = 0, rows: int = 200, columns: int = 4) -> tuple[Any, Any]:
    """A linear target with noise, columns away from 0."""
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(rows, columns)) * np.arange(1, columns + 1) + 3.0
    return X, X @ np.arange(columns) + 5.0 + generator.normal(size=rows)
