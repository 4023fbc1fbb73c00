"""How much cheaper any other medoids could be, and how much smaller the radius of any other centers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.cluster.evidence.assignment_bound import AssignmentBound
from certus.cluster.evidence.cost_certificate import KEPT, QUANTITY, excess_of, read_rows
from certus.geometry import pairwise_distances
from certus.guarantees import Certificate, CertificateError
from certus.guarantees.records import Basis, Derivation, number, percent, rules

Floats = NDArray[np.float64]
MEDOIDS, RADIUS = "cluster/medoid-cost", "cluster/center-radius"
RADIUS_QUANTITY = "excess radius of the centers"
MEDOIDS_BASIS = Basis(MEDOIDS, "A note on solving large p-median problems (Beasley 1985)")
RADIUS_BASIS = Basis(RADIUS, "Clustering to minimize the maximum intercluster distance (Gonzalez 1985)")
# Distances that satisfy the triangle inequality: rows that share a center are at most two radii apart.
TRIANGLE = frozenset(
    (
        "euclidean",
        "l2",
        "minkowski",
        "p",
        "manhattan",
        "cityblock",
        "l1",
        "chebyshev",
        "infinity",
        "hamming",
        "canberra",
    )
)


def medoid_certificate(model: Any, weights: Floats, bound: AssignmentBound, kept: NDArray[np.intp]) -> Certificate:
    """The certificate of fitted medoids."""
    inputs = {"clusters": len(model.medoid_indices_), "power": model.power, "metric": _name(model.metric)}
    prices = np.zeros(len(weights))
    prices[kept] = bound.prices
    return _medoid_record(inputs, _witness(model.inertia_, bound, {"medoids": model.medoid_indices_.tolist()}, prices))


def _witness(cost: float, bound: AssignmentBound, clusters: dict[str, Any], prices: Floats) -> dict[str, Any]:
    witness = {"cost": cost, "tail": max(0.0, bound.value), "error": bound.error}
    return {**witness, **clusters, "prices": prices.tolist()} if len(prices) <= KEPT else witness


def certificate_of_rows(table: Floats, codes: NDArray[np.intp], count: int, cost: str, effort: int) -> Certificate:
    """The certificate of labels whose clusters stand around their best rows."""
    power = 2 if cost == "k-medoids" else 1
    distances = pairwise_distances(table) ** power
    members = [np.flatnonzero(codes == cluster) for cluster in range(count)]
    if cost == "k-center":
        radius = max(float(distances[np.ix_(rows, rows)].max(axis=1).min()) for rows in members)
        visited, apart = _farthest_first(distances, count)
        return radius_certificate(radius, apart, visited, count, "euclidean")
    medoids = np.array([rows[np.argmin(distances[np.ix_(rows, rows)].sum(axis=1))] for rows in members])
    paid = float(distances[np.arange(len(codes)), medoids[codes]].sum())
    bound = AssignmentBound(distances, np.ones(len(codes)), count)
    bound.ascend(paid, effort, medoids)
    inputs = {"clusters": count, "power": power, "metric": "euclidean"}
    kept = {"medoids": medoids.tolist(), "labels": codes.tolist()}
    return _medoid_record(inputs, _witness(paid, bound, kept, bound.prices))


def _farthest_first(distances: Floats, count: int) -> tuple[list[int], float]:
    """K + 1 rows, each the farthest from those before, and the least distance between two of them."""
    chosen, closest, apart = [0], distances[0].copy(), np.inf
    for _ in range(min(count, len(distances) - 1)):
        row = int(np.argmax(closest))
        apart = min(apart, float(closest[row]))
        chosen.append(row)
        closest = np.minimum(closest, distances[row])
    return (chosen, apart) if len(chosen) > count else ([], 0.0)


def _name(metric: Any) -> str:
    return metric if isinstance(metric, str) else "a function"


def _medoid_record(inputs: Any, witness: Any) -> Certificate:
    cost = float(witness["cost"])
    excess = excess_of(cost, float(witness["tail"]) - float(witness["error"]))
    claim = (
        f"No {inputs['clusters']} medoids of these rows cost less than {number(cost * (1.0 - excess), 'lower')}: "
        f"these cost {number(cost)}, and at most {percent(excess, 'upper')} of that could be saved."
    )
    return MEDOIDS_BASIS.exact(claim, QUANTITY, "upper", excess, 1.0, inputs, witness)


@rules.checker(MEDOIDS)
def check_medoid_cost(certificate: Certificate, data: Any = None) -> Derivation:
    """Derive the excess again from the witness; with the rows, or their distances, from its prices too."""
    witness = certificate.witness
    if not all(
        math.isfinite(float(witness[name])) and float(witness[name]) >= 0.0 for name in ("cost", "tail", "error")
    ):
        raise CertificateError(f"{certificate.quantity}: the witness holds a number that cannot occur")
    if data is not None:
        _check_prices(certificate, data)
    record = _medoid_record(certificate.inputs, witness)
    return Derivation(record.value, error=1e-12, scale=1.0, record=record)


def _check_prices(certificate: Certificate, data: Any) -> None:
    if "prices" not in certificate.witness:
        raise CertificateError(f"{certificate.quantity}: more than {KEPT} prices are not kept in a certificate")
    table, weights = read_rows(data)
    distances = _costs(certificate.inputs, table)
    prices = np.asarray(certificate.witness["prices"], dtype=np.float64)
    kept = weights > 0.0
    savings = np.sort(weights[kept] @ np.minimum(0.0, distances[np.ix_(kept, kept)] - prices[kept, None]))
    bound = float(weights @ prices) + math.fsum(savings[: int(certificate.inputs["clusters"])])
    medoids = np.asarray(certificate.witness["medoids"], dtype=np.intp)
    if "labels" in certificate.witness:
        paid = distances[np.arange(len(table)), medoids[np.asarray(certificate.witness["labels"], dtype=np.intp)]]
    else:
        paid = distances[:, medoids].min(axis=1)
    cost = float(weights @ paid)
    stated = float(certificate.witness["tail"]) - float(certificate.witness["error"])
    if stated > max(0.0, bound) + 1e-9 * max(cost, 1e-300):
        raise CertificateError(f"{certificate.quantity}: the data give a lower bound of {bound!r} only")
    if abs(cost - float(certificate.witness["cost"])) > 1e-6 * cost + 1e-300:
        raise CertificateError(f"{certificate.quantity}: on these data the medoids cost {cost!r}")


def _costs(inputs: Any, table: Floats) -> Floats:
    if inputs["metric"] == "a function":
        raise CertificateError(
            "the distance was a function, which a certificate does not keep.\n"
            "Hint: give the matrix of distances to metric='precomputed' instead, and check that."
        )
    return np.asarray(pairwise_distances(table, metric=inputs["metric"]) ** int(inputs["power"]))


def radius_certificate(radius: float, apart: float, rows: list[int], clusters: int, metric: Any) -> Certificate:
    """The certificate of k centers, from k + 1 rows that are pairwise `apart`: two of them share a center."""
    inputs, witness = {"clusters": clusters, "metric": _name(metric)}, {"radius": radius, "apart": apart, "rows": rows}
    return _radius_record(inputs, witness)


def shared_radius_certificate(radius: float, shared: float, rows: list[int], clusters: int, metric: Any) -> Certificate:
    """The certificate of k rows as centers for any distance: no two of the k + 1 `rows` share one within `shared`."""
    inputs = {"clusters": clusters, "metric": _name(metric)}
    return _radius_record(inputs, {"radius": radius, "shared": shared, "rows": rows})


def least_shared_radius(distances: Floats) -> float:
    """The least radius within which two of some rows share a center, from their distances to all possible centers."""
    return min((float(np.maximum(row, distances[:at]).min()) for at, row in enumerate(distances) if at), default=0.0)


def _radius_record(inputs: Any, witness: Any) -> Certificate:
    radius = float(witness["radius"])
    lower = float(witness["shared"]) if "shared" in witness else float(witness["apart"]) / 2.0
    excess, among = excess_of(radius, lower), " among these rows" if "shared" in witness else ""
    least = number(radius * (1.0 - excess), "lower")
    claim = (
        f"No {inputs['clusters']} centers{among} have a radius below {least}: these have {number(radius)}, and at "
        f"most {percent(excess, 'upper')} of that could be saved."
    )
    return RADIUS_BASIS.exact(claim, RADIUS_QUANTITY, "upper", excess, 1.0, inputs, witness)


@rules.checker(RADIUS)
def check_radius(certificate: Certificate, data: Any = None) -> Derivation:
    """Derive the excess again from the witness; with the rows, or their distances, how far its rows are apart too."""
    inputs, witness = certificate.inputs, certificate.witness
    rows = np.asarray(witness["rows"], dtype=np.intp)
    stated = float(witness["shared"] if "shared" in witness else witness["apart"])
    if stated > 0.0 and len(rows) != int(inputs["clusters"]) + 1:
        raise CertificateError(f"{certificate.quantity}: the witness needs one row more than there are centers")
    if "shared" not in witness and stated > 0.0 and inputs["metric"] not in TRIANGLE:
        raise CertificateError(f"{certificate.quantity}: {inputs['metric']} does not satisfy the triangle inequality")
    if data is not None and len(rows) and "shared" in witness:
        _check_shared(certificate, rows, stated, read_rows(data)[0])
    elif data is not None and len(rows):
        table, _ = read_rows(data)
        distances = _costs({"metric": inputs["metric"], "power": 1}, table[rows])
        apart = float(distances[np.triu_indices(len(rows), 1)].min()) if len(rows) > 1 else 0.0
        if stated > apart * (1.0 + 1e-9):
            raise CertificateError(f"{certificate.quantity}: the rows of the witness are only {apart!r} apart")
    record = _radius_record(inputs, witness)
    return Derivation(record.value, error=1e-12, scale=1.0, record=record)


def _check_shared(certificate: Certificate, rows: NDArray[np.intp], stated: float, table: Floats) -> None:
    """Raise if two rows of the witness share a center within less than the stated radius."""
    distances = _costs({"metric": certificate.inputs["metric"], "power": 1}, table)[rows]
    found = min(
        float(min(max(a, b) for a, b in zip(one, other, strict=True)))
        for at, one in enumerate(distances)
        for other in distances[:at]
    )
    if stated > found * (1.0 + 1e-9):
        raise CertificateError(f"{certificate.quantity}: two rows of the witness share a center within {found!r}")
