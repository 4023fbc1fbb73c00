"""From a problem to its verified solution: fast in single precision where that pays, checked in double.

Small problems are solved with kernel values in double precision throughout. Large ones start in single
precision; their scores are then computed anew in double, and if the stopping rule does not hold there, the
solver goes on from that point in double precision.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from certus.svm import _kernels
from certus.svm._kernels import Floats, Kernel, Options, Problems, Solved

SINGLE_FROM = 3000  # rows of a problem from which kernel values are kept in single precision


@dataclass(frozen=True)
class Solution:
    """A solution whose scores are right to double precision.

    ``middle`` is the intercept b per problem and ``margin`` the second multiplier r of the machines with nu, so
    that g_t = s_t (F + b) + p_t - r is the derivative by a_t in the Lagrangian.
    """

    problems: Problems
    alpha: Floats
    scores: Floats
    middle: Floats
    margin: Floats
    violation: Floats
    steps: Any
    reasons: Any

    def slopes(self, number: int) -> Floats:
        """The g_t of one problem."""
        problems, variables, rows = self.problems, self.problems.variables(number), self.problems.rows(number)
        scores = np.tile(self.scores[rows], problems.copies) + self.middle[number]
        return problems.sign[variables] * scores + problems.linear[variables] - self.margin[number]

    def coefficients(self, number: int) -> Floats:
        """Of every member of one problem, sum of s_t a_t: its coefficient in the kernel expansion."""
        variables = self.problems.variables(number)
        signed = self.problems.sign[variables] * self.alpha[variables]
        return signed.reshape(self.problems.copies, -1).sum(axis=0)


def solve(table: Any, kernel: Kernel, problems: Problems, start: Floats, options: Options) -> Solution:
    """Solve the problems and verify the scores."""
    largest = int(np.diff(problems.starts).max())
    if largest < SINGLE_FROM or kernel[0] == _kernels.GIVEN:
        return as_solution(problems, _kernels.solve(table, kernel, problems, start, options))
    solved = _kernels.solve(table, kernel, problems, start, options, single=True)
    verified = _verified(table, kernel, problems, solved, options.threads)
    unfinished = (verified.violation > options.tolerance) & (solved.reasons == _kernels.CONVERGED)
    if unfinished.any():
        finished = _kernels.solve(table, kernel, problems, solved.alpha, options)
        finished = replace(finished, steps=finished.steps + solved.steps)
        return as_solution(problems, finished)
    return as_solution(problems, verified)


def as_solution(problems: Problems, solved: Solved) -> Solution:
    """Intercept and margin out of the two centers."""
    if problems.bias == _kernels.TWO_SUMS:
        middle = solved.centers.mean(axis=1)
        margin = (solved.centers[:, 1] - solved.centers[:, 0]) / 2.0
    elif problems.bias == _kernels.ONE_SUM:
        middle, margin = solved.centers[:, 0].copy(), np.zeros(problems.count)
    else:
        middle, margin = np.zeros(problems.count), np.zeros(problems.count)
    return Solution(
        problems, solved.alpha, solved.scores, middle, margin, solved.violation, solved.steps, solved.reasons
    )


def _verified(table: Any, kernel: Kernel, problems: Problems, solved: Solved, threads: int) -> Solved:
    """The same solution with scores, centers and violation computed from kernel values in double precision."""
    scores, centers, violation = np.empty_like(solved.scores), solved.centers.copy(), solved.violation.copy()
    for number in range(problems.count):
        rows, variables = problems.rows(number), problems.variables(number)
        members = problems.members[rows]
        signed = problems.sign[variables] * solved.alpha[variables]
        coefficients = signed.reshape(problems.copies, -1).sum(axis=0)
        used = np.flatnonzero(coefficients)
        own = table if len(members) == table.shape[0] else table[members]
        groups = np.array([0, len(used)], dtype=np.int64)
        found = _kernels.expand(own, own[used], kernel, groups, coefficients[None, used], threads)
        scores[rows] = found[:, 0, 0]
        centers[number], violation[number] = _centers(problems, variables, solved.alpha, scores[rows])
    return replace(solved, scores=scores, centers=centers, violation=violation)


def _centers(problems: Problems, variables: slice, alpha: Floats, scores: Floats) -> tuple[Floats, float]:
    """The values v of cpp/svm/problem.hpp at the free variables, and the largest violation."""
    sign, upper, alpha = problems.sign[variables], problems.upper[variables], alpha[variables]
    values = -sign * problems.linear[variables] - np.tile(scores, problems.copies)
    rises = np.where(sign > 0, alpha < upper, alpha > 0.0)
    falls = np.where(sign > 0, alpha > 0.0, alpha < upper)
    if problems.bias == _kernels.NO_BIAS:
        worst = max(values[rises].max(initial=0.0), -values[falls].min(initial=0.0))
        return np.zeros(2), float(worst)
    centers, violation = np.zeros(2), 0.0
    for group in range(2):
        own = (sign > 0) == (group == 0) if problems.bias == _kernels.TWO_SUMS else np.ones(len(sign), dtype=bool)
        highest, lowest = values[own & rises].max(initial=-np.inf), values[own & falls].min(initial=np.inf)
        free = values[own & rises & falls]
        ends = [end for end in (highest, lowest) if np.isfinite(end)]
        centers[group] = free.mean() if len(free) else (np.mean(ends) if ends else 0.0)
        violation = max(violation, float(highest - lowest))
    return centers, violation
