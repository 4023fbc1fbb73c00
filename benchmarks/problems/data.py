"""Seeded tables for the benchmarks. Each function returns named arrays; equal arguments give equal numbers.

``X`` and ``y`` are what is fitted, ``X_test`` and ``y_test`` what is predicted. Further arrays serve the
quality measures and are never shown to a competitor.
"""

import numpy as np

from benchmarks.measure.task import Data
from benchmarks.problems import objectives

_SEED = 20240229


def regression(n: int, d: int, alpha: float = 0.0, noise: float = 1.0, dtype: str = "float64") -> Data:
    """Gaussian columns of different scale, linear target plus noise."""
    rng = np.random.default_rng(_SEED)
    X = rng.standard_normal((n, d))
    X *= rng.uniform(0.5, 2.0, size=d)
    X += rng.uniform(-1.0, 1.0, size=d)
    y = X @ rng.standard_normal(d) + 3.0 + noise * rng.standard_normal(n)
    X, y = X.astype(dtype), y.astype(dtype)
    return {"X": X, "y": y, "gram": objectives.quadratic_gram(X.astype(np.float64), alpha)}


def ill_conditioned_regression(n: int, d: int, condition: float) -> Data:
    """Columns mixed so that the singular values span ``condition``; the target is linear without noise."""
    rng = np.random.default_rng(_SEED)
    rotation = np.linalg.qr(rng.standard_normal((d, d)))[0]
    X = (rng.standard_normal((n, d)) * np.logspace(0, -np.log10(condition), d)) @ rotation
    coefficients = rng.standard_normal(d)
    return {"X": X, "y": X @ coefficients, "coefficients": coefficients}


def linear_classes(n: int, d: int, classes: int, C: float, dtype: str = "float64") -> Data:
    """Labels drawn from a softmax model, correlated columns; holds the optimum of the logistic objective."""
    rng = np.random.default_rng(_SEED)
    mixing = np.eye(d) + 0.3 * rng.standard_normal((d, d)) / np.sqrt(d)
    X = rng.standard_normal((n, d)) @ mixing
    scores = X @ rng.standard_normal((d, classes)) * (2.0 / np.sqrt(d)) + rng.standard_normal(classes)
    y = np.argmax(scores + rng.gumbel(size=scores.shape), axis=1)
    X = X.astype(dtype)
    return {"X": X, "y": y, **objectives.logistic_optimum(X.astype(np.float64), y, C)}


def sharp_classes(n: int, d: int, classes: int, C: float) -> Data:
    """Classes that columns almost tell apart, some of them rare; holds the optimum of the logistic objective."""
    rng = np.random.default_rng(_SEED)
    X = rng.standard_normal((n, d))
    scores = X @ rng.standard_normal((d, classes)) + 0.3 * rng.standard_normal((n, classes))
    y = np.unique(scores.argmax(axis=1), return_inverse=True)[1]
    return {"X": X, "y": y, **objectives.logistic_optimum(X, y, C)}


def counts(n: int, d: int) -> Data:
    """Counts whose logarithmic mean is linear in the columns; holds the optimum of the Poisson objective."""
    rng = np.random.default_rng(_SEED)
    X = rng.standard_normal((n, d))
    y = rng.poisson(np.exp(X @ rng.standard_normal(d) * (0.7 / np.sqrt(d)) + 0.5)).astype(np.float64)
    return {"X": X, "y": y, **objectives.poisson_optimum(X, y)}


def clusters(n: int, d: int, classes: int, queries: int, centers: int = 50, spread: float = 1.0) -> Data:
    """Several Gaussian clouds per class, with rows kept back as queries."""
    rng = np.random.default_rng(_SEED)
    means = 3.0 * rng.standard_normal((centers, d))
    labels = rng.integers(0, classes, size=centers)
    cloud = rng.integers(0, centers, size=n + queries)
    X = means[cloud] + spread * rng.standard_normal((n + queries, d))
    flipped = rng.random(n + queries) < 0.05
    y = np.where(flipped, rng.integers(0, classes, size=n + queries), labels[cloud])
    return _split(X, y, n)


def towns(n: int, classes: int, queries: int, centers: int = 200) -> Data:
    """Latitude and longitude in radians, in clouds around a few places."""
    rng = np.random.default_rng(_SEED)
    middles = np.stack([np.arcsin(rng.uniform(-0.9, 0.9, centers)), rng.uniform(-np.pi, np.pi, centers)], axis=1)
    cloud = rng.integers(0, centers, size=n + queries)
    X = middles[cloud] + 0.02 * rng.standard_normal((n + queries, 2))
    return _split(X, rng.integers(0, classes, size=centers)[cloud], n)


def smooth_surface(n: int, d: int, queries: int) -> Data:
    """A nonlinear target of five columns plus noise (the rest is irrelevant)."""
    X, y = _surface(n + queries, d)
    return _split(X, y, n)


def surface_classes(n: int, d: int, classes: int, queries: int) -> Data:
    """The surface cut into classes of equal size."""
    X, y = _surface(n + queries, d)
    edges = np.quantile(y, np.linspace(0, 1, classes + 1)[1:-1])
    return _split(X, np.searchsorted(edges, y), n)


def sparse_signal(n: int, d: int, factors: int = 0) -> Data:
    """A target that depends on fifty columns of equal length; with ``factors`` the columns are correlated."""
    rng = np.random.default_rng(_SEED)
    X = rng.standard_normal((n, d))
    if factors:
        X = 0.6 * X + 0.8 * rng.standard_normal((n, factors)) @ rng.standard_normal((factors, d)) / np.sqrt(factors)
    X /= np.linalg.norm(X, axis=0) / np.sqrt(n)
    chosen = rng.choice(d, size=min(50, d), replace=False)
    y = X[:, chosen] @ rng.standard_normal(len(chosen))
    return {"X": X, "y": y + 0.3 * np.std(y) * rng.standard_normal(n)}


def sparse_triplets(n: int, d: int, density: float = 1e-3) -> Data:
    """A sparse table as rows, columns and values, and a target that depends on 200 columns."""
    rng = np.random.default_rng(_SEED)
    count = int(n * d * density)
    places = np.unique(rng.integers(0, n * d, size=count))
    rows, columns, values = places // d, places % d, rng.standard_normal(len(places))
    weights = np.zeros(d)
    weights[rng.choice(d, size=200, replace=False)] = rng.standard_normal(200)
    y = np.bincount(rows, values * weights[columns], minlength=n)
    y += 0.3 * np.std(y) * rng.standard_normal(n)
    return {"X": np.array([rows, columns, values]), "y": y, "shape": np.array([n, d])}


def sparse_labels(n: int, d: int, density: float = 1e-3) -> Data:
    """The same kind of table with two classes, whose log-odds depend on 200 columns."""
    table = sparse_triplets(n, d, density)
    rng = np.random.default_rng(_SEED + 1)
    odds = 3.0 * table["y"] / np.std(table["y"])
    return {**table, "y": (rng.random(n) < 1.0 / (1.0 + np.exp(-odds))).astype(np.float64)}


def breast_cancer(C: float | None = None) -> Data:
    """569 rows, 30 standardized columns, two classes; a third is kept back."""
    from sklearn import datasets  # slow to import, and the other tables do not need it

    X, y = datasets.load_breast_cancer(return_X_y=True)
    table = _shuffled_split(_standardized(X), y)
    return table if C is None else {**table, **objectives.logistic_optimum(table["X"], table["y"], C)}


def digits() -> Data:
    """1797 images of 8 x 8 pixels in [0, 1], ten classes; a third is kept back."""
    from sklearn import datasets

    X, y = datasets.load_digits(return_X_y=True)
    return _shuffled_split(X / 16.0, y)


def diabetes(alpha: float = 0.0) -> Data:
    """442 rows, 10 columns, a number to predict; a third is kept back."""
    from sklearn import datasets

    X, y = datasets.load_diabetes(return_X_y=True)
    table = _shuffled_split(X, y)
    return {**table, "gram": objectives.quadratic_gram(table["X"], alpha)}


def _surface(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(_SEED)
    X = rng.random((n, d))
    waves = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2
    return X, waves + 10 * X[:, 3] + 5 * X[:, 4] + rng.standard_normal(n)


def _standardized(X: np.ndarray) -> np.ndarray:
    return (X - X.mean(axis=0)) / X.std(axis=0)


def _shuffled_split(X: np.ndarray, y: np.ndarray) -> Data:
    order = np.random.default_rng(_SEED).permutation(len(y))
    return _split(X[order], y[order], 2 * len(y) // 3)


def _split(X: np.ndarray, y: np.ndarray, n: int) -> Data:
    return {"X": X[:n], "y": y[:n], "X_test": X[n:], "y_test": y[n:]}
