"""The joint multiclass machine of Crammer and Singer (2001): its solution by dual descent, and its gap.

P(W) = sum_m |w_m|^2 / 2 + sum_i C_i max_m (w_m'x_i - w_{y_i}'x_i + [m != y_i])
D(a) = - sum_m |X'a_m|^2 / 2 - sum_i sum_{m != y_i} a_im,     a_im <= C_i [m = y_i],  sum_m a_im = 0
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from certus.guarantees.training import DualValue
from certus.linear._native_calls import machine_kernels as kernels
from certus.linear._native_calls.machine_kernels import Descent
from certus.linear.design.moments import gamma
from certus.linear.evidence.machine_evidence import MachineEvidence
from certus.linear.problems.box_problem import MachineTable
from certus.linear.solvers.box_newton import Watch
from certus.linear.solvers.dual_coordinate_descent import stages

Array = NDArray[np.float64]


@dataclass(frozen=True)
class JointResult:
    """W (classes x (columns + 1)), dual coefficients (rows x classes), passes, success, gaps between stages."""

    w: Array
    a: Array
    iterations: int
    converged: bool
    history: list[float]


def solve_joint(
    table: MachineTable, codes: NDArray[np.int64], costs: Array, classes: int, rule: Descent, watch: Watch
) -> JointResult:
    """Dual descent in stages; between two of them the gap is measured and told to whoever watches."""
    a, w = np.zeros((len(codes), classes)), np.zeros((classes, table.width + 1))
    done, converged, history = 0, False, []
    for stage, most in stages(rule.max_passes):
        part = replace(rule, max_passes=most)
        passes, converged, objective, gap = kernels.joint_descent(
            table.rows, table.constant, codes, costs, part, stage, a, w
        )
        done += passes
        if converged:
            break
        history.append(gap)
        if watch(objective, gap):
            break
    return JointResult(w, a, done, converged, history)


def joint_evidence(table: MachineTable, codes: NDArray[np.int64], costs: Array, w: Array, a: Array) -> MachineEvidence:
    """Primal and dual value with their rounding error."""
    rows = np.arange(len(codes))
    a = _feasible(a, codes, costs)
    scores = np.stack([table.scores(row) for row in w], axis=1)
    margins = scores + 1.0
    margins[rows, codes] -= 1.0
    losses = margins.max(axis=1) - scores[rows, codes]
    image = np.stack([table.image(column) for column in a.T])
    wrong = a.sum(axis=1) - a[rows, codes]
    lengths, width, chain = table.lengths * (1.0 + 1e-12), table.width + 8, table.chain + 8
    score_error = gamma(width) * (lengths * np.linalg.norm(w, axis=1).max() + 1.0 + np.abs(scores).max(axis=1))
    image_error = gamma(chain) * np.linalg.norm(np.abs(a).T @ lengths)
    length = float(np.linalg.norm(image))
    rounding = 2.0 * costs @ score_error + gamma(chain) * float(costs @ np.abs(losses) + np.abs(a).sum())
    rounding += length * image_error + image_error**2 + gamma(width + len(w)) * (length**2 + float(np.sum(w * w)))
    objective = 0.5 * float(np.sum(w * w)) + float(costs @ losses)
    dual = -0.5 * length**2 - float(wrong.sum())
    gap = max(objective - dual, 0.0) + float(rounding)
    return MachineEvidence(
        objective=objective,
        objective_at_zero=float(costs.sum()),
        bound=DualValue(dual, 1.01 * float(rounding)),
        distances=np.full(len(w), np.sqrt(2.0 * gap)),
        scores=scores,
        dual=a,
    )


def _feasible(a: Array, codes: NDArray[np.int64], costs: Array) -> Array:
    """The nearest coefficients that obey the constraints exactly: rounding may have left them by a little."""
    rows = np.arange(len(codes))
    a = np.minimum(a, 0.0)
    a[rows, codes] = 0.0
    total = -a.sum(axis=1)
    over = total > costs
    a[over] *= (costs[over] / total[over])[:, None] * (1.0 - 1e-15)
    a[rows, codes] = -a.sum(axis=1)
    return a
