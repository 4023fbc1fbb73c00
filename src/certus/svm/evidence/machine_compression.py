"""A bound on the error from the training rows alone: few rows determine the machine.

The rows with y f(x) <= 1 (for regression, on or outside the tube) determine the exact optimum: removing any other
row leaves it, and this set, as they are. Campi and Garatti (2021) bound the probability that a fresh row would
join the set, and a row that is misclassified would. The statement is about the exact optimum; what is
counted here are all rows that could belong to its set given the duality gap, and the machine at hand differs from
the optimum by less than the margin. It is withheld wherever a condition fails.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from certus.guarantees import Certificate, campi_garatti
from certus.guarantees.records import number
from certus.svm._native_calls import GAUSSIAN, GIVEN, POLYNOMIAL, SIGMOID, Kernel
from certus.svm.evidence.kernel_rounding import KernelFacts
from certus.svm.evidence.svm_labels import decision_reach, intercept_is_pinned
from certus.svm.solvers.verified_solution import Solution

LONGER = 1e4  # fresh rows may have this many times the largest k(x, x) of the training rows ("bounded-length")


def reason_kernel_is_not_fixed(kernel: Kernel, scaled: bool) -> str:
    """Why the kernel may depend on the training rows or is not positive semi-definite; empty if neither."""
    if scaled and kernel[0] in (GAUSSIAN, POLYNOMIAL):
        return 'gamma="scale" is computed from the training rows, so removing a row changes the kernel'
    if kernel[0] in (GIVEN, SIGMOID):
        return "the kernel is not known to be fixed beforehand and positive semi-definite"
    return ""


def reason_to_withhold(C: float, classes: int, balanced: bool, weighted: bool) -> str:
    """Why other parameters rule the bound out; empty if they do not."""
    if balanced:
        return 'class_weight="balanced" is computed from the training rows, so removing a row changes the weights'
    if weighted:
        return "the rows have weights"
    if not np.isfinite(C):
        return "C is infinite: the optimum may not exist without some rows"
    return "there are more than two classes" if classes > 2 else ""


def compression_certificate(
    facts: KernelFacts, solution: Solution, epsilon: float | None = None
) -> tuple[Certificate | None, str]:
    """The bound on the error, or given a tube's epsilon on the rows outside it; or None and why it is withheld."""
    if not intercept_is_pinned(facts, solution, 0):
        return (
            None,
            "the intercept is not pinned down: several are as good, by ties, or because the solution is not exact "
            "enough (a smaller tol or gap_tol then helps)",
        )
    reach = decision_reach(facts, solution, 0)
    farthest = float(reach.max(initial=0.0))
    assumed: tuple[str, ...] = ()
    if facts.kernel[0] != GAUSSIAN:
        largest = float(facts.diagonal.max(initial=0.0))
        farthest *= np.sqrt(LONGER) if largest > 0 else 1.0
        assumed = ("bounded-length",)
    if not farthest < 0.5:
        return None, f"the solution is not exact enough: decision values may be {farthest:.2g} off the optimum's"
    rows = len(solution.problems.members)
    slopes = solution.slopes(0).reshape(solution.problems.copies, rows).min(axis=0)
    kept = int((slopes <= reach).sum())
    quantity = "error"
    if epsilon is not None:
        width = number(epsilon + farthest, "upper", 6)  # the optimum's tube lies within this one around ours
        quantity = f"share of rows off by more than {width}"
    bound = campi_garatti(kept, rows, quantity=quantity)
    return replace(bound, assumptions=(*bound.assumptions, *assumed)), ""
