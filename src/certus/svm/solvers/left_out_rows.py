"""Training without single rows: each time from the solution with all of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from certus.base import resolve_threads
from certus.svm import _native_calls
from certus.svm._native_calls import NO_BIAS, WHOLE, Floats, Kernel, Options, Problems, Table
from certus.svm.evidence.kernel_rounding import KernelFacts
from certus.svm.evidence.svm_labels import reach_at
from certus.svm.machines.whole_gram import whole_gram
from certus.svm.solvers.dual_problems import fill
from certus.svm.solvers.verified_solution import Solution, as_solution

AT_ONCE = 4_000_000  # variables of the problems that are solved in one call


@dataclass(frozen=True)
class Setting:
    """The rows with positive weight: their kernel matrix, and the solution with all of them."""

    gram: Floats
    facts: KernelFacts
    solution: Solution
    options: Options


def with_all_rows(table: Table, kernel: Kernel, problems: Problems, start: Floats) -> Setting:
    """Solve the problems with all rows."""
    facts = KernelFacts.of(kernel, table)
    if not facts.psd:
        raise ValueError(
            "leave_one_out needs a kernel that is proved to be positive semi-definite, which this one is not: without "
            "that, rows with multiplier zero may matter.\n"
            "Hint: use the linear, polynomial (coef0 >= 0) or Gaussian kernel."
        )
    gram = whole_gram(kernel, table)
    options = Options(1e-8, 1e-11, -1, 200e6, resolve_threads())
    solution = as_solution(problems, _native_calls.solve(gram, WHOLE, problems, start, options))
    return Setting(gram, facts, solution, options)


def without_each(setting: Setting, number: int, indices: NDArray[np.intp]) -> Iterator[tuple[int, float, float]]:
    """Solve one problem without each of some members: the member's index, the value there, how uncertain that is."""
    problems = setting.solution.problems
    members = problems.members[problems.rows(number)]
    size = (len(members) - 1) * problems.copies
    chunk = max(1, AT_ONCE // max(size, 1))
    for first in range(0, len(indices), chunk):
        chosen = indices[first : first + chunk]
        batch, start = _left_out(setting.solution, number, chosen)
        solution = as_solution(batch, _native_calls.solve(setting.gram, WHOLE, batch, start, setting.options))
        for problem, index in enumerate(chosen):
            row = members[index]
            rest = batch.members[batch.rows(problem)]
            lengths = np.sqrt(np.maximum(setting.facts.diagonal[[row]], 0.0))
            value = float(setting.gram[row, rest] @ solution.coefficients(problem) + solution.middle[problem])
            uncertain = float(reach_at(setting.facts, solution, problem, lengths)[0])
            sign = batch.sign[batch.variables(problem)]
            if problems.copies == 1 and problems.bias != NO_BIAS and (sign == sign[0]).all():
                value, uncertain = float(sign[0]), 0.0  # only the other class is left
            yield int(index), value, uncertain


def _left_out(solution: Solution, number: int, indices: NDArray[np.intp]) -> tuple[Problems, Floats]:
    """One problem per index, without that member, and feasible starts close to the solution."""
    problems = solution.problems
    rows, variables = problems.rows(number), problems.variables(number)
    copies, count = problems.copies, rows.stop - rows.start
    sign, upper = problems.sign[variables], problems.upper[variables]
    alpha = solution.alpha[variables]
    keep = np.array([np.delete(np.arange(count), index) for index in indices], dtype=np.intp)
    keep = keep.reshape(len(indices), count - 1)
    inside = (keep[:, None, :] + count * np.arange(copies)[None, :, None]).reshape(len(indices), -1)
    start = alpha[inside]
    if problems.bias != NO_BIAS:
        gone = (sign * alpha).reshape(copies, count).sum(axis=0)[indices]
        for line, missing in enumerate(gone):
            start[line] = _rebalanced(start[line], sign[inside[line]], upper[inside[line]], float(missing))
    batch = replace(
        problems,
        members=problems.members[rows][keep].ravel(),
        starts=np.arange(len(indices) + 1, dtype=np.int64) * (count - 1),
        sign=sign[inside].ravel(),
        linear=problems.linear[variables][inside].ravel(),
        upper=upper[inside].ravel(),
        parts=None,
    )
    return batch, start.ravel()


def _rebalanced(alpha: Floats, sign: NDArray[np.int8], upper: Floats, missing: float) -> Floats:
    """Multipliers changed so that their signed sum grows by what is missing; free ones change first."""
    rises = sign == np.sign(missing)
    room = np.where(rises, upper - alpha, alpha)
    order = np.argsort((alpha <= 0.0) | (alpha >= upper), kind="stable")
    change = np.empty_like(alpha)
    change[order] = fill(room[order], abs(missing))
    return np.clip(alpha + np.where(rises, change, -change), 0.0, upper)
