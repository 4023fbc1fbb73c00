"""How much cheaper any clustering of many rows could be: from random subsets, with a confidence."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base import blas_on_one_thread
from certus.cluster.evidence.cost_certificate import (
    QUANTITY,
    Labels,
    compare_cost,
    cost_of_data,
    dual_value,
    excess_of,
    read_rows,
    with_clusters,
)
from certus.cluster.evidence.sampled_bound import CAP, bound_of, rows_of_a_subset, subsets
from certus.guarantees import Certificate, CertificateError, mean_bound
from certus.guarantees.records import Basis, Derivation, check_confidence, confidence_percent, number, percent, rules

Floats = NDArray[np.float64]
SAMPLED = "cluster/sampled-cost"
THEOREM = (
    "Sketch-and-solve approaches to k-means clustering by semidefinite programming (Clum, Mixon, Villar, Xie 2022)"
)


def sampled_certificate(
    cost: float,
    centers: Floats,
    X: Any,
    weights: Floats,
    *,
    rounds: int,
    samples: int,
    confidence: float,
    seed: int,
    labels: Labels = None,
) -> Certificate:
    """The certificate of a cost, from bounds on the costs of random subsets of the rows."""
    clusters, size = len(centers), rows_of_a_subset(len(centers), X.shape[0])
    values = []
    for rows in subsets(weights, size, samples, seed):
        bound = bound_of(_dense(X[rows]), clusters, rounds)
        values.append(max(0.0, bound.value - bound.error) / size)
    inputs = {
        "clusters": clusters,
        "rounds": rounds,
        "samples": samples,
        "subset": size,
        "confidence": check_confidence(confidence),
        "seed": seed,
    }
    witness = with_clusters({"cost": cost, "weight": float(weights.sum()), "values": values}, centers, labels)
    return _record(_excess(inputs, witness), inputs, witness)


def _dense(rows: Any) -> Floats:
    return np.asarray(rows.toarray() if hasattr(rows, "toarray") else rows, dtype=np.float64)


def _mean(inputs: Any, witness: Any) -> Certificate | None:
    """The lower bound on the mean of the capped values; None where nothing is spent."""
    cap = CAP * float(witness["cost"]) / float(witness["weight"])
    if not cap > 0.0:
        return None
    values = np.minimum(np.asarray(witness["values"], dtype=np.float64), cap)
    return mean_bound(values, low=0.0, high=cap, side="lower", confidence=float(inputs["confidence"]))


def _excess(inputs: Any, witness: Any) -> float:
    mean = _mean(inputs, witness)
    lower = 0.0 if mean is None else mean.single_value * float(witness["weight"]) * (1.0 - 2.0**-40)
    return excess_of(float(witness["cost"]), lower)


def _record(excess: float, inputs: Any, witness: Any) -> Certificate:
    cost, confidence = float(witness["cost"]), float(inputs["confidence"])
    claim = (
        f"With {confidence_percent(confidence)} confidence over {inputs['samples']} random subsets of "
        f"{inputs['subset']} rows, no clustering of these rows with {inputs['clusters']} centers costs less than "
        f"{number(cost * (1.0 - excess), 'lower')}: this one costs {number(cost)}, and at most "
        f"{percent(excess, 'upper')} of that could be saved."
    )
    return Basis(SAMPLED, THEOREM, ("independent-draws",)).probable(
        confidence, claim, QUANTITY, "upper", excess, 1.0, inputs, witness
    )


@rules.checker(SAMPLED)
def check_sampled_cost(certificate: Certificate, data: Any = None) -> Derivation:
    """Derive the excess again from the values of the subsets; with the rows, draw the subsets again too."""
    inputs, witness = certificate.inputs, certificate.witness
    values = np.asarray(witness["values"], dtype=np.float64)
    if len(values) != int(inputs["samples"]) or not (np.isfinite(values) & (values >= 0.0)).all():
        raise CertificateError(f"{certificate.quantity}: the witness holds a value that cannot occur")
    mean = _mean(inputs, witness)
    if mean is not None:
        mean.check()
    if data is not None:
        _check_rows(certificate, values, data)
    excess = _excess(inputs, witness)
    return Derivation(excess, error=1e-12, scale=1.0, record=_record(excess, inputs, witness))


def _check_rows(certificate: Certificate, values: Floats, data: Any) -> None:
    """Raise unless the subsets of these rows have the stated bounds, by all eigenvalues, and the rows the cost."""
    table, weights = read_rows(data)
    table, weights = table[weights > 0.0], weights[weights > 0.0]
    inputs = certificate.inputs
    size, clusters, rounds = (int(inputs[name]) for name in ("subset", "clusters", "rounds"))
    if abs(float(weights.sum()) - float(certificate.witness["weight"])) > 1e-9 * float(weights.sum()):
        raise CertificateError(f"{certificate.quantity}: the rows weigh {float(weights.sum())!r} together")
    for stated, rows in zip(values, subsets(weights, size, len(values), int(inputs["seed"])), strict=True):
        part = table[rows]
        with blas_on_one_thread():
            bound = bound_of(part, clusters, rounds)
        found, total = dual_value(bound.total, part, np.ones(size), clusters)
        if stated * size > max(0.0, found) + 1e-6 * total:
            raise CertificateError(f"{certificate.quantity}: a subset has a lower bound of {found!r} only")
    compare_cost(certificate, cost_of_data(certificate.witness, table, weights), table, weights)
