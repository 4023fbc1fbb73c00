"""Dual coordinate descent for linear machines: the method for sparse and for large wide tables."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from certus.linear import _kernels_machines as kernels
from certus.linear._kernels_machines import Descent
from certus.linear.box_newton import MachineResult
from certus.linear.box_problem import BoxProblem

Array = NDArray[np.float64]


def descend(problems: list[BoxProblem], rule: Descent) -> list[MachineResult]:
    """Solve several machines over one table, in parallel; the result does not depend on the threads."""
    table, epsilon = problems[0].table, problems[0].epsilon
    box = (
        np.stack([problem.target for problem in problems]),
        np.stack([problem.lower for problem in problems]),
        np.stack([problem.upper for problem in problems]),
        np.stack([problem.ridge for problem in problems]),
        epsilon,
    )
    b, w, passes, converged = kernels.dual_descent(
        table.rows, table.constant, box, rule, table.width, table.used_threads
    )
    return [MachineResult(w[k], b[k], int(passes[k]), bool(converged[k]), []) for k in range(len(problems))]
