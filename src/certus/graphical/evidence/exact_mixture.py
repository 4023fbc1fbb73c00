"""How far rounding moved the answers of a network with continuous nodes: all of them again with 60 digits.

The certificate conditions on one observation after the other, by covariances. The check goes by precisions, solves for
all at once, and sums the states out in the opposite order.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.graphical.evidence.decimal_mixture import by_covariances, by_precisions, largest_error
from certus.guarantees import Certificate, CertificateError
from certus.guarantees.records import Basis, Derivation, number, plural, rules

RULE = "graphical/exact-mixture"
QUANTITY = "rounding error of probabilities, means and covariances"
BASIS = Basis(
    RULE, "Propagation of probabilities, means and variances in mixed graphical association models (Lauritzen 1992)"
)
MOST = 300_000  # products of numbers with 60 digits: about a second
Floats = NDArray[np.float64]


def mixture_certificate(
    question: Any, components: tuple[Floats, Floats, Floats], log_evidence: float
) -> Certificate | None:
    """The certificate of an answer; None where 60 digits would take too long.

    Parameters
    ----------
    question : MixedQuestion
        What was asked.
    components : tuple of ndarrays
        Weights, means and covariances for all configurations of the free variables.
    log_evidence : float
        Log-density of the evidence.
    """
    work = sum(math.prod(question.cards[v] for v in shape.scope) * _size(shape) ** 3 for shape in question.shapes)
    if question.elimination.cells + work > MOST:
        return None
    weights, means, covariances = components
    variables = list(question.cards)
    witness = {
        "names": list(question.continuous),
        "states": [question.cards[name] for name in variables],
        "free": [variables.index(name) for name in question.free],
        "factors": [
            [[variables.index(name) for name in scope], np.ravel(table).tolist()] for scope, table in question.tables
        ],
        "parts": [_plain_part(question, shape, variables) for shape in question.shapes],
        "weights": weights.tolist(),
        "means": means.ravel().tolist(),
        "covariances": covariances.ravel().tolist(),
        "log_evidence": log_evidence,
    }
    value = largest_error(witness, by_covariances(witness))
    observed = len(question.evidence.discrete.nodes) + len(question.evidence.values)
    return _record({"evidence": observed, "error": value}, witness)


def _size(shape: Any) -> int:
    return len(shape.hidden) + len(shape.seen)


def _plain_part(question: Any, shape: Any, variables: list[str]) -> list[dict[str, Any]]:
    """The nodes of a part, each after its parents, with what is observed put in."""
    network, evidence = question.network, question.evidence
    order = sorted((*shape.hidden, *shape.seen), key=network._ranks.__getitem__)
    found = []
    for name in order:
        normal, parents = network.normal(name), network.parents(name)
        causes = [parent for parent in parents if parent not in network._normals]
        at = tuple(evidence.states.get(parent, slice(None)) for parent in causes)
        linked = [parent for parent in parents if parent in network._normals]
        found.append(
            {
                "name": name,
                "observed": evidence.values.get(name),
                "scope": [variables.index(parent) for parent in causes if parent not in evidence.states],
                "parents": [None if p in evidence.values else order.index(p) for p in linked],
                "constants": [evidence.values.get(parent) for parent in linked],
                "intercept": np.ravel(normal.intercept[at]).tolist(),
                "coefficients": np.reshape(
                    normal.coefficients[at], (np.size(normal.intercept[at]), len(linked))
                ).tolist(),
                "variance": np.ravel(normal.variance[at]).tolist(),
            }
        )
    return found


def _record(inputs: Any, witness: Any) -> Certificate:
    value = float(inputs["error"])
    if not 0.0 <= value < math.inf:
        raise CertificateError(f"{QUANTITY}: the record holds no error")
    claim = (
        f"Given evidence on {plural(int(inputs['evidence']), 'node')}, rounding moved no probability and the "
        f"log-density of the evidence by more than {number(value, 'upper')}, no mean by more standard deviations than "
        "that, and no covariance by more than that share of the product of the standard deviations, for these "
        "parameters."
    )
    return BASIS.exact(claim, QUANTITY, "upper", value, math.inf, inputs, witness)


@rules.checker(RULE)
def check_mixture(certificate: Certificate, _data: Any = None) -> Derivation:
    """Compute all numbers again by precisions and in the opposite order."""
    witness = certificate.witness
    record = _record(certificate.inputs, witness)
    try:
        value = largest_error(witness, by_precisions(witness))
    except (ArithmeticError, IndexError, KeyError, TypeError, ValueError) as error:
        raise CertificateError(f"{QUANTITY}: the witness does not describe an answer ({error})") from None
    return Derivation(value, error=1e-9, slack=1e-6, scale=1e-25, record=record)
