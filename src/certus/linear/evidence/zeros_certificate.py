"""The certificate of columns that lasso, elastic net and multi-task forms leave out at every optimum."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.guarantees import Certificate, CertificateError
from certus.guarantees.records import Basis, Derivation, count, rules
from certus.guarantees.training import KEPT, kept_array, training_data
from certus.linear.evidence.declared_problems import elastic_net_problem
from certus.losses.gap import ConvexProblem, Point, better_solution

RULE = "linear/provable-zeros"
SPHERE = "Gap-safe sphere test (Fercoq, Gramfort, Salmon 2015, theorem 2)"
SEARCHES = (60, 120, 240, 480, 960)  # steps of the search for the optimum when data are given, if all are needed
CLOSE = 1e-10  # share of the objective as which the rest of the way ends the search


def zeros_certificate(zeros: NDArray[np.intp], shape: tuple[int, ...], problem: dict[str, Any]) -> Certificate:
    """The certificate for coefficients of this shape (targets x columns)."""
    shown = zeros.tolist() if shape[0] * shape[1] <= KEPT else None
    return _record(len(zeros), shape[1], shown, problem)


def _record(zeros: int, columns: int, shown: list[int] | None, inputs: Any) -> Certificate:
    claim = f"At least {count(zeros)} of {count(columns)} columns have coefficients that are 0 at every optimum."
    return Basis(RULE, SPHERE, ("convex", "floating-point-model")).exact(
        claim,
        "columns that every optimum leaves out",
        "lower",
        float(zeros),
        0.0,
        inputs,
        {"zeros": zeros, "columns": columns, "shown": shown},
    )


@rules.checker(RULE)
def check_provable_zeros(certificate: Certificate, data: Any = None) -> Derivation:
    """Compare the count with the list; with data also solve the problem and look at the listed coefficients."""
    witness = certificate.witness
    zeros, columns, shown = int(witness["zeros"]), int(witness["columns"]), witness["shown"]
    if not 0 <= zeros <= columns or (shown is not None and len(set(shown)) != zeros):
        raise CertificateError(f"{certificate.quantity}: the witness does not fit together.")
    if data is not None:
        _solve_and_compare(certificate, data)
    record = _record(zeros, columns, shown, certificate.inputs)
    return Derivation(float(zeros), error=0.0, slack=0.0, record=record)


def _solve_and_compare(certificate: Certificate, data: Any) -> None:
    """Look for a solution that uses a listed column, and for a proof that it beats all that use none.

    A search that has not ended, as with columns of very different sizes, may still use columns that no optimum does.
    """
    zeros = kept_array(certificate, "shown").astype(np.intp)
    problem, at = elastic_net_problem(certificate, data)
    found = _optimum(problem, at)
    coef = np.asarray(found.W, dtype=np.float64)
    if np.abs(coef[:, zeros]).max(initial=0.0) <= 1e-6 * np.abs(coef).max(initial=0.0):
        return
    X, y, weights = training_data(data)
    X = X.astype(np.longdouble)
    X[:, zeros] = 0.0
    without, at = elastic_net_problem(certificate, (X, y, weights))
    reached = problem.value(found)
    if reached < without.lower_bound(_optimum(without, at)) * (1.0 - 1e-12):
        raise CertificateError(f"{certificate.quantity}: on these data a listed coefficient is not 0 at the optimum.")


def _optimum(problem: ConvexProblem, at: Point) -> Point:
    """The best point that the searches reach, until a dual point shows that little is left."""
    for steps in SEARCHES:
        at = better_solution(problem, at, steps)
        reached = problem.value(at)
        if reached - problem.lower_bound(at) <= CLOSE * reached:
            break
    return at
