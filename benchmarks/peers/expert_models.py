"""Hedge and Fixed Share as one writes them in NumPy: one pass, weights normalized in every trial, no account."""

import numpy as np


class NumpyHedge:
    def __init__(self, n_experts: int, eta: float) -> None:
        self.n_experts, self.eta = n_experts, eta

    def fit(self, X: np.ndarray, y: np.ndarray) -> "NumpyHedge":
        total, self.loss_ = np.zeros(self.n_experts), 0.0
        for lost in X:
            weights = np.exp(-self.eta * (total - total.min()))
            weights /= weights.sum()
            self.loss_ += weights @ lost
            total += lost
        return self


class NumpyFixedShare:
    def __init__(self, alpha: float, eta: float = 0.5) -> None:
        self.alpha, self.eta = alpha, eta

    def fit(self, X: np.ndarray, y: np.ndarray) -> "NumpyFixedShare":
        n = X.shape[1]
        weights, self.loss_ = np.full(n, 1.0 / n), 0.0
        for advice, label in zip(X, y, strict=True):
            self.loss_ += (weights @ advice - label) ** 2
            weights = weights * np.exp(-self.eta * (advice - label) ** 2)
            weights /= weights.sum()
            weights = (1.0 - self.alpha) * weights + self.alpha * (1.0 - weights) / (n - 1)
        return self
