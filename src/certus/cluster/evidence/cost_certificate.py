"""How much cheaper any clustering with as many centers could be."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from certus.base import blas_on_one_thread
from certus.cluster.evidence.dual_bound import DualBound, Relaxation
from certus.cluster.evidence.line_bound import SLOW_ROUTE, least_cost_by_all_runs, least_cost_on_a_line
from certus.guarantees import Certificate, CertificateError
from certus.guarantees.records import Basis, Derivation, number, percent, rules

Floats = NDArray[np.float64]
Labels = NDArray[np.intp] | None  # of rows that belong to the mean of their cluster, not to the nearest center
SPECTRAL, DUAL, LINE = "cluster/spectral-cost", "cluster/dual-cost", "cluster/line-cost"
THEOREMS = {
    SPECTRAL: "K-means clustering via principal component analysis (Ding, He 2004)",
    DUAL: "Approximating k-means-type clustering via semidefinite programming (Peng, Wei 2007)",
    LINE: "Ckmeans.1d.dp: optimal k-means clustering in one dimension by dynamic programming (Wang, Song 2011)",
}
QUANTITY = "excess cost of the clustering"
KEPT = 20_000  # numbers up to which centers (or a dual matrix) are kept, so that data can be checked against them
_OUTWARD = 1.0 + 2.0**-48


def spectral_certificate(
    cost: float, centers: Floats, values: Floats, error: float, *, labels: Labels = None
) -> Certificate:
    """The certificate of a cost, from the eigenvalues (ascending) of the scatter matrix and a bound on their errors.

    Whatever the k centers, the rows minus their centers lose at most k - 1 directions of the scatter around the
    mean: the cost of any clustering is at least the sum of the other eigenvalues.
    """
    count = len(centers)
    kept = values[: max(0, len(values) - (count - 1))]
    tail = math.fsum(np.maximum(kept, 0.0))
    return _certified(SPECTRAL, cost, with_clusters({"tail": tail, "error": count * error}, centers, labels), count)


def dual_certificate(cost: float, centers: Floats, bound: DualBound, *, labels: Labels = None) -> Certificate:
    """The certificate of a cost, from a dual solution of the semidefinite relaxation."""
    rows, columns = np.nonzero(np.triu(bound.Z))
    witness: dict[str, Any] = {"tail": max(0.0, bound.value), "error": bound.error}
    priced = bound.cuts.prices > 0.0
    if len(rows) + int(priced.sum()) <= KEPT:
        entries = {"rows": rows.tolist(), "columns": columns.tolist(), "values": bound.Z[rows, columns].tolist()}
        cuts = {"corners": bound.cuts.corners[priced].tolist(), "prices": bound.cuts.prices[priced].tolist()}
        witness |= {"dual": entries, "cuts": cuts}
    else:
        witness["rounds"] = bound.rounds
    return _certified(DUAL, cost, with_clusters(witness, centers, labels), len(centers))


def line_certificate(cost: float, centers: Floats, X: Any, weights: Floats, *, labels: Labels = None) -> Certificate:
    """The certificate of the cost of numbers, one column: their least cost is found exactly."""
    tail, error = least_cost_on_a_line(_one_column(X), weights, len(centers))
    return _certified(LINE, cost, with_clusters({"tail": tail, "error": error}, centers, labels), len(centers))


def _certified(rule: str, cost: float, found: dict[str, Any], clusters: int) -> Certificate:
    witness = {"cost": cost, **found}
    return _record(rule, _excess(witness), {"clusters": clusters}, witness)


def with_clusters(witness: dict[str, Any], centers: Floats, labels: Labels = None) -> dict[str, Any]:
    """The witness with the labels or, without them, the centers, if they are few enough to be written down."""
    if labels is not None:
        return witness | {"labels": labels.tolist()} if len(labels) <= KEPT else witness
    return witness | {"centers": centers.tolist()} if centers.size <= KEPT else witness


def excess_of(cost: float, lower: float) -> float:
    """Share of the cost that another clustering could save at most, rounded up."""
    if cost <= 0.0:
        return 0.0
    return min(1.0, max(0.0, (1.0 - max(0.0, lower) / cost) * _OUTWARD + 2.0**-50))


def _excess(witness: Any) -> float:
    return excess_of(float(witness["cost"]), float(witness["tail"]) - float(witness["error"]))


def _record(rule: str, excess: float, inputs: Any, witness: Any) -> Certificate:
    cost = float(witness["cost"])
    claim = (
        f"No clustering of these rows with {inputs['clusters']} centers costs less than "
        f"{number(cost * (1.0 - excess), 'lower')}: this one costs {number(cost)}, and at most "
        f"{percent(excess, 'upper')} of that could be saved."
    )
    return Basis(rule, THEOREMS[rule]).exact(claim, QUANTITY, "upper", excess, 1.0, inputs, witness)


@rules.checker(SPECTRAL)
def check_spectral_cost(certificate: Certificate, data: Any = None) -> Derivation:
    """Derive the excess again from the witness; with ``X`` or ``(X, sample_weight)`` from singular values too."""
    if data is not None:
        table, weights = read_rows(data)
        centered = (table - np.average(table, axis=0, weights=weights)) * np.sqrt(weights)[:, None]
        squares = np.linalg.svd(centered, compute_uv=False) ** 2
        tail = float(squares[int(certificate.inputs["clusters"]) - 1 :].sum())
        _compare(certificate, table, weights, tail, 1e-9 * float(squares.sum()))
    return _derived(certificate)


@rules.checker(DUAL)
def check_dual_cost(certificate: Certificate, data: Any = None) -> Derivation:
    """Derive the excess again from the witness; with ``X`` or ``(X, sample_weight)`` from its dual matrix too.

    A dual matrix that is too large to be kept is made again by as many rounds.
    """
    if data is not None:
        table, weights = read_rows(data)
        table, weights = table[weights > 0.0], weights[weights > 0.0]
        clusters = int(certificate.inputs["clusters"])
        if "dual" in certificate.witness:
            Z, slack = _kept_dual(certificate, len(table)) + _kept_cuts(certificate, weights), 1e-9
        elif "rounds" in certificate.witness:
            with blas_on_one_thread():
                Z = Relaxation(table, weights, clusters).ascend(int(certificate.witness["rounds"])).total
            slack = 1e-6
        else:
            raise CertificateError(
                f"{certificate.quantity}: a dual matrix of more than {KEPT} entries was not kept in this certificate, "
                "so data cannot be checked against it"
            )
        tail, total = dual_value(Z, table, weights, clusters)
        _compare(certificate, table, weights, tail, slack * total)
    return _derived(certificate)


@rules.checker(LINE)
def check_line_cost(certificate: Certificate, data: Any = None) -> Derivation:
    """Derive the excess again from the witness; with the column, the least cost by comparing all runs of rows too."""
    if data is not None:
        table, weights = read_rows(data)
        table, weights = table[weights > 0.0], weights[weights > 0.0]
        values, clusters = _one_column(table), int(certificate.inputs["clusters"])
        small = len(values) <= SLOW_ROUTE
        tail, _ = (least_cost_by_all_runs if small else least_cost_on_a_line)(values, weights, clusters)
        _compare(certificate, table, weights, tail, 1e-9 * tail)
    return _derived(certificate)


def _one_column(X: Any) -> Floats:
    return np.asarray(X.toarray() if sparse.issparse(X) else X, dtype=np.float64).ravel()


def _derived(certificate: Certificate) -> Derivation:
    witness = certificate.witness
    parts = [float(witness[name]) for name in ("cost", "tail", "error")]
    if not all(math.isfinite(part) and part >= 0.0 for part in parts):
        raise CertificateError(f"{certificate.quantity}: the witness holds a number that cannot occur")
    excess = _excess(witness)
    record = _record(certificate.rule, excess, certificate.inputs, witness)
    return Derivation(excess, error=1e-12, scale=1.0, record=record)


def _kept_dual(certificate: Certificate, rows: int) -> Floats:
    """The dual matrix of the witness."""
    entries = certificate.witness["dual"]
    Z = np.zeros((rows, rows))
    Z[np.array(entries["rows"], dtype=np.intp), np.array(entries["columns"], dtype=np.intp)] = entries["values"]
    Z = np.maximum(Z, Z.T)
    if (Z < 0.0).any():
        raise CertificateError(f"{certificate.quantity}: the dual matrix has a negative entry")
    return Z


def _kept_cuts(certificate: Certificate, weights: Floats) -> Floats:
    """The sum of the triangle inequalities of the witness, each times its price."""
    cuts = certificate.witness.get("cuts", {"corners": [], "prices": []})
    rows, roots = len(weights), np.sqrt(weights / weights.mean())
    found = np.zeros((rows, rows))
    for (i, j, k), price in zip(cuts["corners"], cuts["prices"], strict=True):
        if not (price >= 0.0 and len({i, j, k}) == 3 and 0 <= min(i, j, k) and max(i, j, k) < rows):
            raise CertificateError(f"{certificate.quantity}: rows {i}, {j} and {k} are no triangle with a price >= 0")
        found[i, i] += price / roots[i] ** 2
        for a, b, sign in ((j, k, 0.5), (i, j, -0.5), (i, k, -0.5)):
            found[a, b] += sign * price / (roots[a] * roots[b])
            found[b, a] = found[a, b]
    return found


def dual_value(Z: Floats, table: Floats, weights: Floats, clusters: int) -> tuple[float, float]:
    """The bound of a dual matrix from all eigenvalues, and the total scatter."""
    v = np.sqrt(weights / weights.sum())
    P = np.eye(len(table)) - np.outer(v, v)
    centered = np.sqrt(weights)[:, None] * (table - np.average(table, axis=0, weights=weights))
    with blas_on_one_thread():
        values = np.linalg.eigvalsh(P @ (centered @ centered.T + Z) @ P)
    leading = np.sort(values)[::-1][: clusters - 1]
    total = float(np.sum(centered**2))
    return total - float(v @ Z @ v) - float(np.maximum(leading, 0.0).sum()), total


def read_rows(data: Any) -> tuple[Floats, Floats]:
    """The table and the weights of ``X`` or ``(X, sample_weight)``."""
    X, weights = data if isinstance(data, tuple) else (data, None)
    table = np.asarray(X.toarray() if sparse.issparse(X) else X, dtype=np.float64)
    return table, np.ones(len(table)) if weights is None else np.asarray(weights, dtype=np.float64)


def cost_of_data(witness: Any, table: Floats, weights: Floats) -> float | None:
    """What the clustering of the witness costs on these rows, if its labels or centers were kept."""
    if "labels" in witness:
        labels = np.array(witness["labels"], dtype=np.intp)
        means = [np.average(table[labels == c], axis=0, weights=weights[labels == c]) for c in range(labels.max() + 1)]
        return float(weights @ np.sum((table - np.array(means)[labels]) ** 2, axis=1))
    if "centers" not in witness:
        return None
    centers = np.array(witness["centers"], dtype=np.float64)
    squared = [float(np.min(np.sum((centers - row) ** 2, axis=1))) for row in table]
    return float(weights @ np.array(squared))


def compare_cost(certificate: Certificate, cost: float | None, table: Floats, weights: Floats) -> None:
    """Raise unless the clustering costs at least what it costs on these rows."""
    if cost is None:
        return
    stated = float(certificate.witness["cost"])
    total = float(weights @ np.sum((table - np.average(table, axis=0, weights=weights)) ** 2, axis=1))
    if abs(cost - stated) > 1e-6 * max(cost, 1e-9 * total):
        raise CertificateError(f"{certificate.quantity}: on these data the clustering costs {cost!r}")


def _compare(certificate: Certificate, table: Floats, weights: Floats, tail: float, slack: float) -> None:
    """Raise unless the data give the lower bound and the cost that the witness states."""
    witness = certificate.witness
    if float(witness["tail"]) - float(witness["error"]) > max(0.0, tail) + slack:
        raise CertificateError(f"{certificate.quantity}: the data give a lower bound of {tail!r} only")
    compare_cost(certificate, cost_of_data(witness, table, weights), table, weights)
