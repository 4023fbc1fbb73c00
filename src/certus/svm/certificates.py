"""The reports of the machines: which certificates training alone supports, and when they are withheld."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.guarantees import Certificate, Report
from certus.svm._kernels import GIVEN, Kernel
from certus.svm.audit_certificate import audit, audit_certificate
from certus.svm.duality import objective_at_zero
from certus.svm.gap_certificate import gap_certificate
from certus.svm.label_certificate import label_certificate, undecided_rows
from certus.svm.rounding import matrix_shift, proved_psd, score_error
from certus.svm.solving import Solution


def optimality_certificates(
    kernel: Kernel, table: Any, solution: Solution, gap: float, declared: dict[str, Any]
) -> list[Certificate]:
    """Duality gap and audit; the gap only where the kernel is proved positive semi-definite."""
    errors = [score_error(kernel, table, solution.coefficients(p)) for p in range(solution.problems.count)]
    found = [audit_certificate(audit(solution), max(errors))]
    if proved_psd(kernel, table):
        rounding = _gap_rounding(kernel, table, solution, errors)
        problem = {**declared, "kernel": list(kernel)}
        scale = objective_at_zero(solution.problems)
        found.insert(0, gap_certificate(gap, rounding, scale, problem, solution))
    return found


def _gap_rounding(kernel: Kernel, table: Any, solution: Solution, errors: list[float]) -> float:
    """How much the gap can change when every score moves by its error, and by the drift of the equality."""
    total = 0.0
    for problem, error in enumerate(errors):
        variables = solution.problems.variables(problem)
        upper = solution.problems.upper[variables]
        bounded = np.where(np.isfinite(upper), upper, solution.alpha[variables])
        coefficients = solution.coefficients(problem)
        drift = 4.0 * 2.0**-52 * float(np.abs(coefficients).sum()) * abs(float(solution.middle[problem]))
        total += float(bounded.sum()) * error + drift
        if kernel[0] == GIVEN:
            total += matrix_shift(table) * float(coefficients @ coefficients)
    return total


def classifier_report(
    machine: Any,
    table: Any,
    kernel: Kernel,
    codes: NDArray[np.intp],
    solution: Solution,
    gap: float,
) -> Report:
    """Certificates of a classifier: gap, audit, labels of the exact optimum."""
    found = optimality_certificates(kernel, table, solution, gap, machine._declared())
    if proved_psd(kernel, table) and np.isfinite(gap):
        undecided, rows = undecided_rows(
            kernel, table, codes, len(machine.classes_), solution, machine._exact(solution)
        )
        if rows:
            found.append(label_certificate(undecided, rows, float(gap)))
    return Report(found)


def regression_report(machine: Any, table: Any, kernel: Kernel, solution: Solution, gap: float) -> Report:
    """Certificates of a regression or one-class machine: gap and audit."""
    return Report(optimality_certificates(kernel, table, solution, gap, machine._declared()))
