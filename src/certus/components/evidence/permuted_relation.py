"""Evidence that two tables are related: their canonical correlations against those of shuffled rows.

If the tables are unrelated, every order of the rows of one of them is as likely as the given one, so that its rank by
Pillai's trace, the sum of all squared canonical correlations, is uniform. The share of orders that reach at least as
much, the given one included, is a p-value for any number of rows and any distribution.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.guarantees import Certificate, CertificateError
from certus.guarantees.records import Basis, Derivation, number, plural, rules

Floats = NDArray[np.float64]
RULE = "components/permuted-relation"
QUANTITY = "p-value of no relation"
CLOSE = 1e-9  # traces that differ by less, over the largest possible one, count as equal
BASIS = Basis(RULE, "Permutation tests are exact (Fisher 1935; Pillai's trace)", ("iid", "independent-draws"))


def orthonormal_basis(table: Floats) -> Floats:
    """Of the columns of a table, centered; columns that others give are left out."""
    centered = table - table.mean(axis=0)
    scale = np.abs(centered).max(axis=0, initial=0.0)
    varied = scale > 1e-15 * np.abs(table).max(axis=0, initial=0.0)
    left, values, _ = np.linalg.svd(centered[:, varied] / scale[varied], full_matrices=False)
    return np.asarray(left[:, values > 1e-10 * values.max(initial=0.0)])


def permuted_traces(X: Floats, Y: Floats, permutations: int, seed: int) -> tuple[float, Floats]:
    """The trace of the rows as they are, and of shuffled ones."""
    first, second = orthonormal_basis(X), orthonormal_basis(Y)
    rng = np.random.default_rng(seed)
    shuffled = [float(((first.T @ second[rng.permutation(len(second))]) ** 2).sum()) for _ in range(permutations)]
    return float(((first.T @ second) ** 2).sum()), np.array(shuffled)


def relation_certificate(trace: float, shuffled: Floats, rows: int, seed: int) -> Certificate:
    """The certificate of a trace among those of shuffled rows."""
    largest = max(1.0, float(shuffled.max(initial=0.0)), trace)
    reached = int((shuffled >= trace - CLOSE * largest).sum())
    return _record({"rows": rows, "permutations": len(shuffled), "seed": seed}, {"trace": trace, "reached": reached})


def _record(inputs: Mapping[str, Any], witness: Mapping[str, Any]) -> Certificate:
    permutations, reached = int(inputs["permutations"]), int(witness["reached"])
    if not 0 <= reached <= permutations:
        raise CertificateError(f"{QUANTITY}: {reached} of {permutations} orders cannot be.")
    value = (1.0 + reached) / (1.0 + permutations)
    claim = (
        f"If the two tables of {plural(int(inputs['rows']), 'row')} were unrelated, canonical correlations as large as "
        f"here would come up with probability at most {number(value, 'upper')} ({reached} of {permutations} shuffled "
        "orders reach as much)."
    )
    return BASIS.exact(claim, QUANTITY, "upper", value, 1.0, inputs, witness)


@rules.checker(RULE)
def check_relation(certificate: Certificate, data: Any = None) -> Derivation:
    """Count again; with the tables (X, Y) shuffle again, and take traces from projections by least squares."""
    inputs, witness = certificate.inputs, certificate.witness
    record = _record(inputs, witness)
    if data is not None:
        X, Y = (np.asarray(part, dtype=np.float64).reshape(len(part), -1) for part in data)
        rng = np.random.default_rng(int(inputs["seed"]))
        orders = [rng.permutation(len(Y)) for _ in range(int(inputs["permutations"]))]
        basis = orthonormal_basis(Y)
        centered = X - X.mean(axis=0)
        largest = np.abs(centered).max(axis=0)
        varied = largest > 1e-15 * np.abs(X).max(axis=0)
        centered = centered[:, varied] / largest[varied]
        explained = centered @ np.linalg.lstsq(centered, basis, rcond=1e-10)[0]
        trace = float((basis * explained).sum())
        projection = centered @ np.linalg.pinv(centered, rcond=1e-10)
        traces = np.array([float(np.einsum("ij,ij->", basis[order], projection @ basis[order])) for order in orders])
        reached = int((traces >= trace - CLOSE * max(1.0, traces.max(initial=0.0), trace)).sum())
        if abs(trace - float(witness["trace"])) > 1e-6 * (1.0 + trace) or reached != int(witness["reached"]):
            raise CertificateError(f"{QUANTITY}: on these rows the trace is {trace!r}, and {reached} orders reach it.")
    return Derivation(record.single_value, error=1e-12, record=record)
