"""Dual coordinate descent for linear machines: the method for sparse and for large wide tables.

The passes come in stages that double in length; between two of them the gap is measured and told to whoever watches.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from certus.linear._native_calls import machine_kernels as kernels
from certus.linear._native_calls.machine_kernels import Descent, DescentState
from certus.linear.problems.box_problem import BoxProblem
from certus.linear.solvers.box_newton import MachineResult, Watch

FIRST_STAGE = 16  # passes


def stages(most: int) -> Iterator[tuple[int, int]]:
    """Number and passes of every stage, at most ``most`` passes in sum; one stage even if that is 0."""
    done, number, size = 0, 0, FIRST_STAGE
    while done < most or number == 0:
        passes = min(size, most - done)
        yield number, passes
        done, number, size = done + passes, number + 1, done + passes


def descend(problems: list[BoxProblem], rule: Descent, watch: Watch) -> list[MachineResult]:
    """Solve several machines over one table, in parallel; the result does not depend on the threads."""
    table, epsilon = problems[0].table, problems[0].epsilon
    box = [np.stack([getattr(p, name) for p in problems]) for name in ("target", "lower", "upper", "ridge")]
    state = DescentState.at_zero(len(problems), len(problems[0].target), table.width)
    histories: list[list[float]] = [[] for _ in problems]
    for stage, passes in stages(rule.max_passes):
        left = np.flatnonzero(state.converged == 0)
        part = DescentState(*(getattr(state, name)[left] for name in DescentState.__dataclass_fields__))
        whole = len(left) == len(problems)
        target, lower, upper, ridge = box if whole else [values[left] for values in box]
        given = (target, lower, upper, ridge, epsilon)
        part_rule = replace(rule, max_passes=passes)
        kernels.dual_descent(
            table.rows, table.constant, given, part_rule, stage, left.astype(np.int64), table.used_threads, part
        )
        for name in DescentState.__dataclass_fields__:
            getattr(state, name)[left] = getattr(part, name)
        for k in left[part.converged == 0]:
            histories[k].append(float(state["gap"][k]))
        if state.converged.all() or watch(float(state["objective"].sum()), float(state["gap"].sum())):
            break
    return [
        MachineResult(state.w[k], state.b[k], int(state.passes[k]), bool(state.converged[k]), histories[k], False)
        for k in range(len(problems))
    ]
