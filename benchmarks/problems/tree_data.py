"""Seeded tables on which trees behave differently: ties, mixed columns, many categories. See data.py for the form."""

import numpy as np

from benchmarks.measure.task import Data

_SEED = 20240301


def tied_classes(n: int, queries: int, d: int = 29, levels: int = 12) -> Data:
    """Columns with few different values and two classes: most of a sorted column are ties."""
    rng = np.random.default_rng(_SEED)
    X = rng.integers(0, levels, size=(n + queries, d)).astype(np.float64)
    score = X[:, 0] * X[:, 1] + 3 * X[:, 2] + 8 * rng.standard_normal(len(X))
    return _split(X, (score > np.median(score)).astype(np.int64), n)


def mixed_classes(n: int, queries: int, numbers: int = 13, codes: int = 28) -> Data:
    """Skewed numbers with many zeros, and category codes of 2 to 50 levels as numbers; 6 % of the rows positive."""
    rng = np.random.default_rng(_SEED)
    rows = n + queries
    skewed = np.round(np.exp(1.5 * rng.standard_normal((rows, numbers))) * 100)
    skewed *= rng.random((rows, numbers)) < rng.uniform(0.05, 1.0, numbers)
    levels = rng.integers(2, 51, codes)
    coded = np.stack([np.floor(count * rng.random(rows) ** 2) for count in levels], axis=1)
    effects = [rng.standard_normal(count)[coded[:, j].astype(int)] for j, count in enumerate(levels[:8])]
    score = np.log1p(skewed[:, :4]).sum(axis=1) / 4 + np.sum(effects, axis=0) + rng.standard_normal(rows)
    return _split(np.hstack([skewed, coded]), (score > np.quantile(score, 0.94)).astype(np.int64), n)


def category_classes(n: int, queries: int, d: int = 10, levels: int = 1000) -> Data:
    """Categorical columns only, as codes; frequent levels are more frequent than rare ones by far."""
    rng = np.random.default_rng(_SEED)
    rows = n + queries
    X = np.minimum(rng.zipf(1.3, size=(rows, d)) - 1, levels - 1)
    effects = [rng.standard_normal(levels)[X[:, j]] for j in range(d)]
    score = np.sum(effects, axis=0) + rng.standard_normal(rows)
    return _split(X, (score > np.median(score)).astype(np.int64), n)


def digits() -> Data:
    """1797 rows, 64 columns, ten classes; a third is kept back."""
    from sklearn import datasets

    X, y = datasets.load_digits(return_X_y=True)
    order = np.random.default_rng(_SEED).permutation(len(X))
    return _split(X[order], y[order], 2 * len(X) // 3)


def _split(X: np.ndarray, y: np.ndarray, n: int) -> Data:
    return {"X": X[:n], "y": y[:n], "X_test": X[n:], "y_test": y[n:]}
