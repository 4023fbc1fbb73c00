"""How many training rows provably have the label that the exact optimum would give them.

With a duality gap G the optimum's weight vector is within sqrt(2 G) of ours (the objective is 1-strongly convex in
it), so a row's score without intercept differs by at most sqrt(2 G k(x, x)). For the intercept b*, weak duality at
the multipliers with s_j a_j lowered by kappa (within its box) gives

    b* - b <= G / kappa + (v_j - b) + kappa k(x_j, x_j) / 2,

and the mirror image from below; the best row j and kappa are taken. A row whose decision value is larger than the
sum of both reaches has the sign that every exact optimum gives it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.guarantees import Certificate
from certus.guarantees.records import Derivation, rules
from certus.guarantees.training import check_exact_labels, exact_labels
from certus.svm._native_calls import NO_BIAS, Floats
from certus.svm.evidence.decision_reach import decision_reaches
from certus.svm.evidence.kernel_rounding import KernelFacts
from certus.svm.evidence.svm_duality import duality_gap
from certus.svm.solvers.verified_solution import Solution

RULE = "svm/exact-labels"
THEOREM = "Strong convexity bounds the distance to the minimizer, weak duality its intercept (Rockafellar 1970)"


def decision_reach(facts: KernelFacts, solution: Solution, number: int) -> Floats:
    """By how much each member's decision value can differ from the exact optimum's; infinite if unknown."""
    return reach_at(facts, solution, number, _facts(facts, solution, number)[1])


def reach_at(facts: KernelFacts, solution: Solution, number: int, lengths: Floats) -> Floats:
    """As `decision_reach`, at any rows with the given sqrt k(x, x)."""
    gap, norms, error = _facts(facts, solution, number)
    reach = np.sqrt(2.0 * gap) * lengths + error
    if solution.problems.bias == NO_BIAS:
        return np.asarray(reach * (1.0 + 1e-12), dtype=np.float64)
    return np.asarray((reach + _intercept_reach(solution, number, gap, norms, error)) * (1.0 + 1e-12))


def intercept_is_pinned(facts: KernelFacts, solution: Solution, number: int) -> bool:
    """Whether all exact optima have nearly the same intercept (within a thousandth of the margin of ours)."""
    if solution.problems.bias == NO_BIAS:
        return True
    return _intercept_reach(solution, number, *_facts(facts, solution, number)) < 1e-3


def _facts(facts: KernelFacts, solution: Solution, number: int) -> tuple[float, Floats, float]:
    """Gap with rounding, sqrt k(x, x) of the members, and the rounding error of a score."""
    problems = solution.problems
    variables, members = problems.variables(number), problems.members[problems.rows(number)]
    error = facts.score_error(solution.coefficients(number))
    upper, alpha = problems.upper[variables], solution.alpha[variables]
    finite = np.where(np.isfinite(upper), upper, alpha)
    gap = duality_gap(solution, number) + float(finite.sum()) * error
    return gap, np.sqrt(np.maximum(facts.diagonal[members], 0.0)), error


def _intercept_reach(solution: Solution, number: int, gap: float, norms: Floats, error: float) -> float:
    """The larger of the two bounds on |b* - b|."""
    problems = solution.problems
    variables, rows = problems.variables(number), problems.rows(number)
    sign, upper, alpha = problems.sign[variables], problems.upper[variables], solution.alpha[variables]
    squares = np.tile(np.maximum(norms, 1e-150) ** 2, problems.copies)
    values = -sign * problems.linear[variables] - np.tile(solution.scores[rows], problems.copies)
    values = values - solution.middle[number]
    room_down = np.where(sign > 0, alpha, upper - alpha)
    room_up = np.where(sign > 0, upper - alpha, alpha)
    worst = 0.0
    for room, side in ((room_down, 1.0), (room_up, -1.0)):
        kappa = np.minimum(room, np.sqrt(2.0 * gap / squares))
        usable = kappa > 0
        if not usable.any():
            return float("inf")
        bounds = gap / kappa[usable] + side * values[usable] + 0.5 * kappa[usable] * squares[usable]
        worst = max(worst, float(bounds.min()))
    return worst + error


def undecided_rows(facts: KernelFacts, codes: NDArray[np.intp], classes: int, solution: Solution) -> int:
    """How many rows have a winning class that is not certain."""
    problems = solution.problems
    decisions = solution.scores + problems.per_variable(solution.middle)
    certain = np.abs(decisions) > decision_reaches(facts, solution)
    own = certain & ((decisions > 0.0) == (problems.sign > 0))  # the class of a positive sign wins
    won = np.bincount(problems.members[own], minlength=len(codes))  # pairs that the row's own class certainly wins
    # Only pairs with the row's own class were looked at. A class that wins all its pairs wins the vote.
    return int((~certain).sum()) if classes == 2 else int((won < classes - 1).sum())


def undecided_against_the_rest(facts: KernelFacts, solution: Solution) -> int:
    """As `undecided_rows`, where the class with the largest of the decision values wins."""
    problems = range(solution.problems.count)
    values = np.stack([solution.scores[solution.problems.rows(p)] + solution.middle[p] for p in problems], axis=1)
    reach = np.stack([decision_reach(facts, solution, p) for p in problems], axis=1)
    if values.shape[1] == 1:
        return int((np.abs(values) <= reach).sum())
    best = values.argmax(axis=1)[:, None]
    floor = np.take_along_axis(values - reach, best, axis=1)
    others = values + reach
    np.put_along_axis(others, best, -np.inf, axis=1)
    return int((floor[:, 0] <= others.max(axis=1)).sum())


def label_certificate(undecided: int, rows: int, gap: float) -> Certificate:
    """The certificate that all but ``undecided`` of the training labels are those of the exact optimum."""
    return exact_labels(undecided, rows, theorem=THEOREM, rule=RULE, gap=gap)


@rules.checker(RULE)
def check_labels(certificate: Certificate, data: Any = None) -> Derivation:
    """Derive the count again from the witness; the gap itself is checked with the optimality gap."""
    del data
    return check_exact_labels(certificate, theorem=THEOREM, rule=RULE, bound="gap")
