"""From a problem to its verified solution.

Problems whose kernel matrix does not fit into the cache start with kernel values in single precision; the solver
then computes the scores anew in double precision and goes on from there until the stopping rule holds. A small
problem is solved a good deal more exactly than asked for, which costs little and makes the result independent of
the rows' order.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.svm import _native_calls
from certus.svm._native_calls import Floats, Kernel, Options, Problems, Solved, Table

FINE_ROWS = 200  # rows of a problem up to which the fine tolerance is aimed at


@dataclass(frozen=True)
class Impossible:
    """Why a hard problem has no solution: shares of the constraints that cannot be met together.

    ``violation`` is the total by which the solution of least violation misses them, ``violated`` how many it misses.
    """

    shares: Floats
    violation: float
    violated: int
    decided: bool


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
    steps: NDArray[np.int64]
    reasons: NDArray[np.int32]
    impossible: dict[int, Impossible] = field(default_factory=dict)  # of hard problems without a solution
    widened: float = 0.0  # by how much a hard tube was widened so that rounding does not matter

    def all_slopes(self) -> Floats:
        """The g_t of all problems."""
        problems = self.problems
        scores = problems.per_variable(self.scores) + problems.per_variable(self.middle)
        return problems.sign * scores + problems.linear - problems.per_variable(self.margin)

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


def solve(table: Table, kernel: Kernel, problems: Problems, start: Floats, options: Options) -> Solution:
    """Solve the problems; the scores are right to double precision."""
    if int(np.diff(problems.starts).max()) > FINE_ROWS:
        options = replace(options, fine_tolerance=options.tolerance)
    single = kernel[0] != _native_calls.GIVEN
    return as_solution(problems, _native_calls.solve(table, kernel, problems, start, options, single=single))


def as_solution(problems: Problems, solved: Solved) -> Solution:
    """Intercept and margin out of the two centers."""
    if problems.bias == _native_calls.TWO_SUMS:
        middle = solved.centers.mean(axis=1)
        margin = (solved.centers[:, 1] - solved.centers[:, 0]) / 2.0
    elif problems.bias == _native_calls.ONE_SUM:
        middle, margin = solved.centers[:, 0].copy(), np.zeros(problems.count)
    else:
        middle, margin = np.zeros(problems.count), np.zeros(problems.count)
    return Solution(
        problems, solved.alpha, solved.scores, middle, margin, solved.violation, solved.steps, solved.reasons
    )


def joined(problems: Problems, parts: list[Solution]) -> Solution:
    """The solutions of single problems as that of all of them."""

    def values(name: str) -> NDArray[Any]:
        return np.concatenate([getattr(part, name) for part in parts])

    return Solution(
        replace(problems, linear=np.concatenate([part.problems.linear for part in parts])),
        values("alpha"),
        values("scores"),
        values("middle"),
        values("margin"),
        values("violation"),
        values("steps"),
        values("reasons"),
        impossible={number: part.impossible[0] for number, part in enumerate(parts) if part.impossible},
        widened=max(part.widened for part in parts),
    )
