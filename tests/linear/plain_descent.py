"""Lasso, elastic net and multi-task forms in a few slow lines of extended precision, for comparison."""

from __future__ import annotations

from typing import Any

import numpy as np

EXTENDED = np.longdouble


class Plain:
    """The objective of centered, weighted data, and cyclic coordinate descent on it."""

    def __init__(
        self, X: Any, y: Any, weights: Any, *, alpha: float, ratio: float, center: bool, joint: bool, positive: bool
    ) -> None:
        X, Y = np.asarray(X, dtype=EXTENDED), np.asarray(y, dtype=EXTENDED).reshape(len(X), -1)
        share = np.asarray(weights, dtype=EXTENDED) / np.sum(np.asarray(weights, dtype=EXTENDED))
        self.mean_x = share @ X * center
        self.mean_y = share @ Y * center
        self.root = np.sqrt(share)[:, None]
        self.X, self.Y = self.root * (X - self.mean_x), self.root * (Y - self.mean_y)
        self.l1, self.l2 = EXTENDED(alpha) * ratio, EXTENDED(alpha) * (1 - EXTENDED(ratio))
        self.joint, self.positive, self.center = joint, positive, center

    def objective(self, coef: Any, intercept: Any = None) -> Any:
        """Objective of coefficients (targets x columns); the best intercepts if none are given."""
        coef = np.asarray(coef, dtype=EXTENDED)
        off = 0 if intercept is None or not self.center else intercept - (self.mean_y - coef @ self.mean_x)
        residual = self.Y - self.X @ coef.T - self.root * off
        norms = np.sqrt((coef**2).sum(axis=0)) if self.joint else np.abs(coef)
        return (residual**2).sum() / 2 + self.l1 * norms.sum() + self.l2 / 2 * (coef**2).sum()

    def descend(self, coef: Any, sweeps: int) -> Any:
        coef = np.array(coef, dtype=EXTENDED)
        residual, squares = self.Y - self.X @ coef.T, (self.X**2).sum(axis=0)
        for _ in range(sweeps):
            for j in np.flatnonzero(squares > 1e-30):
                pull = self.X[:, j] @ residual + squares[j] * coef[:, j]
                pull = np.maximum(pull, 0) if self.positive else pull
                size = np.sqrt((pull**2).sum()) if self.joint else np.abs(pull)
                kept = np.where(size > self.l1, 1 - self.l1 / np.where(size > 0, size, 1), 0)
                fresh = pull * kept / (squares[j] + self.l2)
                residual -= np.outer(self.X[:, j], fresh - coef[:, j])
                coef[:, j] = fresh
        return coef
