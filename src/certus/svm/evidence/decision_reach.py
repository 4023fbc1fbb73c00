"""How far decision values can be from the exact optimum's, for all problems at once.

The bounds are those of `certus.svm.evidence.svm_labels`; a machine of many classes has hundreds of small problems, for
which one pass over all of them is several times faster than one after the other.
"""

from __future__ import annotations

import numpy as np

from certus.svm._native_calls import NO_BIAS, Floats
from certus.svm.evidence.kernel_rounding import EPSILON, KernelFacts
from certus.svm.evidence.svm_duality import duality_gaps
from certus.svm.solvers.verified_solution import Solution


def score_errors(facts: KernelFacts, solution: Solution) -> Floats:
    """Bound on the rounding error of a score, per problem."""
    problems, alpha = solution.problems, solution.alpha
    used = problems.totals((alpha != 0.0).astype(np.float64))
    return problems.totals(alpha) * (facts.value_error + (used + 8.0) * EPSILON * facts.largest)


def decision_reaches(facts: KernelFacts, solution: Solution) -> Floats:
    """By how much each member's decision value can differ from the exact optimum's; one variable per member."""
    problems, alpha = solution.problems, solution.alpha
    errors = score_errors(facts, solution)
    gaps = duality_gaps(solution)
    gaps = gaps + problems.totals(np.where(np.isfinite(problems.upper), problems.upper, alpha)) * errors
    norms = np.sqrt(np.maximum(facts.diagonal[problems.members], 0.0))
    shared = errors
    if problems.bias != NO_BIAS:
        shared = shared + _intercept_reaches(solution, gaps, norms) + errors
    return (np.sqrt(2.0 * problems.per_variable(gaps)) * norms + problems.per_variable(shared)) * (1.0 + 1e-12)


def _intercept_reaches(solution: Solution, gaps: Floats, norms: Floats) -> Floats:
    """The larger of the two bounds on |b* - b|, per problem; infinite where no variable gives one."""
    problems, alpha = solution.problems, solution.alpha
    gap = problems.per_variable(gaps)
    squares = np.maximum(norms, 1e-150) ** 2
    values = -problems.sign * problems.linear - solution.scores - problems.per_variable(solution.middle)
    up, down = problems.upper - alpha, alpha
    worst = np.zeros(problems.count)
    for positive, side in ((True, 1.0), (False, -1.0)):
        room = np.where((problems.sign > 0) == positive, down, up)
        kappa = np.minimum(room, np.sqrt(2.0 * gap / squares))
        usable = kappa > 0
        safe = np.where(usable, kappa, 1.0)
        bounds = np.where(usable, gap / safe + side * values + 0.5 * safe * squares, np.inf)
        worst = np.maximum(worst, np.minimum.reduceat(bounds, problems.starts[:-1]))
    return worst
