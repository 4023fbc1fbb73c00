"""Tables for the linear machines, and how far a fitted machine is from the optimum of its objective."""

from typing import Any

import numpy as np
from scipy import optimize, sparse

from benchmarks.measure.task import Data
from benchmarks.problems import data, objectives


def two_classes(n: int, d: int, C: float, squared: bool) -> Data:
    """Normal columns, a noisy linear boundary, and the least objective of the machine."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    y = (X @ rng.normal(size=d) / np.sqrt(d) + 0.5 * rng.normal(size=n) > 0).astype(int)
    return {"X": X, "y": y, **_optimum(X, y, C, squared)}


def pass_table(n: int, d: int, dtype: str = "float64") -> Data:
    """As above without an optimum, for one pass of stochastic descent."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    y = (X @ rng.normal(size=d) / np.sqrt(d) + 0.5 * rng.normal(size=n) > 0).astype(int)
    return {"X": X.astype(dtype), "y": y}


def machine_value(X: Any, y: np.ndarray, w: np.ndarray, b: float, C: float, squared: bool) -> float:
    """|(w, b)|^2 / 2 + C sum of losses."""
    slack = np.maximum(0.0, 1.0 - np.where(y == 1, 1.0, -1.0) * (X @ w + b))
    return float(0.5 * (w @ w + b * b) + C * (slack**2 if squared else slack).sum())


def machine_gap(model: Any, arrays: Data, C: float, squared: bool) -> float:
    """(F(w, b) - F*) / F(0); snapml stores its coefficients, intercept last or apart, in the same places."""
    reached = machine_value(
        arrays["X"], arrays["y"], np.ravel(model.coef_), float(np.ravel(model.intercept_)[0]), C, squared
    )
    return float((reached - arrays["optimum"]) / arrays["value_at_zero"])


def _optimum(X: np.ndarray, y: np.ndarray, C: float, squared: bool) -> Data:
    """F*, from below: the dual value at the coefficients that L-BFGS finds for a smoothed loss."""
    signs, Z = np.where(y == 1, 1.0, -1.0), np.hstack([X, np.ones((len(y), 1))])
    best, w = -np.inf, np.zeros(Z.shape[1])
    for width in (0.0,) if squared else (1e-1, 1e-2, 1e-3, 1e-4):

        def smoothed(v: np.ndarray, width: float = width) -> tuple[float, np.ndarray]:
            slack = np.maximum(0.0, 1.0 - signs * (Z @ v))
            if squared:
                value, slope = slack**2, 2.0 * slack
            else:
                value = np.where(slack < width, slack**2 / (2.0 * width), slack - width / 2.0)
                slope = np.minimum(slack / width, 1.0)
            return 0.5 * v @ v + C * value.sum(), v - C * Z.T @ (signs * slope)

        w = optimize.minimize(
            smoothed,
            w,
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": 500, "maxcor": 30, "ftol": 1e-16, "gtol": 1e-9},
        ).x
        slack = np.maximum(0.0, 1.0 - signs * (Z @ w))
        dual = C * (2.0 * slack if squared else np.minimum(slack / width, 1.0))
        image = Z.T @ (signs * dual)
        value = dual.sum() - 0.5 * image @ image - ((dual**2).sum() / (4.0 * C) if squared else 0.0)
        best = max(best, float(value))
    return {"optimum": np.float64(best), "value_at_zero": np.float64(C * len(y))}


def text_like(n: int, p: int, classes: int, density: float, C: float | None = None) -> Data:
    """Sparse rows with many rare columns and several classes; with C also the optimum of the logistic objective."""
    rng = np.random.default_rng(0)
    X = sparse.random_array((n, p), density=density, rng=rng, format="csr", data_sampler=rng.lognormal)
    X = sparse.csr_array(X / np.sqrt(np.maximum(X.multiply(X).sum(axis=1), 1e-300))[:, None])
    topics = rng.normal(size=(p, classes)) * (rng.random((p, classes)) < 0.05)
    y = np.asarray(X @ topics).argmax(axis=1)
    return {"X": X, "y": y} if C is None else {"X": X, "y": y, **objectives.sparse_logistic_optimum(X, y, C)}


def breast_cancer(C: float, squared: bool) -> Data:
    """The standardized table of 569 rows and 30 columns, with the least objective of the machine."""
    table = data.breast_cancer()
    return {**table, **_optimum(table["X"], table["y"], C, squared)}


def near_collinear(n: int, d: int) -> Data:
    """Pairs of columns that differ by one in a million, and three classes."""
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(n, d // 2)), 2, axis=1)
    X[:, 1::2] += 1e-6 * rng.normal(size=(n, d // 2))
    return {"X": X, "y": np.digitize(X[:, :6].sum(axis=1) / 2.0 + 0.3 * rng.normal(size=n), [-1.0, 1.0])}


def l1_gap(model: Any, arrays: Data) -> float:
    """Primal minus dual over the value at zero of |w|_1 + sum of squared hinge losses, over all classes.

    The dual point follows from the losses, scaled so that no column's product with it exceeds 1.
    """
    X, y, total = np.column_stack([arrays["X"], np.ones(len(arrays["y"]))]), arrays["y"], 0.0
    W = np.column_stack([model.coef_, model.intercept_])
    for k, w in enumerate(W):
        signs = np.where(y == k, 1.0, -1.0)
        slack = np.maximum(0.0, 1.0 - signs * (X @ w))
        dual = 2.0 * slack / max(1.0, float(np.abs(X.T @ (2.0 * signs * slack)).max()))
        total += float(np.abs(w).sum() + slack @ slack - dual.sum() + dual @ dual / 4.0)
    return total / (len(W) * len(y))
