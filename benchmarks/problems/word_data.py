"""Tables of word counts and of categories."""

import numpy as np

from benchmarks.measure.task import Data

_SEED = 0


def words(n: int, d: int, length: int, classes: int, queries: int) -> Data:
    """Texts of equally many words, half of them from a part of the vocabulary that is their class's own."""
    rng = np.random.default_rng(_SEED)
    y = rng.integers(0, classes, size=n + queries)
    common = rng.integers(0, d, size=(n + queries, length))
    own = y[:, None] * (d // classes) + rng.integers(0, d // classes, size=(n + queries, length))
    drawn = np.where(rng.random(common.shape) < 0.02, own, common)

    def triplets(first: int, last: int) -> np.ndarray:
        cells = np.arange(last - first).repeat(length) * d + drawn[first:last].ravel()
        places, counts = np.unique(cells, return_counts=True)
        table = np.array([places // d, places % d, counts], dtype=np.float64)
        return np.column_stack([table, [last - first, d, 0]])

    tables = {"X": triplets(0, n), "X_test": triplets(n, n + queries)}
    return {**tables, "y": y[:n], "y_test": y[n:], "shape": np.array([n, d])}


def categories(n: int, d: int, values: int, classes: int, queries: int) -> Data:
    """Columns of categories, a little likelier to be the class's own one."""
    rng = np.random.default_rng(_SEED)
    y = rng.integers(0, classes, size=n + queries)
    X = rng.integers(0, values, size=(n + queries, d))
    own = rng.random(X.shape) < 0.1
    X = np.where(own, (y[:, None] + np.arange(d)) % values, X)
    return {"X": X[:n], "y": y[:n], "X_test": X[n:], "y_test": y[n:]}
