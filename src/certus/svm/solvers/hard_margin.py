"""Hard margins and hard tubes: C is infinite, and no constraint may be violated.

If some function meets all constraints, the solution is scaled (a margin) or its tube widened by a hair, so that it
meets them in spite of rounding; its duality gap is then finite. If there is none, the soft problem is followed to
C = infinity: the limit has the least total violation and of all such functions the smallest norm, and the rates at
which the multipliers grow there prove that nobody does better.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from certus.svm._native_calls import CONVERGED, NO_BIAS, STALLED, Floats, Kernel, Options, Problems, Table
from certus.svm.evidence.kernel_rounding import diagonal, proved_psd
from certus.svm.evidence.svm_duality import duality_gap
from certus.svm.machines.whole_gram import whole_gram
from certus.svm.solvers.dual_problems import one_of
from certus.svm.solvers.path_follower import BOUND, PathFollower, PathProblem
from certus.svm.solvers.path_start import exact_solution
from certus.svm.solvers.verified_solution import Impossible, Solution, joined, solve

HAIR = 1e-9  # by which a solution keeps clear of its constraints
ACCEPTED = 1e-6  # gap relative to the objective up to which constraints count as met
FOLLOWED = 3000  # rows up to which the soft problem is followed to C = infinity
LARGEST = 1e9  # C times the mean k(x, x) up to which it is followed
RESTARTS = 4
FAR = 1e5  # C times the mean k(x, x) that stands for infinity with more rows


@dataclass(frozen=True)
class _Task:
    table: Table
    kernel: Kernel
    problems: Problems  # one
    options: Options


def solve_hard(
    table: Table, kernel: Kernel, problems: Problems, start: Floats, options: Options
) -> tuple[Solution, float, float]:
    """The solution of every problem, the gap of all (infinite if a problem has no solution), and the objective."""
    limit = 100_000 + 20 * int(np.diff(problems.starts).max())
    if options.max_steps >= 0:
        limit = min(limit, options.max_steps)
    fine = min(options.tolerance, 1e-6)
    options = replace(options, tolerance=fine, fine_tolerance=min(options.fine_tolerance, 1e-10), max_steps=limit)
    parts, gap = [], 0.0
    for number in range(problems.count):
        task = _Task(table, kernel, one_of(problems, number), options)
        part = _solve_one(task, start[problems.variables(number)])
        gap += np.inf if part.impossible else duality_gap(part, 0)
        parts.append(part)
    solution = joined(problems, parts)
    return solution, gap, _objective(solution)


def _solve_one(task: _Task, start: Floats) -> Solution:
    direct = solve(task.table, task.kernel, task.problems, start, task.options)
    found = _within_constraints(direct)
    if found is not None:
        return found
    if len(task.problems.members) > FOLLOWED or not proved_psd(task.kernel, task.table):
        return _least_violation_of_many(task, direct.steps)
    return _followed(task, direct)


def _within_constraints(solution: Solution) -> Solution | None:
    """The solution moved by a hair so that it meets all constraints, or None if that makes it a bad one."""
    slopes = solution.slopes(0)
    if not np.isfinite(slopes).all():
        return None
    if solution.problems.copies == 1:
        least = float((slopes + 1.0).min(initial=np.inf))  # the smallest y f(x)
        if not least > 0.5:
            return None
        factor = (1.0 + HAIR) / least
        moved = replace(
            solution,
            alpha=solution.alpha * factor,
            scores=solution.scores * factor,
            middle=solution.middle * factor,
        )
    else:
        size = 1.0 + float(np.abs(solution.problems.linear).max(initial=0.0))
        wider = max(0.0, -float(slopes.min(initial=0.0))) + HAIR * size
        if wider > ACCEPTED * size:
            return None
        problems = replace(solution.problems, linear=solution.problems.linear + wider)
        moved = replace(solution, problems=problems, widened=wider)
    if duality_gap(moved, 0) > ACCEPTED * _objective(moved) + HAIR:
        return None
    return replace(moved, violation=np.zeros(1), reasons=np.full(1, CONVERGED))


def _objective(solution: Solution) -> float:
    """Half the squared norm, summed over the problems."""
    total = 0.0
    for number in range(solution.problems.count):
        total += 0.5 * float(solution.coefficients(number) @ solution.scores[solution.problems.rows(number)])
    return total


def _followed(task: _Task, direct: Solution) -> Solution:
    """The limit of the soft problem for C to infinity."""
    problems, sign = task.problems, task.problems.sign.astype(np.float64)
    members = problems.members
    whole = whole_gram(task.kernel, task.table)
    gram = whole if len(members) == len(whole) and (np.diff(members) == 1).all() else whole[np.ix_(members, members)]
    gram = np.ascontiguousarray(gram)
    bias = problems.bias != NO_BIAS
    path = PathProblem(gram, sign, problems.linear, np.ones(len(sign)), bias)
    exact = replace(task.options, tolerance=1e-9, fine_tolerance=1e-12)
    follower = PathFollower(path, lambda C, start: exact_solution(path, C, start, exact), most_restarts=RESTARTS)
    mean = float(np.diagonal(gram).mean()) or 1.0
    follower.begin_exactly(1.0 / mean, np.zeros(len(sign)))
    piece = follower.follow(LARGEST / mean, to_the_end=False)
    if not follower.states:
        return _least_violation_of_many(task, direct.steps)
    last = follower.states[-1]
    scores = gram @ (sign * last.alpha).reshape(problems.copies, -1).sum(axis=0)
    limit = replace(
        direct,
        alpha=last.alpha,
        scores=scores,
        middle=np.array([last.intercept]),
        steps=direct.steps + len(follower.states),
    )
    if not (follower.side == BOUND).any():
        met = _within_constraints(limit)
        if met is not None:
            return met
    ended = not follower.exhausted and last.C < LARGEST / mean
    rates = np.maximum(follower.rates(piece) if ended else last.alpha / last.C, 0.0)
    return _impossible(limit, rates, decided=ended)


def _least_violation_of_many(task: _Task, steps: NDArray[np.int64]) -> Solution:
    """Many rows, or a kernel not proved positive: a very large C, whose multipliers are the proof if there is one."""
    problems = task.problems
    mean = float(np.abs(diagonal(task.kernel, task.table)).mean()) or 1.0
    soft = replace(problems, upper=np.full(len(problems.upper), FAR / mean))
    limit = solve(
        task.table,
        task.kernel,
        soft,
        np.zeros(len(soft.upper)),
        replace(task.options, max_steps=10 * task.options.max_steps),
    )
    rates = limit.alpha / soft.upper
    return _impossible(replace(limit, problems=problems, steps=limit.steps + steps), rates, decided=False)


def _impossible(limit: Solution, rates: Floats, *, decided: bool) -> Solution:
    """The solution of least violation, marked as one that violates constraints."""
    slack = np.maximum(0.0, -limit.slopes(0))
    record = Impossible(rates, float(slack.sum()), int((slack > 1e-9).sum()), decided)
    reasons = np.full(1, CONVERGED if decided else STALLED)
    return replace(limit, impossible={0: record}, reasons=reasons)
