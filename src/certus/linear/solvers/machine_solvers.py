"""Which method solves a linear machine: Newton steps where their matrices are small, dual descent otherwise."""

from __future__ import annotations

from dataclasses import dataclass, replace

from scipy import sparse

from certus.linear._native_calls.machine_kernels import Descent
from certus.linear.problems.box_problem import BoxProblem, MachineTable
from certus.linear.solvers.box_newton import BoxNewton, MachineResult, Watch
from certus.linear.solvers.dual_coordinate_descent import descend

# Unless told otherwise, Newton's method goes on until the gap is this share of the objective at zero: its last
# steps are cheap, and the solution then depends on neither the order of the rows nor their repetition.
EXACT = 1e-13
LOOSEST = 1e-4  # of tol times the objective at zero: what is accepted when rounding ends the iterations before
NARROW = 600  # columns of a dense table up to which the Hessian of the columns is cheap
# Where the loss has a kink, the last digits take most of the steps; in a table of many cells they are not worth it.
MANY_CELLS = 2_000_000
KINKED = 1e-2  # of tol times the objective at zero: the gap that ends the steps there
FEW = 1500  # rows up to which the Gram matrix of the rows is cheap
CELLS = 4_000_000  # of a sparse table up to which its free rows may be stored densely
# Passes over a table of this size cost less than a Newton step, and some hundred of them reach a coarse gap where
# the loss has a kink, which costs Newton's method many steps.
TINY = 16_384
COARSE = 1e-6
TRIED_PASSES = 512


@dataclass(frozen=True)
class Accuracy:
    """``tol`` as in LIBLINEAR, ``gap_tol`` relative to the objective at zero, iterations, seed."""

    tol: float
    gap_tol: float | None
    max_iter: int
    seed: int
    relative: bool


def uses_newton(table: MachineTable) -> bool:
    """Whether the table's shape suits Newton steps."""
    rows, columns = table.X.shape
    if sparse.issparse(table.X) and rows * columns > CELLS:
        return False
    return columns <= NARROW or rows <= FEW


def solve_machines(problems: list[BoxProblem], accuracy: Accuracy, watch: Watch) -> list[MachineResult]:
    """Solve one or several (one-versus-rest) machines over one table."""
    share = accuracy.gap_tol or 0.0
    gap = share * min(problem.at_zero for problem in problems) if share > 0.0 else 0.0
    rule = Descent(accuracy.tol, accuracy.relative, gap, accuracy.max_iter, accuracy.seed)
    if not uses_newton(problems[0].table):
        return descend(problems, rule, watch)
    if share >= COARSE and not problems[0].smooth and problems[0].table.cells <= TINY:
        asked_to_stop = False

        def watch_trial(objective: float, gap: float) -> bool:
            nonlocal asked_to_stop
            asked_to_stop = watch(objective, gap)
            return asked_to_stop

        tried = descend(problems, replace(rule, max_passes=min(rule.max_passes, TRIED_PASSES)), watch_trial)
        if asked_to_stop or all(machine.converged for machine in tried):
            return tried
    return [_by_newton(problem, accuracy, watch) for problem in problems]


def _by_newton(problem: BoxProblem, accuracy: Accuracy, watch: Watch) -> MachineResult:
    share = EXACT if accuracy.gap_tol is None else accuracy.gap_tol
    if accuracy.gap_tol is None and not problem.smooth and problem.table.cells > MANY_CELLS:
        share = KINKED * accuracy.tol
    enough = 0.0 if accuracy.gap_tol is not None else LOOSEST * accuracy.tol * problem.at_zero
    return BoxNewton(problem, share * problem.at_zero, accuracy.max_iter, enough).solve(watch)
