"""Objectives in rational or extended precision and slow, independent minimizers, to measure certificates against.

A gap is false as soon as *any* point is better by more than it, so the minimizers need not be perfect for a failed
test to be a real failure.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

EXTENDED = np.longdouble


def exact(number: Any) -> Fraction:
    """A number of double or extended precision as a fraction, without rounding."""
    high = float(number)
    return Fraction(high) + Fraction(float(number - EXTENDED(high)))


def squared_objective(X: Any, Y: Any, weights: Any, alphas: Any, coef: Any, intercept: Any) -> Fraction:
    """sum_k [sum_i s_i (y_ik - x_i'w_k - b_k)^2 + alpha_k |w_k|^2] in rational arithmetic."""
    intercept = np.broadcast_to(intercept, (len(coef),))
    rows = [[exact(x) for x in row] for row in np.asarray(X, dtype=EXTENDED)]
    total = Fraction(0)
    for k, alpha in enumerate(alphas):
        w, b = [exact(v) for v in coef[k]], exact(intercept[k])
        total += exact(alpha) * sum(v * v for v in w)
        for row, y, s in zip(rows, Y[:, k], weights, strict=True):
            total += exact(s) * (exact(y) - sum(x * v for x, v in zip(row, w, strict=True)) - b) ** 2
    return total


def squared_minimizer(X: Any, Y: Any, weights: Any, alphas: Any, *, fit_intercept: bool) -> tuple[Any, Any]:
    """Orthogonal solution of the augmented system on scaled columns, then refined in extended precision."""
    X, Y = np.asarray(X, dtype=EXTENDED), np.asarray(Y, dtype=EXTENDED)
    weights = np.asarray(weights, dtype=EXTENDED)
    total = weights.sum()
    mean_x = weights @ X / total if fit_intercept else np.zeros(X.shape[1], dtype=EXTENDED)
    mean_y = weights @ Y / total if fit_intercept else np.zeros(Y.shape[1], dtype=EXTENDED)
    root = np.sqrt(weights)[:, None]
    table, target = root * (X - mean_x), root * (Y - mean_y)
    coef = np.zeros((Y.shape[1], X.shape[1]), dtype=EXTENDED)
    for k, alpha in enumerate(np.asarray(alphas, dtype=EXTENDED)):
        rows = np.vstack([table, np.sqrt(alpha) * np.eye(X.shape[1])])
        right = np.concatenate([target[:, k], np.zeros(X.shape[1])])
        scale = np.sqrt((rows * rows).sum(axis=0))
        scale[scale == 0] = 1.0
        solver = np.linalg.pinv(np.asarray(rows / scale, dtype=float), rcond=1e-13)
        for _ in range(5):
            coef[k] += solver @ np.asarray(right - rows @ coef[k], dtype=float) / scale
    return coef, mean_y - coef @ mean_x


def logistic_objective(X: Any, codes: Any, weights: Any, l1: float, l2: float, coef: Any, intercept: Any) -> Any:
    """sum_i s_i l(y_i, W x_i + b) + l2/2 |W|^2 + l1 |W|_1 in extended precision; one row of W for two classes."""
    X, coef = np.asarray(X, dtype=EXTENDED), np.asarray(coef, dtype=EXTENDED)
    scores = X @ coef.T + np.asarray(intercept, dtype=EXTENDED)
    if scores.shape[1] == 1:
        scores = np.hstack([np.zeros_like(scores), scores])
    # Relative to the right class's score, so that small losses keep their digits.
    scores = scores - scores[np.arange(len(scores)), codes][:, None]
    top = scores.max(axis=1)
    others = np.exp(scores - top[:, None])
    others[np.arange(len(scores)), codes] -= np.exp(-top)
    losses = top + np.log1p(np.exp(-top) - 1 + others.sum(axis=1))
    return np.asarray(weights, dtype=EXTENDED) @ losses + l2 / 2 * (coef**2).sum() + l1 * np.abs(coef).sum()


def logistic_rounding(X: Any, weights: Any, coef: Any, intercept: Any) -> float:
    """Bound on the rounding error of `logistic_objective`, its share of the result apart."""
    size = np.abs(np.asarray(X, dtype=float)) @ np.abs(np.asarray(coef, dtype=float)).T + np.abs(intercept)
    return float(2e-19 * (X.shape[1] + 8) * np.asarray(weights, dtype=float) @ size.sum(axis=1))


class Logistic:
    """The smooth part with a constant column appended, in double precision."""

    def __init__(self, X: Any, codes: Any, weights: Any, classes: int, l2: float, *, fit_intercept: bool) -> None:
        X = np.asarray(X, dtype=EXTENDED)
        self.mean = X.mean(axis=0) if fit_intercept else np.zeros(X.shape[1], dtype=EXTENDED)
        constant = np.full((len(X), 1), 1.0 if fit_intercept else 0.0)
        self.X = np.hstack([np.asarray(X - self.mean, dtype=float), constant])
        self.outputs = 1 if classes == 2 else classes
        self.weights = np.asarray(weights, dtype=float)
        self.onehot = np.eye(classes)[codes]
        self.codes, self.l2, self.fit_intercept = codes, l2, fit_intercept
        self.penalized = np.append(np.ones(self.X.shape[1] - 1), 0.0)

    def solution(self, W: Any) -> tuple[Any, Any]:
        """Coefficients and intercepts (in extended precision) of the table that is not centered."""
        return W[:, :-1], W[:, -1] - W[:, :-1] @ self.mean if self.fit_intercept else np.zeros(len(W))

    def probabilities(self, W: Any) -> Any:
        scores = self.X @ W.T
        full = np.hstack([np.zeros_like(scores), scores]) if self.outputs == 1 else scores
        powers = np.exp(full - full.max(axis=1, keepdims=True))
        p = powers / powers.sum(axis=1, keepdims=True)
        return p[:, 1:] if self.outputs == 1 else p

    def gradient(self, W: Any) -> Any:
        target = self.onehot[:, 1:] if self.outputs == 1 else self.onehot
        residual = self.weights[:, None] * (self.probabilities(W) - target)
        return residual.T @ self.X + self.l2 * self.penalized * W

    def hessian(self, W: Any) -> Any:
        p = self.probabilities(W)
        size = self.outputs * self.X.shape[1]
        if self.outputs == 1:
            blocks = (p * (1 - p))[:, :, None]
        else:
            blocks = p[:, :, None] * np.eye(self.outputs) - p[:, :, None] * p[:, None, :]
        full = np.einsum("i,ikl,ia,ib->kalb", self.weights, blocks, self.X, self.X).reshape(size, size)
        return full + self.l2 * np.diag(np.tile(self.penalized, self.outputs))


def logistic_minimizer(
    X: Any, codes: Any, weights: Any, classes: int, l2: float, *, fit_intercept: bool
) -> tuple[Any, Any]:
    """Damped Newton steps from zero until they no longer help."""
    problem = Logistic(X, codes, weights, classes, l2, fit_intercept=fit_intercept)

    def value(W: Any) -> Any:
        return logistic_objective(X, codes, weights, 0.0, l2, *problem.solution(W))

    W = np.zeros((problem.outputs, problem.X.shape[1]))
    current = value(W)
    for _ in range(100):
        step = np.linalg.lstsq(problem.hessian(W), problem.gradient(W).ravel(), rcond=1e-14)[0].reshape(W.shape)
        for damping in 0.5 ** np.arange(25):
            trial = value(W - damping * step)
            if trial < current:
                break
        else:
            break
        W, current = W - damping * step, trial
    return problem.solution(W)


def elastic_net_minimizer(
    X: Any, codes: Any, weights: Any, classes: int, l1: float, l2: float, *, fit_intercept: bool, steps: int = 3000
) -> tuple[Any, Any]:
    """FISTA with restarts (proximal gradient steps of the inverse Lipschitz constant)."""
    problem = Logistic(X, codes, weights, classes, l2, fit_intercept=fit_intercept)
    bound = np.linalg.norm(np.sqrt(problem.weights)[:, None] * problem.X, 2) ** 2 / (4 if classes == 2 else 2) + l2
    bound = max(bound, 1e-9)  # a table of zeros
    W = np.zeros((problem.outputs, problem.X.shape[1]))
    ahead, momentum = W.copy(), 1.0
    for _ in range(steps):
        moved = ahead - problem.gradient(ahead) / bound
        threshold = l1 * problem.penalized / bound
        new = np.sign(moved) * np.maximum(np.abs(moved) - threshold, 0.0)
        if np.sum((ahead - new) * (new - W)) > 0.0:
            momentum = 1.0
        following = (1.0 + np.sqrt(1.0 + 4.0 * momentum**2)) / 2.0
        ahead = new + (momentum - 1.0) / following * (new - W)
        if np.array_equal(new, W):
            break
        W, momentum = new, following
    return problem.solution(W)
