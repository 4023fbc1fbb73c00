"""Sequences of rows and of symbols from states that stay for some rows, and how likely a model finds them."""

from typing import Any

import numpy as np

from benchmarks.measure.task import Data, Quality

_SEED = 0


def gaussian_rows(n: int, d: int, states: int) -> Data:
    """Rows around the mean of a state that lasts ten rows."""
    rng = np.random.default_rng(_SEED)
    hidden = rng.integers(0, states, n // 10 + 1).repeat(10)[:n]
    X = 2.0 * rng.normal(size=(states, d))[hidden] + rng.normal(size=(n, d))
    return {"X": X, "y": hidden, "X_test": X, "y_test": hidden}


def symbols(n: int, states: int, count: int) -> Data:
    """Symbols of a state that lasts ten rows."""
    rng = np.random.default_rng(_SEED)
    hidden = rng.integers(0, states, n // 10 + 1).repeat(10)[:n]
    cumulated = rng.dirichlet(np.ones(count), states).cumsum(axis=1)
    X = (rng.random((n, 1)) > cumulated[hidden]).sum(axis=1, keepdims=True)
    X = np.minimum(X, count - 1)
    return {"X": X, "y": hidden, "X_test": X, "y_test": hidden}


def _likelihood(model: Any, _prediction: Any, data: Data) -> float:
    return float(model.log_likelihood(data["X"]) / len(data["X"]))


def likelihood(slack: float) -> Quality:
    """Log-likelihood per row; equal quality means within ``slack`` of the best competitor."""
    return Quality("log-likelihood per row", _likelihood, lower_is_better=False, slack=slack)
