"""Streams on which the online linear learners are tried, and one learner of every kind."""

from __future__ import annotations

import numpy as np

from certus.online import (
    ALMA,
    ROMMA,
    BalancedWinnow,
    MirrorDescent,
    OGDClassifier,
    OGDRegressor,
    OnlineNewtonStep,
    OnlinePerceptron,
    PassiveAggressiveClassifier,
    PassiveAggressiveRegressor,
    VovkAzouryWarmuth,
    Winnow,
)

CLASSIFIERS = {
    "perceptron": OnlinePerceptron(),
    "average": OnlinePerceptron(average=True),
    "pa1": PassiveAggressiveClassifier(C=0.3),
    "pa2": PassiveAggressiveClassifier(C=0.1, loss="squared_hinge"),
    "logistic": OGDClassifier(),
    "hinge": OGDClassifier("hinge", radius=2.0, eta=0.3),
    "plain": OGDClassifier("hinge", geometry="euclidean", radius=3.0, horizon=300, max_norm=4.0),
    "step": OGDClassifier("squared_hinge", geometry="euclidean", eta=0.0005, fit_intercept=False),
    "entropy": OGDClassifier(geometry="entropy", radius=5.0),
    "tuned": OGDClassifier("hinge", geometry="entropy", radius=3.0, horizon=300, max_norm=3.0),
    "conservative": OGDClassifier("hinge", conservative=True),
    "balanced": BalancedWinnow(factor=1.1),
    "alma": ALMA(alpha=0.7),
    "romma": ROMMA(),
    "newton": OnlineNewtonStep(penalty=0.5),
    "aggressive": ROMMA(aggressive=True, fit_intercept=False),
}
REGRESSORS = {
    "squared": OGDRegressor(),
    "absolute": OGDRegressor("absolute", eta=0.5, radius=1.0),
    "huber": OGDRegressor("huber", epsilon=0.5, geometry="euclidean", eta=0.01),
    "entropic": OGDRegressor("epsilon_insensitive", geometry="entropy", radius=3.0),
    "pa": PassiveAggressiveRegressor(C=0.3),
    "mirror": MirrorDescent("huber", eta=0.001),
    "mirror entropy": MirrorDescent("absolute", divergence="entropy", eta=0.001, scale=0.5),
    "mirror hypentropy": MirrorDescent(divergence="hypentropy", eta=0.0001, scale=0.5),
    "pa squared": PassiveAggressiveRegressor(C=0.3, loss="squared_epsilon_insensitive"),
    "forward": VovkAzouryWarmuth(0.5),
    "forward with a constant": VovkAzouryWarmuth(2.0, fit_intercept=True),
}
WINNOW = Winnow()


def rows(count: int = 300, columns: int = 4, seed: int = 0) -> np.ndarray:
    """Rows whose columns differ in size and whose largest entries come along the way."""
    X = np.random.default_rng(seed).normal(size=(count, columns))
    return X * np.logspace(-1, 1, columns) * np.linspace(0.5, 2.0, count)[:, None]


def labels(X: np.ndarray, seed: int = 0) -> np.ndarray:
    """Two noisy labels."""
    direction = np.cos(np.arange(X.shape[1])) / np.logspace(-1, 1, X.shape[1])
    return (X @ direction + 0.3 * np.random.default_rng(seed).normal(size=len(X)) > 0.1).astype(int)


def numbers(X: np.ndarray, seed: int = 0) -> np.ndarray:
    """Noisy numbers."""
    return X @ np.cos(np.arange(X.shape[1])) + np.random.default_rng(seed).normal(size=len(X))


def disjunctions(columns: int, relevant: int = 3, count: int = 20_000, rng: np.random.Generator | None = None):
    """Rows of zeros and ones, a fifth of them ones, and whether one of the first columns is one."""
    rng = np.random.default_rng(3) if rng is None else rng
    X = (rng.random((count, columns)) < 0.2).astype(float)
    return X, X[:, :relevant].any(axis=1).astype(int)
