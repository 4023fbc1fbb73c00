"""Probabilities from decision values: Platt's sigmoid, fitted out of fold, and coupling of the pairs.

Platt (1999), "Probabilistic outputs for support vector machines"; the Newton method with backtracking of Lin, Lin
and Weng (2007), "A note on Platt's probabilistic outputs"; the second coupling method of Wu, Lin and Weng (2004),
"Probability estimates for multi-class classification by pairwise coupling".
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from certus.svm import _native_calls
from certus.svm._native_calls import Floats, Kernel, Table
from certus.svm.solvers.dual_problems import class_pairs
from certus.svm.solvers.verified_solution import Solution

Train = Callable[[Table, NDArray[np.intp], Floats], Solution]  # (table, classes 0 and 1, weights) -> one problem's
FOLDS = 5
SMALLEST = 1e-7  # probabilities of a pair are kept this far from 0 and 1 before coupling


def fit_pairs(
    train: Train,
    table: Table,
    kernel: Kernel,
    codes: NDArray[np.intp],
    weights: Floats,
    generator: np.random.Generator,
) -> tuple[Floats, Floats]:
    """Slope and offset of the sigmoid of every pair a < b: P(a) = 1 / (1 + exp(slope decision + offset))."""
    slopes, offsets = [], []
    for a, b in class_pairs(int(codes.max()) + 1):
        members = np.flatnonzero((codes == a) | (codes == b))
        positive = codes[members] == a
        decisions = _out_of_fold(train, table, kernel, members, positive, weights, generator)
        slope, offset = fit_sigmoid(decisions, positive)
        slopes.append(slope)
        offsets.append(offset)
    return np.array(slopes), np.array(offsets)


def _out_of_fold(
    train: Train,
    table: Table,
    kernel: Kernel,
    members: NDArray[np.intp],
    positive: NDArray[np.bool_],
    weights: Floats,
    generator: np.random.Generator,
) -> Floats:
    """Decision values of each row by the machine that was trained without its fold; positive means class a."""
    order = generator.permutation(len(members))
    decisions = np.empty(len(members))
    for held in np.array_split(order, min(FOLDS, len(members))):
        rest = np.setdiff1d(order, held)
        if positive[rest].all() or not positive[rest].any():
            decisions[held] = 1.0 if positive[rest].all() else -1.0
            continue
        rows = members[rest]
        given = kernel[0] == _native_calls.GIVEN
        own = np.ascontiguousarray(table[np.ix_(rows, rows)]) if given else table[rows]
        solution = train(own, (~positive[rest]).astype(np.intp), weights[rows])
        coefficients = np.zeros(len(rows))
        coefficients[solution.problems.members] = -solution.coefficients(0)
        decisions[held] = _sums(table, kernel, members[held], rows, coefficients) - solution.middle[0]
    return decisions


def _sums(
    table: Table, kernel: Kernel, queries: NDArray[np.intp], rows: NDArray[np.intp], coefficients: Floats
) -> Floats:
    used = np.flatnonzero(coefficients)
    if kernel[0] == _native_calls.GIVEN:
        return np.asarray(table[np.ix_(queries, rows[used])] @ coefficients[used], dtype=np.float64)
    groups = np.array([0, len(used)], dtype=np.int64)
    found = _native_calls.expand(table[queries], table[rows[used]], kernel, groups, coefficients[None, used], 1)
    return found[:, 0, 0]


def fit_sigmoid(decisions: Floats, positive: NDArray[np.bool_]) -> tuple[float, float]:
    """Slope A and offset B that maximize the likelihood of the smoothed targets under 1 / (1 + exp(A f + B))."""
    many, few = positive.sum(), (~positive).sum()
    target = np.where(positive, (many + 1.0) / (many + 2.0), 1.0 / (few + 2.0))
    slope, offset = 0.0, float(np.log((few + 1.0) / (many + 1.0)))

    def loss(a: float, b: float) -> float:
        z = a * decisions + b
        return float((np.logaddexp(0.0, z) - (1.0 - target) * z).sum())

    value = loss(slope, offset)
    for _ in range(100):
        p = expit(-(slope * decisions + offset))
        error, spread = target - p, p * (1.0 - p)
        gradient = np.array([error @ decisions, error.sum()])
        if np.abs(gradient).max() < 1e-5:
            break
        hessian = np.array([[spread @ decisions**2, spread @ decisions], [spread @ decisions, spread.sum()]])
        direction = -np.linalg.solve(hessian + 1e-12 * np.eye(2), gradient)
        step = 1.0
        while step >= 1e-10:
            trial = loss(slope + step * direction[0], offset + step * direction[1])
            if trial < value + 1e-4 * step * float(gradient @ direction):
                slope, offset, value = slope + step * direction[0], offset + step * direction[1], trial
                break
            step /= 2.0
        else:
            break
    return float(slope), float(offset)


def class_probabilities(decisions: Floats, slopes: Floats, offsets: Floats, classes: int) -> Floats:
    """Probabilities of all classes from the decision values of all pairs."""
    of_first = np.clip(expit(-(slopes * decisions + offsets)), SMALLEST, 1.0 - SMALLEST)
    if classes == 2:
        return np.column_stack([of_first[:, 0], 1.0 - of_first[:, 0]])
    pairwise = np.zeros((len(decisions), classes, classes))
    for number, (a, b) in enumerate(class_pairs(classes)):
        pairwise[:, a, b] = of_first[:, number]
        pairwise[:, b, a] = 1.0 - of_first[:, number]
    return _coupled(pairwise)


def _coupled(pairwise: Floats) -> Floats:
    """Minimize sum_ab (r_ba p_a - r_ab p_b)^2 over distributions p: fixed-point steps of Wu, Lin, Weng, eq. 47."""
    rows, classes, _ = pairwise.shape
    q = -np.swapaxes(pairwise, 1, 2) * pairwise
    diagonal = (pairwise**2).sum(axis=1)
    q[:, np.arange(classes), np.arange(classes)] = diagonal
    p = np.full((rows, classes), 1.0 / classes)
    for _ in range(max(100, classes)):
        qp = np.einsum("iab,ib->ia", q, p)
        value = (p * qp).sum(axis=1, keepdims=True)
        active = np.abs(qp - value).max(axis=1) >= 0.005 / classes
        if not active.any():
            break
        for t in range(classes):
            change = np.where(active, (value[:, 0] - qp[:, t]) / diagonal[:, t], 0.0)
            p[:, t] += change
            scale = 1.0 + change
            value[:, 0] = (value[:, 0] + change * (change * diagonal[:, t] + 2.0 * qp[:, t])) / scale**2
            qp = (qp + change[:, None] * q[:, t]) / scale[:, None]
            p /= scale[:, None]
    return p
