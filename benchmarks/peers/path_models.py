"""Paths of lasso problems with one ``fit(X, y)`` for every library, and the gaps of small models."""

from typing import Any

import numpy as np

POINTS = 100


def grid(X: Any, y: np.ndarray, eps: float) -> np.ndarray:
    """The penalties of a path, from the least one that makes all coefficients 0."""
    return np.geomspace(1.0, eps, POINTS) * np.abs(X.T @ y).max() / len(y)


def largest_gap(model: Any, X: Any, y: np.ndarray) -> float:
    """Largest duality gap of some points of the path, relative to |y|^2 / 2 per row; no intercept."""
    gaps = [_gap(X, y, model.coefs_[:, k], model.alphas_[k]) for k in range(0, len(model.alphas_), 9)]
    return max(gaps)


def _gap(X: Any, y: np.ndarray, w: np.ndarray, alpha: float) -> float:
    residual, penalty = y - X @ w, alpha * len(y)
    scale = min(penalty / np.abs(X.T @ residual).max(), residual @ y / (residual @ residual))
    primal = 0.5 * residual @ residual + penalty * np.abs(w).sum()
    return float((primal - scale * (residual @ y) + 0.5 * scale**2 * (residual @ residual)) / (0.5 * y @ y))


class Path:
    """A path of POINTS penalties; ``tol`` is what the library calls so."""

    def __init__(self, eps: float, tol: float) -> None:
        self.eps, self.tol = eps, tol

    def fit(self, X: np.ndarray, y: np.ndarray) -> Any:
        X = np.asfortranarray(X)
        self.alphas_ = grid(X, y, self.eps)
        self.coefs_ = self.solve(X, y)
        return self


class CertusPath(Path):
    def solve(self, X: Any, y: np.ndarray) -> np.ndarray:
        from certus.linear import lasso_path

        return lasso_path(X, y, alphas=self.alphas_, tol=self.tol)[1]


class SklearnPath(Path):
    def solve(self, X: Any, y: np.ndarray) -> np.ndarray:
        from sklearn.linear_model import lasso_path

        return lasso_path(X, y, alphas=self.alphas_, tol=self.tol, max_iter=100_000)[1]


class CelerPath(Path):
    def solve(self, X: Any, y: np.ndarray) -> np.ndarray:
        from celer import celer_path

        return celer_path(X, y, "lasso", alphas=self.alphas_, tol=self.tol, max_iter=1000)[1]


class SkglmPath(Path):
    def solve(self, X: Any, y: np.ndarray) -> np.ndarray:
        from skglm import Lasso

        return Lasso(fit_intercept=False, tol=self.tol).path(X, y, self.alphas_)[1]


def centered_gap(model: Any, X: np.ndarray, y: np.ndarray, alpha: float, l1_ratio: float = 1.0) -> float:
    """Relative duality gap of an elastic net with intercept: the ridge part is rows of its own."""
    Xc, yc = X - X.mean(axis=0), y - y.mean()
    ridge = np.sqrt(alpha * (1.0 - l1_ratio) * len(y)) * np.eye(X.shape[1])
    wide, long = np.vstack([Xc, ridge]), np.concatenate([yc, np.zeros(X.shape[1])])
    return _gap(wide, long, np.ravel(model.coef_), alpha * l1_ratio * len(y) / len(long))


def ridge_gap(model: Any, X: np.ndarray, y: np.ndarray) -> float:
    """Bound on the relative distance to the least value at the chosen penalty: |gradient|^2 / (2 alpha)."""
    w, alpha = np.ravel(model.coef_), float(model.alpha_)
    residual = y - X @ w - model.intercept_
    gradient = alpha * w - (X - X.mean(axis=0)).T @ residual
    spread = y - y.mean()
    return float(gradient @ gradient / (2.0 * alpha) / (0.5 * spread @ spread))
