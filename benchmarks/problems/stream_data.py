"""Streams with two labels."""

import numpy as np


def dense(n: int, d: int, queries: int = 10_000, seed: int = 0) -> dict[str, np.ndarray]:
    """Columns of different size and place, labels of a logistic model."""
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(n + queries, d))
    score = Z @ rng.normal(size=d) * 2.0 / np.sqrt(d)
    y = (rng.random(n + queries) < 1.0 / (1.0 + np.exp(-score))).astype(int)
    X = Z * np.exp(rng.normal(size=d)) + rng.normal(size=d)
    return {"X": X[:n], "y": y[:n], "X_test": X[n:], "y_test": y[n:]}


def hashed(n: int, queries: int = 10_000, seed: int = 0) -> dict[str, np.ndarray]:
    """Thirty of 2^18 columns per row, the first ones more often, and their values; see `hashed_rows`."""
    rng = np.random.default_rng(seed)
    columns = np.minimum(rng.zipf(1.3, size=(n + queries, 30)), 2**18) - 1
    weights = rng.normal(size=2**18)
    y = (weights[columns].sum(axis=1) + 3.0 * rng.normal(size=n + queries) > 0.0).astype(int)
    X = np.hstack([columns, np.ones(columns.shape), np.zeros((n + queries, 1))])
    return {"X": X[:n], "y": y[:n], "X_test": X[n:], "y_test": y[n:]}
