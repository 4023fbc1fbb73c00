"""The reports of the machines: which certificates training alone supports, and when they are withheld."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.guarantees import Certificate, Report, jaakkola_haussler, support_leave_one_out, xi_alpha
from certus.svm._native_calls import GAUSSIAN, NO_BIAS, ONE_SUM, Floats, Kernel, Table
from certus.svm.evidence.audit_certificate import audit, audit_certificate
from certus.svm.evidence.decision_reach import score_errors
from certus.svm.evidence.gap_certificate import gap_certificate
from certus.svm.evidence.impossibility_certificate import impossibility_certificates
from certus.svm.evidence.kernel_rounding import KernelFacts
from certus.svm.evidence.machine_compression import (
    compression_certificate,
    reason_kernel_is_not_fixed,
    reason_to_withhold,
)
from certus.svm.evidence.margin_certificate import margin_certificates
from certus.svm.evidence.svm_duality import objective_at_zero
from certus.svm.evidence.svm_labels import (
    decision_reach,
    label_certificate,
    undecided_against_the_rest,
    undecided_rows,
)
from certus.svm.solvers.verified_solution import Solution


@dataclass(frozen=True)
class Training:
    """What the certificates need to know about how a machine was trained."""

    table: Table  # the rows with positive weight
    kernel: Kernel
    declared: dict[str, Any]  # the problem in the certificates' terms
    scaled: bool  # whether the kernel's gamma was computed from the rows
    balanced: bool  # whether the weights of the classes were computed from the rows
    weighted: bool  # whether the rows have weights

    def why_withheld(self) -> str:
        """Why the parameters rule the compression bound out; empty if they do not."""
        classes = len(self.declared.get("classes", (0, 1)))
        kernel = reason_kernel_is_not_fixed(self.kernel, self.scaled)
        return kernel or reason_to_withhold(self.declared["C"], classes, self.balanced, self.weighted)


def optimality_certificates(
    facts: KernelFacts, solution: Solution, gap: float, declared: dict[str, Any]
) -> list[Certificate]:
    """Duality gap and audit; the gap only where the kernel is proved positive semi-definite."""
    errors = score_errors(facts, solution)
    found = [audit_certificate(audit(solution), float(errors.max()))]
    if facts.psd:
        rounding = _gap_rounding(facts, solution, errors)
        problem = {**declared, "kernel": list(facts.kernel)}
        if solution.widened:
            problem["epsilon"] = declared["epsilon"] + solution.widened
        hard = not np.isfinite(solution.problems.upper).all()  # then there is no objective at zero
        scale = 0.0 if hard else objective_at_zero(solution.problems)
        found.insert(0, gap_certificate(gap, rounding, scale, problem, solution))
    return found


def _without_solution(training: Training, facts: KernelFacts, solution: Solution) -> tuple[Report, str]:
    """The report of a hard margin or tube that nobody can meet."""
    found = impossibility_certificates(facts, training.table, solution, training.declared) if facts.psd else []
    return Report(found), "C is infinite, and no function meets all constraints"


def _gap_rounding(facts: KernelFacts, solution: Solution, errors: Floats) -> float:
    """How much the gap can change when every score moves by its error, and by the drift of the equality."""
    problems, alpha = solution.problems, solution.alpha
    bounded = problems.totals(np.where(np.isfinite(problems.upper), problems.upper, alpha))
    sizes = problems.totals(np.ones(len(alpha)))
    drift = (sizes + 4.0) * 2.0**-52 * problems.totals(alpha)  # rounding of the sums
    if problems.bias == ONE_SUM and problems.linear.any():  # where the sums are to be zero
        drift = drift + np.abs(problems.totals(problems.sign * alpha))
    drift = drift * np.abs(solution.middle)
    squares = float(alpha @ alpha)  # at least that of the members' coefficients
    return float((bounded * errors + drift).sum()) + facts.shift * squares


def classifier_report(
    training: Training, codes: NDArray[np.intp], solution: Solution, gap: float
) -> tuple[Report, str]:
    """Certificates of a classifier, and why the compression bound is withheld if it is."""
    facts, declared = KernelFacts.of(training.kernel, training.table), training.declared
    if solution.impossible:
        return _without_solution(training, facts, solution)
    found = optimality_certificates(facts, solution, gap, declared)
    classes = len(declared["classes"])
    fixed = not reason_kernel_is_not_fixed(training.kernel, training.scaled) and "center" not in declared
    if classes == 2 and facts.psd and fixed:  # the bound needs features that were fixed before the rows were seen
        found += margin_certificates(facts, solution)
    if declared["machine"] != "c-svc" or not np.isfinite(solution.problems.upper).all():
        return Report(found), "the machine is not a soft margin with a finite, fixed C"
    if not facts.psd:
        return Report(found), "the kernel is not proved to be positive semi-definite"
    if "against" in declared:
        undecided = undecided_against_the_rest(facts, solution)
    else:
        undecided = undecided_rows(facts, codes, classes, solution)
    found.append(label_certificate(undecided, len(codes), float(gap)))
    if classes == 2 and not training.weighted:
        found.append(_leave_one_out(facts, solution))
    return _with_compression(training, facts, solution, found)


def _with_compression(
    training: Training, facts: KernelFacts, solution: Solution, found: list[Certificate]
) -> tuple[Report, str]:
    """The report with the compression bound, or without it and why."""
    withheld = training.why_withheld()
    if not withheld:
        bound, withheld = compression_certificate(facts, solution, training.declared.get("epsilon"))
        found += [] if bound is None else [bound]
    return Report(found), withheld


def _leave_one_out(facts: KernelFacts, solution: Solution) -> Certificate:
    """The smaller of two counts of rows that could be wrong when left out."""
    slopes, alpha = solution.slopes(0), solution.alpha
    support = int((slopes <= decision_reach(facts, solution, 0)).sum())
    counts = [support_leave_one_out(support, len(alpha))]
    if facts.kernel[0] == GAUSSIAN:  # all kernel values lie in [0, 1]
        counts.append(xi_alpha(alpha, np.maximum(0.0, -slopes), 1.0))
    if solution.problems.bias == NO_BIAS:
        own = facts.diagonal[solution.problems.members]
        counts.append(jaakkola_haussler(alpha, own, solution.problems.sign * solution.scores))
    return min(counts, key=lambda certificate: float(certificate.value))  # type: ignore[arg-type]


def regression_report(training: Training, solution: Solution, gap: float) -> tuple[Report, str]:
    """Certificates of a regression or one-class machine: gap, audit, and for a fixed tube the rows outside it."""
    facts = KernelFacts.of(training.kernel, training.table)
    if solution.impossible:
        return _without_solution(training, facts, solution)
    found = optimality_certificates(facts, solution, gap, training.declared)
    if training.declared["machine"] != "epsilon-svr":
        return Report(found), "nu makes the regularization depend on the number of rows"
    return _with_compression(training, facts, solution, found)
