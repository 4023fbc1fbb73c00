"""Tables of all the kinds that trouble learners: a regime turns a well-behaved table into one of them.

Every regime gets the generator and the table, and gives a table of the same shape.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

Regime = Callable[[np.random.Generator, np.ndarray], np.ndarray]


def _offset(size: float) -> Regime:
    return lambda rng, X: X + size * rng.choice([-1.0, 1.0], X.shape[1])


def _duplicates(rng: np.random.Generator, X: np.ndarray) -> np.ndarray:
    """A quarter as many different rows."""
    return X[rng.integers(0, max(len(X) // 4, 4), len(X))]


def _near_collinear(rng: np.random.Generator, X: np.ndarray) -> np.ndarray:
    X = X.copy()
    X[:, -1] = X[:, 0] - 2.0 * X[:, 1] + 1e-7 * rng.normal(size=len(X))
    return X


def _copied_column(rng: np.random.Generator, X: np.ndarray) -> np.ndarray:
    return np.column_stack([X[:, :-1], X[:, 0]])


def _constant_columns(rng: np.random.Generator, X: np.ndarray) -> np.ndarray:
    X = X.copy()
    X[:, 0], X[:, 1] = 3e5, 0.0
    return X


def _one_large(rng: np.random.Generator, X: np.ndarray) -> np.ndarray:
    return X * np.append(1e8, np.ones(X.shape[1] - 1))


def _offset_and_scales(rng: np.random.Generator, X: np.ndarray) -> np.ndarray:
    X = X * 10.0 ** rng.uniform(-4, 4, X.shape[1])
    X[:, ::2] += 1e6
    return X


COLUMNS: Mapping[str, Regime] = {
    "plain": lambda rng, X: X,
    "offset 1e6": _offset(1e6),
    "offset 1e9": _offset(1e9),
    "scale 1e9": lambda rng, X: 1e9 * X,
    "scale 1e-9": lambda rng, X: 1e-9 * X,
    "mixed scales": lambda rng, X: X * 10.0 ** rng.uniform(-8, 8, X.shape[1]),
    "one large column": _one_large,
    "offset and scales": _offset_and_scales,
    "heavy tails": lambda rng, X: X * np.abs(rng.standard_cauchy(X.shape)),
    "duplicates": _duplicates,
    "near-collinear": _near_collinear,
    "copied column": _copied_column,
    "constant columns": _constant_columns,
    "float32": lambda rng, X: X.astype(np.float32),
    "integers": lambda rng, X: np.round(5.0 * X).astype(np.int64),
    "column order": lambda rng, X: np.asfortranarray(X),
    "every second row and column": lambda rng, X: np.repeat(np.repeat(X, 2, axis=0), 2, axis=1)[::2, ::2],
}

Weights = Callable[[np.random.Generator, int], Any]


def _with_zeros(rng: np.random.Generator, rows: int) -> np.ndarray:
    weights = rng.integers(0, 3, rows).astype(float)
    weights[:4] = 1.0
    return weights


WEIGHTS: Mapping[str, Weights] = {
    "no weights": lambda rng, rows: None,
    "weights 0, 1, 2": _with_zeros,
    "weights 1e-9": lambda rng, rows: np.full(rows, 1e-9),
    "weights 1e12": lambda rng, rows: np.full(rows, 1e12),
    "weights 1e-3 to 1e3": lambda rng, rows: 10.0 ** rng.uniform(-3, 3, rows),
}
