"""How much the best k directions explain, between what given ones do and what none can exceed.

With the measures of `ritz_measures` (T, E, s) and L the sum of the k largest eigenvalues of C, for every t > s

    trace T  <=  L  <=  k t + sum_i (T_ii - t)_+ + |offdiagonal T| sqrt(k) / 2 + |E|_F^2 / (t - s).

The left side is Ky Fan's principle. For the right side, L = min_t k t + trace (C - t I)_+ , and for C_2 <= s I

    C - t I  =  [[T - t I, E'], [E, C_2 - t I]]  <=  [[T - t I + E'(t I - C_2)^-1 E, 0], [0, 0]].

Equal eigenvalues do no harm, because t may be chosen between the kept and the rest or above both.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.linalg import eigsh

from certus.components.evidence.ritz_measures import RitzMeasures
from certus.guarantees import Certificate, CertificateError
from certus.guarantees.records import Basis, Derivation, percent, plural, rules

Floats = NDArray[np.float64]
BASIS = Basis(
    "components/explained-share",
    "Maximum properties and inequalities for the eigenvalues of completely continuous operators (Fan 1951)",
    ("floating-point-model",),
)
SOLVED = 3000  # the longest smaller side of a table whose eigenvalues a check finds all


def share_certificate(measures: RitzMeasures, rows: int, columns: int, *, centered: bool) -> Certificate:
    """The certificate of measured directions."""
    inputs = {"components": len(measures.values), "rows": rows, "columns": columns, "centered": centered}
    witness = {
        "values": measures.values.tolist(),
        "outside": measures.outside,
        "coupling": measures.coupling,
        "rest": measures.rest,
        "trace": measures.trace,
        "rounding": measures.rounding,
        "way": measures.way,
    }
    return _record(inputs, witness)


def most(values: Floats, outside: float, coupling: float, rest: float) -> float:
    """The smallest of the upper bounds, over the t where the minimum can be: at a value, or where slopes cancel."""
    count = len(values)
    ordered = np.sort(values)[::-1]
    sums = np.concatenate([[0.0], np.cumsum(ordered)])
    # Where the part outside is so small that it vanishes beside the rest, t is the next number above.
    beyond = np.maximum(rest + outside / np.sqrt(np.arange(1.0, count + 1.0)), np.nextafter(rest, math.inf))
    tries = np.concatenate([ordered[ordered > rest], beyond])
    above = count - np.searchsorted(ordered[::-1], tries, side="right")
    found = count * tries + sums[above] - above * tries
    if outside > 0.0:
        room = tries - rest
        found = found + np.divide(outside**2, room, out=np.full(len(tries), math.inf), where=room > 0.0)
    return float(found.min()) + 0.5 * math.sqrt(count) * coupling


def _ends(witness: Mapping[str, Any]) -> tuple[float, float]:
    values = np.array(witness["values"], dtype=np.float64)
    outside, coupling, rest, trace, rounding = (
        float(witness[name]) for name in ("outside", "coupling", "rest", "trace", "rounding")
    )
    numbers = [*values, outside, coupling, rest, trace, rounding]
    if not all(math.isfinite(value) for value in numbers) or min(numbers[-5:]) < 0.0 or trace <= rounding:
        raise CertificateError("explained variance ratio: the witness holds a number that cannot occur")
    low = (float(values.sum()) - rounding) / (trace + rounding)
    high = (most(values, outside, coupling, rest) + rounding) / (trace - rounding)
    return min(1.0, max(0.0, low)), min(1.0, max(high, 0.0))


def _record(inputs: Mapping[str, Any], witness: Mapping[str, Any]) -> Certificate:
    low, high = _ends(witness)
    count, rows = int(inputs["components"]), int(inputs["rows"])
    what = "variance" if inputs["centered"] else "sum of squares"
    best = "best direction explains" if count == 1 else f"best {count} directions explain"
    these = "this one explains" if count == 1 else "these explain"
    return BASIS.exact(
        f"The {best} between {percent(low, 'lower', 6)} and {percent(high, 'upper', 6)} of the {what} of "
        f"{plural(rows, 'row')}, whatever the method; {these} at least {percent(low, 'lower', 6)}.",
        "explained variance ratio" if inputs["centered"] else "explained share of the squares",
        "interval",
        (low, high),
        (0.0, 1.0),
        inputs,
        witness,
    )


@rules.checker(BASIS.rule)
def check_share(certificate: Certificate, data: Any = None) -> Derivation:
    """Derive the interval again by trying many t; with the rows (X, or X and sample_weight) also from eigenvalues."""
    inputs, witness = certificate.inputs, certificate.witness
    record = _record(inputs, witness)
    values = np.array(witness["values"], dtype=np.float64)
    if len(values) != int(inputs["components"]):
        raise CertificateError(f"{certificate.quantity}: the witness needs one value per direction")
    rest, outside = float(witness["rest"]), float(witness["outside"])
    trace, rounding = float(witness["trace"]), float(witness["rounding"])
    least = min(
        len(values) * t + sum(max(0.0, value - t) for value in values) + outside**2 / (t - rest)
        for t in rest + np.geomspace(1e-9, 1.0, 60) * (trace + outside + rest)
    )
    loosest = (least + 0.5 * math.sqrt(len(values)) * float(witness["coupling"]) + rounding) / (trace - rounding)
    low, high = record.value  # type: ignore[misc]
    if high > loosest * (1.0 + 1e-9):
        raise CertificateError(f"{certificate.quantity}: some t gives the smaller bound {loosest!r}")
    if data is not None:
        exact = float(eigenvalue_shares(data, inputs, len(values)).sum())
        if not low - 1e-9 <= exact <= high + 1e-9:
            raise CertificateError(f"{certificate.quantity}: on these rows the best directions explain {exact!r}")
    return Derivation(record.value, error=1e-9, scale=1.0, record=record)


def eigenvalue_shares(data: Any, inputs: Mapping[str, Any], count: int) -> Floats:
    """The largest eigenvalues of the scatter matrix of the rows over their sum, descending, in plain NumPy."""
    table, weights = data if isinstance(data, tuple) and len(data) == 2 else (data, None)
    table = np.asarray(table.toarray() if hasattr(table, "toarray") else table, dtype=np.float64)
    weights = np.ones(len(table)) if weights is None else np.asarray(weights, dtype=np.float64)
    if int((weights > 0.0).sum()) != int(inputs["rows"]) or table.shape[1] != int(inputs["columns"]):
        raise CertificateError(f"the certificate is about {inputs['rows']} rows of {inputs['columns']} columns")
    table = table / math.ldexp(1.0, math.frexp(float(np.abs(table).max()))[1])  # exact
    if inputs["centered"]:
        table = table - table[0]
        table = table - np.average(table, axis=0, weights=weights)
    table = table / np.abs(table).max() * np.sqrt(weights)[:, None]
    small = table.T @ table if table.shape[0] >= table.shape[1] else table @ table.T
    size = len(small)
    if size <= SOLVED:
        leading = np.concatenate([np.zeros(count), np.linalg.eigvalsh(small)])[-count:]
    else:
        leading = eigsh(small, count, which="LA", v0=np.ones(size), return_eigenvectors=False)
    return np.asarray(np.sort(leading)[::-1] / np.trace(small))
