"""What proves that constraints cannot all be met: shares of them that contradict each other. Farkas (1902).

A hard problem asks for s_t (h(x_t) + b) + p_t >= 0 for all t. With shares l_t >= 0 whose signed sum is zero (if there
is an intercept), every such function has

    -sum_t l_t p_t <= sum_t l_t s_t h(x_t) = <h, v> <= |h| |v|,      v = sum_t l_t s_t phi(x_t).

So |h| >= demand / |v|: if v is zero, nobody meets the constraints. For two classes the shares of each are the weights
of a point in its convex hull, and v is the difference of the two points. If no share exceeds 1, the violations of any
function of norm R sum to at least demand - R |v|. The shares are whole multiples of 2^-40, so that their signed sum
is exactly zero and not only nearly.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.guarantees import Certificate, CertificateError
from certus.guarantees.records import Basis, Derivation, number, rules
from certus.guarantees.training import kept, require_kept
from certus.svm._native_calls import GIVEN, NO_BIAS, Floats, Table
from certus.svm.evidence.gap_certificate import KEPT, declared_problems, plain_kernel, rows_with_weight
from certus.svm.evidence.kernel_rounding import KernelFacts
from certus.svm.solvers.verified_solution import Solution

NORM_RULE = "svm/impossible-norm"
VIOLATION_RULE = "svm/least-violation"
THEOREM = "Theorem of the alternative for linear inequalities (Farkas 1902), with a norm"
GRID = 2.0**40
TIMES = 100.0  # the least violation is claimed for functions of up to this many times the norm of the one found


def impossibility_certificates(
    facts: KernelFacts, table: Table, solution: Solution, declared: dict[str, Any]
) -> list[Certificate]:
    """For every problem without a solution: the norm that nobody stays below, and the least total violation."""
    found = []
    for index, record in solution.impossible.items():
        problems = solution.problems
        variables, members = problems.variables(index), problems.members[problems.rows(index)]
        sign, linear = problems.sign[variables], problems.linear[variables]
        counts = whole_shares(record.shares, sign if problems.bias != NO_BIAS else None)
        shares = counts / GRID
        coefficients = (sign * shares).reshape(problems.copies, -1).sum(axis=0)
        square = _square(facts, table, members, coefficients)
        own = solution.coefficients(index)
        norm = math.sqrt(max(0.0, float(own @ solution.scores[problems.rows(index)])))
        witness: dict[str, Any] = {
            "pair": index,
            "demand": float(-(linear @ shares)) * (1.0 - 1e-13),
            "length": math.sqrt(square) * (1.0 + 1e-12),
            "violation": record.violation,
            "violated": record.violated,
            "largest_norm": TIMES * norm,
        }
        witness |= kept(KEPT, shares=counts)
        inputs = {**declared, "kernel": list(facts.kernel)}
        if witness["demand"] > 0.0:
            found += [_norm_record(inputs, witness), _violation_record(inputs, witness)]
    return found


def whole_shares(shares: Floats, sign: NDArray[np.int8] | None) -> NDArray[np.int64]:
    """Multiples of 2^-40 close to the shares, none above 1, whose signed sum is zero if there are signs."""
    largest = float(shares.max(initial=0.0))
    if not largest > 0.0:
        return np.zeros(len(shares), dtype=np.int64)
    counts = np.floor(shares / largest * GRID).astype(np.int64)
    if sign is None:
        return counts
    excess = int((counts * sign).sum())
    heavy = 1 if excess > 0 else -1
    for index in np.argsort(-counts * (sign == heavy), kind="stable"):
        taken = min(abs(excess), int(counts[index]))
        counts[index] -= taken
        excess -= heavy * taken
        if excess == 0:
            break
    return counts


def _square(facts: KernelFacts, table: Table, members: NDArray[np.int32], coefficients: Floats) -> float:
    """Upper bound on |v|^2, rounding included."""
    used = np.flatnonzero(coefficients)
    own = coefficients[used]
    if facts.kernel[0] == GIVEN:
        kernel = plain_kernel(table, members[used], facts.kernel)
    else:
        rows = table[members[used]]
        rows = rows if isinstance(rows, np.ndarray) else rows.toarray()
        kernel = plain_kernel(rows, np.arange(len(used)), facts.kernel)
    return max(0.0, float(own @ kernel @ own)) + facts.score_error(own) * float(np.abs(own).sum())


def _subject(inputs: Mapping[str, Any], pair: int) -> str:
    if inputs["machine"] == "epsilon-svr":
        return f"stays within {inputs['epsilon']:g} of all targets"
    classes = inputs["classes"]
    if "against" in inputs and len(classes) > 2:
        return f"separates the class {classes[pair]!r} from all others with margin 1"
    pairs = [(a, b) for i, a in enumerate(classes) for b in classes[i + 1 :]]
    return f"separates the classes {pairs[pair][0]!r} and {pairs[pair][1]!r} with margin 1"


def _norm_record(inputs: Mapping[str, Any], witness: Mapping[str, Any]) -> Certificate:
    length = float(witness["length"])
    value = witness["demand"] / length * (1.0 - 1e-15) if length > 0.0 else math.inf
    below = f" of norm below {number(value, 'lower', 2)}" if math.isfinite(value) else ""
    claim = f"No function{below} {_subject(inputs, witness['pair'])}."
    return Basis(NORM_RULE, THEOREM, ("floating-point-model",)).exact(
        claim, "norm that meets all constraints", "lower", value, 0.0, inputs, witness
    )


def _violation_record(inputs: Mapping[str, Any], witness: Mapping[str, Any]) -> Certificate:
    norm = float(witness["largest_norm"])
    value = max(0.0, (witness["demand"] - norm * witness["length"]) * (1.0 - 1e-15))
    claim = (
        f"The violations of the constraints sum to {number(witness['violation'], 'upper')}; those of any "
        f"function of norm up to {number(norm, 'lower', 2)} sum to at least {number(value, 'lower')}."
    )
    return Basis(VIOLATION_RULE, THEOREM, ("floating-point-model",)).exact(
        claim, "total violation", "lower", value, 0.0, inputs, witness
    )


@rules.checker(NORM_RULE)
def check_norm(certificate: Certificate, data: Any = None) -> Derivation:
    """Divide again; with ``(X, y)`` also compute demand and length from the shares."""
    _check(certificate, data)
    record = _norm_record(certificate.inputs, certificate.witness)
    return Derivation(record.value, error=0.0, slack=0.0, record=record)


@rules.checker(VIOLATION_RULE)
def check_violation(certificate: Certificate, data: Any = None) -> Derivation:
    """Subtract again; with ``(X, y)`` also compute demand and length from the shares."""
    _check(certificate, data)
    record = _violation_record(certificate.inputs, certificate.witness)
    return Derivation(record.value, error=0.0, slack=0.0, record=record)


def _check(certificate: Certificate, data: Any) -> None:
    witness, inputs = certificate.witness, certificate.inputs
    if not (witness["demand"] > 0.0 and witness["length"] >= 0.0 and witness["violation"] >= 0.0):
        raise CertificateError(f"{certificate.quantity}: the witness does not contradict anything.")
    if data is None:
        return
    require_kept(certificate, "shares", KEPT)
    table, y, weights = rows_with_weight(inputs, data)
    problems = declared_problems(inputs, y, weights)
    index = int(witness["pair"])
    variables, members = problems.variables(index), problems.members[problems.rows(index)]
    sign, counts = problems.sign[variables], np.array(witness["shares"], dtype=np.int64)
    if counts.shape != sign.shape or (counts < 0).any() or (counts > GRID).any():
        raise CertificateError(f"{certificate.quantity}: the shares do not fit these data.")
    if problems.bias != NO_BIAS and int((counts * sign).sum()) != 0:
        raise CertificateError(f"{certificate.quantity}: the signed sum of the shares is not zero.")
    shares = counts / GRID
    demand = float(-(problems.linear[variables] @ shares))
    coefficients = (sign * shares).reshape(problems.copies, -1).sum(axis=0)
    square = float(coefficients @ plain_kernel(table, members, inputs["kernel"]) @ coefficients)
    length = math.sqrt(max(0.0, square))
    if demand < witness["demand"] * (1.0 - 1e-9) or length > witness["length"] * (1.0 + 1e-6):
        raise CertificateError(
            f"{certificate.quantity}: on these data the shares give demand {demand!r} and length {length!r}."
        )
