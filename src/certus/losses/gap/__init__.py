"""Gaps of training objectives computed again from data, for any loss and penalty.

The evidence itself, and the rules under which it is certified, are `certus.guarantees.training.GapEvidence` and
`GapRule`: a family gives its rule a function that says which `ConvexProblem` the data are, and calls `check_solution`
(or `check_dual_points` where the certificate keeps a dual point).
"""

from certus.losses.gap.convex_problem import ConvexProblem, Point
from certus.losses.gap.gap_check import check_dual_points, check_solution, compare_values
from certus.losses.gap.problem_penalties import KernelNorm, Positive
from certus.losses.gap.proximal_descent import better_solution

__all__ = [
    "ConvexProblem",
    "KernelNorm",
    "Point",
    "Positive",
    "better_solution",
    "check_dual_points",
    "check_solution",
    "compare_values",
]
