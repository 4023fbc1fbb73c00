"""Between what bounds the probability of evidence lies: mean field below, weighted mini-buckets above."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from certus.graphical.evidence.plain_factors import plain_factors
from certus.graphical.networks.bounds.log_factors import log_factors, partition, small_first_order
from certus.graphical.networks.bounds.mean_field import MeanField, bound_rounding, lower_bound
from certus.graphical.networks.bounds.mini_buckets import abs_or_zero, mini_bucket_bound
from certus.guarantees import Certificate, CertificateError
from certus.guarantees.records import Basis, Derivation, number, plural, rules

RULE = "graphical/probability-interval"
QUANTITY = "log-probability of the evidence"
BASIS = Basis(
    RULE, "Bounding the partition function using Hoelder's inequality (Liu and Ihler 2011)", ("floating-point-model",)
)


def interval_certificate(question: Any, i_bound: int, start: dict[int, int] | None) -> Certificate:
    """The interval for a question; ``start`` is a possible assignment of its nodes, if one is known.

    Bounds of all sizes up to ``i_bound`` are tried and the best one is taken, so that the interval shrinks with it.
    """
    plain = plain_factors(question)
    order = small_first_order(plain)
    best, size = mini_bucket_bound(plain, order, 1), 1
    for wider in range(2, i_bound + 1):
        if not best.split:
            break
        found = mini_bucket_bound(plain, order, wider)
        if not found.split or found.value + found.rounding < best.value + best.rounding:
            best, size = found, wider
    q: list[Any] = []
    low = best.value - best.rounding  # nothing was split: the bound is the sum itself
    if best.split:
        q = _best_mean_field(plain, _starts(question, plain, start))
        low = lower_bound(log_factors(plain), q) - bound_rounding(log_factors(plain), q)
    high = best.value + best.rounding
    witness = {
        **plain,
        "order": order,
        "i_bound": size,
        "exact": not best.split,
        "q": [found.tolist() for found in q],
        "bounds": [min(low, high), high],
    }
    return _record({"evidence": len(question.evidence.given), "i_bound": i_bound}, witness)


def _starts(question: Any, plain: Any, start: dict[int, int] | None) -> list[list[Any]]:
    found = [[np.full(int(card), 1.0 / int(card)) for card in plain["states"]]]
    if start is not None:
        nodes = [question.network._dag.place[name] for name in plain["names"]]
        points = [np.eye(int(card))[start[node]] for node, card in zip(nodes, plain["states"], strict=True)]
        found.append(points)
        found.append([0.9 * point + 0.1 * flat for point, flat in zip(points, found[0], strict=True)])
    return found


def _best_mean_field(plain: Any, starts: list[list[Any]]) -> list[Any]:
    fields = [MeanField(plain, start).run() for start in starts]
    return max(fields, key=lambda field: field.history[-1]).q


def _record(inputs: Any, witness: Any) -> Certificate:
    low, high = (float(value) for value in witness["bounds"])
    if math.isnan(low) or math.isnan(high) or low > high:
        raise CertificateError(f"{QUANTITY}: the witness holds no interval")
    claim = (
        f"The log-probability of the evidence on {plural(int(inputs['evidence']), 'node')} lies between "
        f"{number(low, 'lower')} and {number(high, 'upper')}."
    )
    return BASIS.exact(claim, QUANTITY, "interval", (low, high), (-math.inf, math.inf), inputs, witness)


@rules.checker(RULE)
def check_interval(certificate: Certificate, _data: Any = None) -> Derivation:
    """Add up the lower bound cell by cell, and find the upper one with powers in place of logarithms."""
    witness = certificate.witness
    record = _record(certificate.inputs, witness)
    stated_low, stated_high = (float(value) for value in witness["bounds"])
    high = upper_by_powers(witness)
    low = high if witness["exact"] else _lower_by_cells(witness)
    slack = 1e-9 * (1.0 + abs_or_zero(high) + abs_or_zero(low))
    if not stated_high >= high - slack or not stated_low <= low + slack:
        raise CertificateError(f"{QUANTITY}: {stated_low!r} to {stated_high!r} is stated, not {low!r} to {high!r}")
    return Derivation(record.value, error=1e-12, record=record)


def _lower_by_cells(witness: Any) -> float:
    q = [np.asarray(found, dtype=np.float64) for found in witness["q"]]
    if any(abs(found.sum() - 1.0) > 1e-9 or (found < 0).any() for found in q):
        raise CertificateError(f"{QUANTITY}: the witness holds no distributions")
    total = -sum(p * math.log(p) for found in q for p in found.tolist() if p > 0.0)
    for scope, values in witness["factors"]:
        shape = [len(q[variable]) for variable in scope]
        for value, cell in zip(values, np.ndindex(*shape), strict=True):
            weight = math.prod(float(q[variable][state]) for variable, state in zip(scope, cell, strict=True))
            if weight > 0.0:
                total += weight * math.log(value) if value > 0.0 else -math.inf
    return float(total)


def upper_by_powers(witness: Any, *, maximise: bool = False) -> float:
    """Mini-buckets on the numbers themselves, each table divided by its maximum first."""
    cards = [int(count) for count in witness["states"]]
    if sorted(witness["order"]) != list(range(len(cards))):
        raise CertificateError(f"{QUANTITY}: the witness holds no order of the variables")
    tables = []
    for scope, values in witness["factors"]:
        table = np.asarray(values, dtype=np.float64).reshape([cards[variable] for variable in scope])
        tables.append((tuple(scope), table))
    total, split = 0.0, False
    for variable in witness["order"]:
        bucket = [entry for entry in tables if variable in entry[0]]
        tables = [entry for entry in tables if variable not in entry[0]]
        groups = partition([tuple(sorted(scope)) for scope, _table in bucket], int(witness["i_bound"]), cards) or [[]]
        split = split or len(groups) > 1
        for group in groups:
            scope = tuple(dict.fromkeys([variable, *(member for place in group for member in bucket[place][0])]))
            product = np.ones([cards[member] for member in scope])
            for place in group:
                found, table = bucket[place]
                turned = table.transpose(sorted(range(len(found)), key=lambda axis: scope.index(found[axis])))
                product *= turned.reshape([cards[member] if member in found else 1 for member in scope])
                largest = float(product.max())
                if not largest > 0.0:
                    return -math.inf
                product, total = product / largest, total + math.log(largest)
            powers = product ** len(groups)
            message = product.max(axis=0) if maximise else powers.sum(axis=0) ** (1.0 / len(groups))
            tables.append((scope[1:], message))
    if split and witness["exact"]:
        raise CertificateError(f"{QUANTITY}: a product was split, so that the bound is not exact")
    rest = [float(table) for _scope, table in tables]
    return total + sum(math.log(value) for value in rest) if all(value > 0.0 for value in rest) else -math.inf
