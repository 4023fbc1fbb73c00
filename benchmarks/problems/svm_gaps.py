"""Duality gaps of fitted support vector machines, whoever fitted them, from their public attributes.

All are relative to the objective at zero coefficients (for the one-class machine to the number of rows) and
assume the Gaussian kernel, C = 1 and equal weights.
"""

from itertools import combinations, pairwise
from typing import Any

import numpy as np

from benchmarks.measure.task import Data, Quality

_BLOCK = 1024
_EPSILON = 0.1  # SVR's default


def classification_gap(model: Any, _prediction: Any, data: Data) -> float:
    """Sum over the pairs of classes: beta'K beta + C sum of hinge losses - sum of multipliers."""
    X, codes = data["X"], np.searchsorted(model.classes_, data["y"])
    ends = np.concatenate([[0], np.cumsum(model.n_support_)])
    of_class = [slice(first, last) for first, last in pairwise(ends)]
    dual, intercepts, support = np.asarray(model.dual_coef_), np.ravel(model.intercept_), np.asarray(model.support_)
    gap = zero = 0.0
    for number, (a, b) in enumerate(combinations(range(len(model.classes_)), 2)):
        used = np.concatenate([support[of_class[a]], support[of_class[b]]])
        beta = np.concatenate([dual[b - 1, of_class[a]], dual[a, of_class[b]]])
        if len(model.classes_) == 2:
            beta = -beta  # there a positive decision means the second class
            intercepts = -intercepts
        rows = np.flatnonzero((codes == a) | (codes == b))
        scores = _scores(X, rows, used, beta, _gamma(X))
        losses = np.maximum(0.0, 1.0 - np.where(codes[rows] == a, 1.0, -1.0) * (scores + intercepts[number]))
        gap += _quadratic(rows, used, beta, scores) + losses.sum() - np.abs(beta).sum()
        zero += len(rows)
    return float(gap / zero)


def regression_gap(model: Any, _prediction: Any, data: Data) -> float:
    """beta'K beta + C sum of losses outside the tube + epsilon sum |beta| - y'beta."""
    X, y = data["X"], data["y"]
    rows, used, beta = np.arange(len(X)), np.asarray(model.support_), np.ravel(model.dual_coef_)
    scores = _scores(X, rows, used, beta, _gamma(X))
    losses = np.maximum(0.0, np.abs(y - scores - np.ravel(model.intercept_)) - _EPSILON)
    cost = float(model.C)
    gap = _quadratic(rows, used, beta, scores) + cost * losses.sum() + _EPSILON * np.abs(beta).sum() - y[used] @ beta
    return float(gap / (cost * np.maximum(0.0, np.abs(y) - _EPSILON).sum()))


def one_class_gap(model: Any, _prediction: Any, data: Data) -> float:
    """beta'K beta - rho nu n + sum of max(0, rho - score), with multipliers that sum to nu n."""
    X = data["X"]
    rows, used, beta = np.arange(len(X)), np.asarray(model.support_), np.ravel(model.dual_coef_)
    scores, rho = _scores(X, rows, used, beta, _gamma(X)), -float(np.ravel(model.intercept_)[0])
    gap = _quadratic(rows, used, beta, scores) - rho * beta.sum() + np.maximum(0.0, rho - scores).sum()
    return float(gap / len(X))


def small(measure: Any) -> Quality:
    """At most a ten-thousandth of the objective at zero coefficients, which tol=1e-3 gives with everybody."""
    return Quality("relative gap", measure, wanted=1e-4)


def _gamma(X: np.ndarray) -> float:
    return 1.0 / (X.shape[1] * X.var())


def _scores(X: np.ndarray, rows: np.ndarray, used: np.ndarray, beta: np.ndarray, gamma: float) -> np.ndarray:
    from sklearn.metrics.pairwise import rbf_kernel

    blocks = np.array_split(rows, -(-len(rows) // _BLOCK))
    return np.concatenate([rbf_kernel(X[block], X[used], gamma=gamma) @ beta for block in blocks])


def _quadratic(rows: np.ndarray, used: np.ndarray, beta: np.ndarray, scores: np.ndarray) -> float:
    """beta'K beta; `rows` are in order."""
    return float(beta @ scores[np.searchsorted(rows, used)])
