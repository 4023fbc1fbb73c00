"""A bound on the error from the margins of the training rows, for kernels that were fixed beforehand.

The machine is a linear classifier of the features (phi(x), 1): its weights are (h, b), the cosines of a row are
y f(x) / (sqrt(|h|^2 + b^2) sqrt(k(x, x) + 1)). The bound holds for every choice of h and b, so that weights of rows
and classes, C and nu may have been chosen on the same rows; only the kernel may not.
"""

from __future__ import annotations

import numpy as np

from certus.guarantees import Certificate, pac_bayes_margin
from certus.svm._native_calls import NO_BIAS
from certus.svm.evidence.kernel_rounding import KernelFacts
from certus.svm.solvers.verified_solution import Solution

QUANTITY = "error (from the margins)"


def margin_certificates(facts: KernelFacts, solution: Solution) -> list[Certificate]:
    """The margin bound of a machine with two classes; none if the function is zero."""
    problems, coefficients = solution.problems, solution.coefficients(0)
    error = facts.score_error(coefficients)
    has_bias = problems.bias != NO_BIAS
    square = float(coefficients @ solution.scores) + error * float(np.abs(coefficients).sum())
    norm = np.hypot(np.sqrt(max(0.0, square)), float(solution.middle[0]) if has_bias else 0.0)
    lengths = np.sqrt(np.maximum(facts.diagonal[problems.members], 0.0) + float(has_bias))
    if not (norm > 0.0 and np.isfinite(norm)):
        return []
    margins = problems.sign * (solution.scores + solution.middle[0]) - error
    with np.errstate(invalid="ignore", divide="ignore"):
        cosines = np.where(lengths > 0.0, margins / (norm * lengths), 0.0)
    return [pac_bayes_margin(np.clip(cosines - 1e-12, -1.0, 1.0), quantity=QUANTITY)]
