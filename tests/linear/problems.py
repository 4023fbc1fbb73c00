"""Random tables of all the shapes and troubles that a linear fit meets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

TROUBLES = ("none", "scales", "constant", "duplicated", "collinear", "offset", "zero column")


@dataclass(frozen=True)
class Table:
    """One random problem: ``X``, weights (None: all 1) and the generator for the rest."""

    X: Any
    sample_weight: Any
    rng: np.random.Generator

    @property
    def weights(self) -> Any:
        return np.ones(len(self.X)) if self.sample_weight is None else self.sample_weight


@st.composite
def tables(draw: Any, *, largest_rows: int = 40, largest_columns: int = 9, dtypes: Any = (np.float64, np.float32)):
    """Tall, wide and tiny tables with one trouble each."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rows = draw(st.one_of(st.integers(2, 4), st.integers(2, largest_rows)))
    columns = draw(st.integers(1, largest_columns))
    X = rng.normal(size=(rows, columns))
    trouble = draw(st.sampled_from(TROUBLES))
    if trouble == "scales":
        X *= 10.0 ** rng.uniform(-5, 5, size=columns)
    elif trouble == "constant":
        X[:, 0] = 3.0
    elif trouble == "duplicated":
        X[:, -1] = X[:, 0]
    elif trouble == "collinear" and columns > 2:
        X[:, -1] = X[:, 0] - 2.0 * X[:, 1] + 1e-9 * rng.normal(size=rows)
    elif trouble == "offset":
        X += 1e4 * rng.normal(size=columns)
    elif trouble == "zero column":
        X[:, 0] = 0.0
    kind = draw(st.sampled_from(("none", "counts", "real")))
    weights = None
    if kind == "counts":
        weights = rng.integers(0, 4, size=rows).astype(float)
        weights[:2] = 1.0
    elif kind == "real":
        weights = rng.uniform(0.01, 5.0, size=rows)
    return Table(X.astype(draw(st.sampled_from(dtypes))), weights, rng)
