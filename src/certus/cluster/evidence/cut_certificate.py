"""How much smaller the normalized cut of any other division into as many parts could be."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import eigh
from scipy.sparse.linalg import eigsh

from certus.base import blas_on_one_thread
from certus.cluster.evidence.cost_certificate import KEPT, excess_of
from certus.cluster.evidence.cut_bound import Floor, lanczos_floor, least_sum
from certus.cluster.solvers.cut_graph import CutGraph
from certus.geometry.search import Affinities
from certus.guarantees import Certificate, CertificateError
from certus.guarantees.records import Basis, Derivation, check_confidence, confidence_percent, number, percent, rules

Floats = NDArray[np.float64]
EXACT, PROBABLE = "cluster/normalized-cut", "cluster/probable-normalized-cut"
QUANTITY = "excess normalized cut"
SOLVED = 6_000  # rows up to which a check finds all eigenvalues
THEOREMS = {
    EXACT: "Multiclass spectral clustering (Yu, Shi 2003)",
    PROBABLE: "Estimating the largest eigenvalue by the power and Lanczos algorithms with a random start "
    "(Kuczynski, Wozniakowski 1992)",
}


def cut_certificate(
    cut: float,
    labels: NDArray[np.intp],
    affinities: Affinities,
    values: Floats,
    residual: float,
    floor: Floor,
    confidence: float,
) -> Certificate:
    """The certificate of a division, from the values, the residual and the floor of `cut_bound`."""
    rule = PROBABLE if floor.method == "lanczos" else EXACT
    inputs: dict[str, Any] = {"clusters": len(values), "rows": len(labels), **described(affinities)}
    witness: dict[str, Any] = {"cut": cut, "values": values.tolist(), "residual": residual, "method": floor.method}
    if rule == PROBABLE:
        inputs["confidence"] = check_confidence(confidence)
        witness |= {"largest": floor.largest, "steps": floor.steps, "dimensions": floor.dimensions}
    else:
        witness["floor"] = floor.value if math.isfinite(floor.value) else None
    if len(labels) <= KEPT:
        witness["labels"] = labels.tolist()
    return _record(rule, inputs, witness)


def described(affinities: Affinities) -> dict[str, Any]:
    """How rows were compared, in words that a certificate can keep."""
    known = isinstance(affinities.kind, str) and all(
        isinstance(value, bool | int | float | str) or value is None for value in affinities.params.values()
    )
    if not known:
        return {"affinity": "a function"}
    if affinities.given and not affinities.graph:
        return {"affinity": affinities.kind}
    if affinities.graph:
        return {"affinity": affinities.kind, "neighbors": affinities.neighbors}
    return {"affinity": affinities.kind, "params": dict(affinities.params)}


def _tail(rule: str, inputs: Any, witness: Any) -> float:
    """The lower bound on any normalized cut."""
    values = np.asarray(witness["values"], dtype=np.float64)
    if rule == PROBABLE:
        failure = 1.0 - float(inputs["confidence"])
        floor = lanczos_floor(float(witness["largest"]), int(witness["steps"]), int(witness["dimensions"]), failure)
    else:
        floor = math.inf if witness["floor"] is None else float(witness["floor"])
    return least_sum(values, float(witness["residual"]), floor, int(inputs["rows"]))


def _record(rule: str, inputs: Any, witness: Any) -> Certificate:
    cut = float(witness["cut"])
    excess = excess_of(cut, _tail(rule, inputs, witness))
    confidence = float(inputs["confidence"]) if rule == PROBABLE else 1.0
    begin = f"With {confidence_percent(confidence)} confidence over the random start, no" if rule == PROBABLE else "No"
    claim = (
        f"{begin} {inputs['clusters']} parts of this graph have a normalized cut below "
        f"{number(cut * (1.0 - excess), 'lower')}: these have {number(cut)}, and at most "
        f"{percent(excess, 'upper')} of that could be saved."
    )
    return Basis(rule, THEOREMS[rule], ("independent-draws", "floating-point-model") if rule == PROBABLE else ()).exact(
        claim,
        QUANTITY,
        "upper",
        excess,
        1.0,
        inputs,
        witness,
        confidence=confidence,
        kind="probable" if rule == PROBABLE else "exact",
    )


@rules.checker(EXACT)
def check_cut(certificate: Certificate, data: Any = None) -> Derivation:
    """Derive the excess again from the witness; with the rows, the affinities or distances, from eigenvalues too."""
    return _derived(certificate, data)


@rules.checker(PROBABLE)
def check_probable_cut(certificate: Certificate, data: Any = None) -> Derivation:
    """The same for a bound that holds with a probability."""
    return _derived(certificate, data)


def _derived(certificate: Certificate, data: Any) -> Derivation:
    witness = certificate.witness
    numbers = [float(witness[name]) for name in ("cut", "residual")] + [float(value) for value in witness["values"]]
    if not all(math.isfinite(value) for value in numbers) or min(numbers[:2]) < 0.0:
        raise CertificateError(f"{certificate.quantity}: the witness holds a number that cannot occur")
    if len(witness["values"]) != int(certificate.inputs["clusters"]):
        raise CertificateError(f"{certificate.quantity}: the witness needs one eigenvalue per part")
    if data is not None:
        _check_graph(certificate, data)
    record = _record(certificate.rule, certificate.inputs, witness)
    return Derivation(record.value, error=1e-12, scale=1.0, record=record)


def _check_graph(certificate: Certificate, data: Any) -> None:
    """Raise unless the graph of these data has the cut, and eigenvalues that allow the bound."""
    graph, inputs, witness = _graph_again(certificate, data), certificate.inputs, certificate.witness
    if graph.rows != int(inputs["rows"]):
        raise CertificateError(f"{certificate.quantity}: these are {graph.rows} rows, not {inputs['rows']}")
    cut = float(witness["cut"])
    if "labels" in witness:
        labels = np.asarray(witness["labels"], dtype=np.intp)
        if len(labels) != graph.rows or len(np.unique(labels)) != int(inputs["clusters"]):
            raise CertificateError(f"{certificate.quantity}: the labels do not make {inputs['clusters']} parts")
        found = graph.cut(labels)
        if abs(found - cut) > 1e-9 * max(found, cut) + 1e-12:
            raise CertificateError(f"{certificate.quantity}: on these data the normalized cut is {found!r}")
    least = _smallest_sum(graph, int(inputs["clusters"]))
    if _tail(certificate.rule, inputs, witness) > least + 1e-9:
        raise CertificateError(f"{certificate.quantity}: the smallest eigenvalues of these data sum to {least!r} only")


def _graph_again(certificate: Certificate, data: Any) -> CutGraph:
    inputs = certificate.inputs
    if inputs["affinity"] == "a function":
        raise CertificateError(
            "the affinity was a function, which a certificate does not keep.\n"
            "Hint: give the matrix of affinities to affinity='precomputed' instead, and check that."
        )
    table = sparse.csr_array(data) if sparse.issparse(data) else np.ascontiguousarray(data, dtype=np.float64)
    ways = Affinities(inputs["affinity"], int(inputs.get("neighbors", 0)), inputs.get("params", {}))
    with blas_on_one_thread():
        return CutGraph(symmetric(ways.among(table)))


def symmetric(matrix: Any) -> Any:
    """The mean of a matrix and its transpose."""
    return (matrix + matrix.T) * 0.5


def _smallest_sum(graph: CutGraph, count: int) -> float:
    """The sum of the smallest eigenvalues of I - B: all of them, or by Arnoldi's method, which gives no less."""
    matrix = graph.normalized()
    if graph.rows <= SOLVED:
        whole = matrix.toarray() if sparse.issparse(matrix) else matrix
        last = graph.rows - 1
        with blas_on_one_thread():
            values = eigh(whole, subset_by_index=[last - count + 1, last], eigvals_only=True, overwrite_a=True)
    else:
        start = np.random.default_rng(0).standard_normal(graph.rows)
        values = eigsh(matrix, count, which="LA", v0=start, return_eigenvectors=False, tol=1e-9)
    return float((1.0 - values).sum())
