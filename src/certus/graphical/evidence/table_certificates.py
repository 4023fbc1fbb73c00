"""That no tables give complete rows a higher likelihood, and that no round of learning lowered it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise, product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from certus.graphical.networks.tables.coded_columns import coded_rows
from certus.guarantees import Certificate, CertificateError
from certus.guarantees.records import Basis, Derivation, number, plural, rules

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]
UNIT = float(np.finfo(np.float64).eps)
OPTIMUM, ASCENT = "graphical/likely-tables", "graphical/table-ascent"
GAIN = "log-likelihood that other tables could gain"
FALL = "largest fall of the log-likelihood in a round"
FLOATS = ("floating-point-model",)
BASES = {
    OPTIMUM: Basis(OPTIMUM, "On information and sufficiency (Kullback, Leibler 1951)", FLOATS),
    ASCENT: Basis(
        ASCENT,
        "Maximum likelihood from incomplete data via the EM algorithm (Dempster, Laird and Rubin 1977)",
        FLOATS,
    ),
}
MOST_COMPLETIONS = 2**14  # of a row, in the slow route


def optimum_certificate(facts: dict[str, Any], counts: Floats, tables: Floats) -> Certificate:
    """The certificate of tables that were counted; imaginary counts are part of the counts."""
    return _optimum(facts, {"counts": counts.tolist(), "tables": tables.tolist()})


def ascent_certificate(facts: dict[str, Any], history: Sequence[float], tables: Floats) -> Certificate:
    """The certificate of tables that were climbed to."""
    return _ascent(facts, {"history": list(history), "tables": tables.tolist()})


def _optimum(inputs: Any, witness: Any) -> Certificate:
    counts, tables = (np.array(witness[name], dtype=np.float64) for name in ("counts", "tables"))
    lengths = _lengths(inputs)
    if len(counts) != len(tables) or len(counts) != lengths.sum() or not (counts >= 0.0).all():
        raise CertificateError(f"{GAIN}: the counts do not fit the tables")
    sums = np.repeat(np.add.reduceat(counts, np.append(0, np.cumsum(lengths))[:-1]), lengths)
    best = xlogy(counts, counts / np.where(sums > 0.0, sums, 1.0))
    mine = xlogy(counts, tables)
    rounding = 8.0 * UNIT * float(np.abs(best).sum() + np.abs(mine).sum() + counts.sum())
    value = max(0.0, math.fsum(best) - math.fsum(mine)) + rounding
    prior = " plus the log prior" if float(inputs["alpha"]) > 0.0 else ""
    claim = (
        f"The log-likelihood of {plural(int(inputs['rows']), 'row')}{prior} is {number(math.fsum(mine))}, and no "
        f"tables of this structure reach more than {number(value, 'upper')} above."
    )
    return BASES[OPTIMUM].exact(claim, GAIN, "upper", value, math.inf, inputs, witness)


def _ascent(inputs: Any, witness: Any) -> Certificate:
    history = [float(value) for value in witness["history"]]
    if len(history) < 2 or not all(math.isfinite(value) for value in history):
        raise CertificateError(f"{FALL}: the witness holds no history")
    fall = max(0.0, *(before - after for before, after in pairwise(history)))
    value = fall + 4.0 * UNIT * (int(inputs["rows"]) + 10) * (10.0 + max(map(abs, history)))
    prior = " plus the log prior" if float(inputs["alpha"]) > 0.0 else ""
    claim = (
        f"In {plural(len(history) - 1, 'round')} the log-likelihood of the observed cells{prior} went from "
        f"{number(history[0])} to {number(history[-1])}, and no round lowered it by more than "
        f"{number(value, 'upper')}. This is a local maximum at best: other starts may reach more."
    )
    return BASES[ASCENT].exact(claim, FALL, "upper", value, math.inf, inputs, witness)


def _lengths(inputs: Any) -> NDArray[np.intp]:
    """The length of every row of every table."""
    states = [len(labels) for labels in inputs["states"]]
    return np.concatenate(
        [
            np.full(math.prod(states[parent] for parent in own), states[node], dtype=np.intp)
            for node, own in enumerate(inputs["parents"])
        ]
    )


@rules.checker(OPTIMUM)
def check_optimum(certificate: Certificate, data: Any = None) -> Derivation:
    """Divide the counts again; with the table of rows count them one row after the other."""
    inputs, witness = certificate.inputs, certificate.witness
    record = _optimum(inputs, witness)
    if data is not None:
        tables = _tables(inputs, np.array(witness["counts"], dtype=np.float64))
        for table in tables:
            table -= float(inputs["alpha"])
        for row in _rows(inputs, data):
            for node, own in enumerate(inputs["parents"]):
                tables[node][(*(row[parent] for parent in own), row[node])] -= 1.0
        if max(float(np.abs(table).max()) for table in tables) > 1e-9 * (1.0 + int(inputs["rows"])):
            raise CertificateError(f"{GAIN}: on these rows the counts are others")
    return Derivation(record.value, error=1e-12, record=record)


@rules.checker(ASCENT)
def check_ascent(certificate: Certificate, data: Any = None) -> Derivation:
    """Take the differences again; with the table of rows add up the completions of every row at the end."""
    inputs, witness = certificate.inputs, certificate.witness
    record = _ascent(inputs, witness)
    if data is not None:
        tables = _tables(inputs, np.array(witness["tables"], dtype=np.float64))
        found = float(inputs["alpha"]) * sum(float(np.log(table).sum()) for table in tables) if inputs["alpha"] else 0.0
        known: dict[tuple[int, ...], float] = {}
        for row in map(tuple, _rows(inputs, data).tolist()):
            if row not in known:
                known[row] = _plain_probability(inputs, tables, row)
            found += math.log(known[row])
        stated = float(witness["history"][-1])
        if abs(found - stated) > 1e-8 * (1.0 + abs(found)):
            raise CertificateError(f"{FALL}: the log-likelihood of these rows is {found!r}, not {stated!r}")
    return Derivation(record.value, error=1e-12, record=record)


def _tables(inputs: Any, values: Floats) -> list[Floats]:
    states = [len(labels) for labels in inputs["states"]]
    shapes = [(*(states[parent] for parent in own), states[node]) for node, own in enumerate(inputs["parents"])]
    ends = np.cumsum([math.prod(shape) for shape in shapes])
    return [part.reshape(shape).copy() for part, shape in zip(np.split(values, ends[:-1]), shapes, strict=True)]


def _rows(inputs: Any, data: Any) -> Codes:
    found = coded_rows(data, list(inputs["nodes"]), [list(labels) for labels in inputs["states"]], absent=True)
    if len(found) != int(inputs["rows"]):
        raise CertificateError(f"these are {len(found)} rows, not {inputs['rows']}")
    return found


def _plain_probability(inputs: Any, tables: list[Floats], row: tuple[int, ...]) -> float:
    """The probability of what is observed: the sum over all completions of the row."""
    missing = [node for node, code in enumerate(row) if code < 0]
    choices = [range(len(inputs["states"][node])) for node in missing]
    if math.prod(len(choice) for choice in choices) > MOST_COMPLETIONS:
        raise CertificateError(
            f"{FALL}: a check completes rows in at most {MOST_COMPLETIONS:,} ways.\n"
            "Hint: without the rows the step from the witness to the value is checked."
        )
    total = 0.0
    for chosen in product(*choices):
        whole = list(row)
        for node, code in zip(missing, chosen, strict=True):
            whole[node] = code
        total += math.prod(
            float(tables[node][(*(whole[parent] for parent in own), whole[node])])
            for node, own in enumerate(inputs["parents"])
        )
    return total
