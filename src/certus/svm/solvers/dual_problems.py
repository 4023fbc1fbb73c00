"""The quadratic problems of the five machines, in the form of cpp/svm/problem.hpp, and feasible starts."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

from certus.svm._native_calls import NO_BIAS, ONE_SUM, TWO_SUMS, Floats, Parts, Problems


def class_pairs(count: int) -> list[tuple[int, int]]:
    """All pairs a < b of class numbers, in the order of the decision values."""
    return list(combinations(range(count), 2))


def c_classification(
    codes: NDArray[np.intp], upper: Floats, classes: int, *, bias: bool = True
) -> tuple[Problems, Floats]:
    """C-SVC for every pair of classes: the higher class is positive, p = -1, 0 <= a_i <= C_i."""
    members, starts, sign, parts = _pair_members(codes, classes)
    problems = Problems(
        ONE_SUM if bias else NO_BIAS, 1, members, starts, sign, np.full(len(members), -1.0), upper[members], parts
    )
    return problems, np.zeros(len(members))


def one_vs_rest(codes: NDArray[np.intp], upper: Floats, classes: int, *, bias: bool = True) -> tuple[Problems, Floats]:
    """C-SVC of every class against all others, over all rows; with two classes only that of the second one."""
    labels = [1] if classes == 2 else list(range(classes))
    rows = len(codes)
    problems = Problems(
        ONE_SUM if bias else NO_BIAS,
        1,
        np.tile(np.arange(rows, dtype=np.int32), len(labels)),
        np.arange(len(labels) + 1, dtype=np.int64) * rows,
        np.concatenate([np.where(codes == label, 1, -1).astype(np.int8) for label in labels]),
        np.full(rows * len(labels), -1.0),
        np.tile(upper, len(labels)),
    )
    return problems, np.zeros(rows * len(labels))


def nu_classification(
    codes: NDArray[np.intp], weights: Floats, classes: int, nu: float | Sequence[float]
) -> tuple[Problems, Floats]:
    """nu-SVC for every pair: p = 0, 0 <= a_i <= w_i, the sum of each class is nu sum(w) / 2; one nu or many."""
    members, starts, sign, parts = _pair_members(codes, classes)
    upper = weights[members]
    start = np.zeros(len(members))
    for (first, last), own_nu in zip(pairwise(starts), np.broadcast_to(nu, len(starts) - 1), strict=True):
        rows = np.arange(first, last)
        demanded = own_nu * upper[rows].sum() / 2.0
        for side in (1, -1):
            own = rows[sign[rows] == side]
            if upper[own].sum() < demanded * (1.0 - 1e-12):
                raise ValueError(
                    f"The specified nu is infeasible: nu={own_nu:g} needs a total weight of {demanded:g} in each of "
                    f"two classes, and one of them has only {upper[own].sum():g}.\nHint: use a smaller nu."
                )
            start[own] = fill(upper[own], demanded)
    return Problems(TWO_SUMS, 1, members, starts, sign, np.zeros(len(members)), upper, parts), start


def one_of(problems: Problems, number: int) -> Problems:
    """One of several problems, by itself."""
    rows, variables = problems.rows(number), problems.variables(number)
    return Problems(
        problems.bias,
        problems.copies,
        problems.members[rows],
        np.array([0, rows.stop - rows.start], dtype=np.int64),
        problems.sign[variables],
        problems.linear[variables],
        problems.upper[variables],
    )


def epsilon_regression(y: Floats, upper: Floats, epsilon: float) -> tuple[Problems, Floats]:
    """epsilon-SVR: two variables per row, p = epsilon -/+ y, 0 <= a_i, a*_i <= C_i."""
    return _regression(y, upper, epsilon, ONE_SUM), np.zeros(2 * len(y))


def nu_regression(y: Floats, upper: Floats, nu: float) -> tuple[Problems, Floats]:
    """nu-SVR: p = -/+ y, the sums of both halves are nu sum(C) / 2."""
    start = fill(upper, nu * upper.sum() / 2.0)
    return _regression(y, upper, 0.0, TWO_SUMS), np.concatenate([start, start])


def one_class(weights: Floats, nu: float) -> tuple[Problems, Floats]:
    """One-class SVM: p = 0, 0 <= a_i <= w_i, the sum is nu sum(w)."""
    rows = len(weights)
    problems = Problems(
        ONE_SUM,
        1,
        np.arange(rows, dtype=np.int32),
        np.array([0, rows], dtype=np.int64),
        np.ones(rows, dtype=np.int8),
        np.zeros(rows),
        np.ascontiguousarray(weights),
    )
    return problems, fill(weights, nu * weights.sum())


def _regression(y: Floats, upper: Floats, epsilon: float, bias: int) -> Problems:
    rows = len(y)
    return Problems(
        bias,
        2,
        np.arange(rows, dtype=np.int32),
        np.array([0, rows], dtype=np.int64),
        np.repeat(np.array([1, -1], dtype=np.int8), rows),
        np.concatenate([epsilon - y, epsilon + y]),
        np.concatenate([upper, upper]),
    )


def fill(upper: Floats, total: float) -> Floats:
    """Values from the first on at their upper bounds until their sum is the total."""
    return np.clip(total - (np.cumsum(upper) - upper), 0.0, upper)


def _pair_members(
    codes: NDArray[np.intp], classes: int
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int8], Parts]:
    """Rows, first rows and signs of the problems of all pairs of classes, and the classes as parts."""
    by_class = np.argsort(codes, kind="stable").astype(np.int32)
    sizes = np.bincount(codes, minlength=classes)
    ends = np.concatenate([[0], np.cumsum(sizes)])
    rows = [by_class[first:last] for first, last in pairwise(ends)]
    pairs = np.array(class_pairs(classes), dtype=np.int32)
    members = np.concatenate([half for a, b in pairs for half in (rows[a], rows[b])])
    sign = np.repeat(np.tile(np.array([-1, 1], dtype=np.int8), len(pairs)), sizes[pairs].ravel())
    starts = np.concatenate([[0], np.cumsum(sizes[pairs].sum(axis=1))]).astype(np.int64)
    return members, starts, sign, Parts(by_class, ends.astype(np.int64), pairs.ravel())
