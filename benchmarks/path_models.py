"""Paths of lasso problems and single sparse ones, with one ``fit(X, y)`` for every library."""

from typing import Any

import numpy as np
from scipy import sparse

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


class SparseLasso:
    """One lasso of a sparse table that comes as rows, columns and values; penalty as a share of the largest."""

    def __init__(self, path: str, share: float, tol: float) -> None:
        self.path, self.share, self.tol = path, share, tol

    def fit(self, triplets: np.ndarray, y: np.ndarray) -> Any:
        from importlib import import_module

        rows, columns = triplets[0].astype(np.int32), triplets[1].astype(np.int32)
        X = sparse.csc_matrix((triplets[2], (rows, columns)), shape=(len(y), int(columns.max()) + 1))
        alpha = self.share * np.abs(X.T @ y).max() / len(y)
        module, name = self.path.rsplit(".", 1)
        model = getattr(import_module(module), name)(alpha=alpha, fit_intercept=False, tol=self.tol)
        self.alphas_, self.coefs_ = np.array([alpha]), model.fit(X, y).coef_[:, None]
        self.X_ = X
        return self
