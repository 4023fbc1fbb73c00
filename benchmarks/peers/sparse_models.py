"""L1 models of sparse tables that come as rows, columns and values, with one ``fit(X, y)`` for every library.

The matrix is built once per process, so that warm calls time the library alone.
"""

from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
from scipy import sparse

_triplets: dict[str, np.ndarray] = {}


@cache
def matrix(form: str, rows: int) -> Any:
    """The table of this process in one of scipy's formats ("csr" or "csc")."""
    where = (_triplets["X"][0].astype(np.int32), _triplets["X"][1].astype(np.int32))
    shape = (rows, int(where[1].max()) + 1)
    return sparse.coo_matrix((_triplets["X"][2], where), shape=shape).asformat(form)


class SparseModel:
    """One model; the penalty is a share of the least one that makes all coefficients 0."""

    def __init__(self, path: str, share: float, tol: float, form: str = "csc", **parameters: Any) -> None:
        self.path, self.share, self.tol, self.form, self.parameters = path, share, tol, form, parameters

    def build(self, **parameters: Any) -> Any:
        module, name = self.path.rsplit(".", 1)
        return getattr(import_module(module), name)(fit_intercept=False, tol=self.tol, **parameters, **self.parameters)

    def table(self, triplets: np.ndarray, y: np.ndarray) -> Any:
        _triplets["X"] = triplets
        return matrix(self.form, len(y))


class SparseLasso(SparseModel):
    def fit(self, triplets: np.ndarray, y: np.ndarray) -> Any:
        X = self.table(triplets, y)
        penalty = self.share * np.abs(X.T @ y).max()
        scaled = {"regularizer": penalty} if self.path.startswith("snapml") else {"alpha": penalty / len(y)}
        self.alphas_, self.X_ = np.array([penalty / len(y)]), X
        self.coefs_ = np.ravel(self.build(**scaled).fit(X, y).coef_)[:, None]
        return self


class SparseLogistic(SparseModel):
    def fit(self, triplets: np.ndarray, y: np.ndarray) -> Any:
        X = self.table(triplets, y)
        self.penalty_, self.X_ = self.share * np.abs(X.T @ (y - 0.5)).max(), X
        self.coef_ = np.ravel(self.build(**logistic_scale(self.path, self.penalty_, len(y))).fit(X, y).coef_)
        return self


class DenseLogistic:
    """L1 logistic regression of a small dense table."""

    def __init__(self, path: str, C: float, tol: float, **parameters: Any) -> None:
        self.path, self.C, self.tol, self.parameters = path, C, tol, parameters

    def fit(self, X: np.ndarray, y: np.ndarray) -> Any:
        module, name = self.path.rsplit(".", 1)
        scaled = logistic_scale(self.path, 1.0 / self.C, len(y))
        model = getattr(import_module(module), name)(fit_intercept=False, tol=self.tol, **scaled, **self.parameters)
        self.penalty_, self.coef_ = 1.0 / self.C, np.ravel(model.fit(X, y).coef_)
        return self


def logistic_scale(path: str, penalty: float, rows: int) -> dict[str, float]:
    """The penalty on |w|_1 next to the sum of losses, in the library's own words."""
    if path.startswith("skglm"):
        return {"alpha": penalty / rows}
    return {"regularizer": penalty} if path.startswith("snapml") else {"C": 1.0 / penalty}


def logistic_gap(X: Any, y: np.ndarray, w: np.ndarray, penalty: float) -> float:
    """Duality gap relative to the objective at zero; the dual point is the model's own, shrunk to be feasible."""
    signs = 2.0 * y - 1.0
    margins = signs * (X @ w)
    dual = np.exp(-np.logaddexp(0.0, margins))
    dual = dual * min(1.0, penalty / np.abs(X.T @ (dual * signs)).max())
    entropy = -(dual * np.log(np.maximum(dual, 1e-300)) + (1.0 - dual) * np.log1p(-dual)).sum()
    primal = penalty * np.abs(w).sum() + np.logaddexp(0.0, -margins).sum()
    return float((primal - entropy) / (len(y) * np.log(2.0)))
