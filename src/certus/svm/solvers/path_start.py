"""The solution of a soft margin for C close to zero, where the path begins.

There the total of the multipliers counts and nothing else: the class of less weight is at its bounds, and the other
one shares out the same total so that the norm is smallest. The shares a / C do not depend on C.
"""

from __future__ import annotations

import numpy as np

from certus.svm import _native_calls
from certus.svm._native_calls import ONE_SUM, WHOLE, Floats, Options, Problems
from certus.svm.solvers.dual_problems import fill
from certus.svm.solvers.path_follower import PathProblem


def first_shares(problem: PathProblem, options: Options) -> tuple[Floats, float]:
    """The shares a / C for small C, and the intercept at C = 0."""
    sign, weights = problem.sign, problem.weights
    if not problem.bias:
        return weights.copy(), 0.0
    totals = {side: float(weights[sign == side].sum()) for side in (-1.0, 1.0)}
    less = min(totals.values())
    if abs(totals[1.0] - totals[-1.0]) <= 1e-12 * less:
        return weights.copy(), 0.0
    heavy = max(totals, key=lambda side: totals[side])
    many, few = np.flatnonzero(sign == heavy), np.flatnonzero(sign != heavy)
    linear = -(problem.gram[np.ix_(many, few)] @ weights[few])
    scale = max(float(np.abs(linear).max()), 1e-300)
    shares = weights.copy()
    shares[many] = _shared_out(problem.gram[np.ix_(many, many)], linear, weights[many], less, scale, options)
    return shares, heavy


def _shared_out(gram: Floats, linear: Floats, upper: Floats, total: float, scale: float, options: Options) -> Floats:
    """Minimize 1/2 a'Ka + p'a over 0 <= a <= upper with the given sum."""
    rows = len(linear)
    problems = Problems(
        ONE_SUM,
        1,
        np.arange(rows, dtype=np.int32),
        np.array([0, rows], dtype=np.int64),
        np.ones(rows, dtype=np.int8),
        linear,
        upper,
    )
    fine = Options(1e-9 * scale, 1e-13 * scale, options.max_steps, options.cache_bytes, options.threads)
    return _native_calls.solve(np.ascontiguousarray(gram), WHOLE, problems, fill(upper, total), fine).alpha


def exact_solution(problem: PathProblem, C: float, start: Floats, options: Options) -> tuple[Floats, float]:
    """Multipliers and intercept at one C, from a feasible start."""
    rows = len(problem.gram)
    problems = Problems(
        ONE_SUM if problem.bias else _native_calls.NO_BIAS,
        len(problem.sign) // rows,
        np.arange(rows, dtype=np.int32),
        np.array([0, rows], dtype=np.int64),
        problem.sign.astype(np.int8),
        problem.linear,
        C * problem.weights,
    )
    start = np.clip(start, 0.0, problems.upper)
    solved = _native_calls.solve(problem.gram, WHOLE, problems, start, options)
    return solved.alpha, float(solved.centers[0, 0]) if problem.bias else 0.0
