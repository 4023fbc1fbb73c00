"""Means bounded by a formula of a few summary numbers; the second route evaluates it in decimals."""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from certus.guarantees.holdout import concentration
from certus.guarantees.holdout.mean_setting import (
    METHODS,
    ORDERED,
    Setting,
    losses_of,
    record,
    scaled,
    setting_of,
    sides,
    unit_mean,
)
from certus.guarantees.records import rules
from certus.guarantees.records.bound_arguments import check_count
from certus.guarantees.records.certificate import Certificate
from certus.guarantees.records.certificate_error import CertificateError
from certus.guarantees.records.rules import Derivation, Value

_UP = 1.0 + 1e-12


def by_formula(values: np.ndarray, squared_ranges: float, setting: Setting) -> Certificate:
    """The certificate of losses in any order; `squared_ranges` is the sum of the squared ranges."""
    value, witness = formula_value(values, squared_ranges, setting)
    return record(value, setting, witness)


def formula_value(values: np.ndarray, squared_ranges: float, setting: Setting) -> tuple[Value, dict[str, Any]]:
    """The bound, and the summary that it follows from."""
    rows, mean = len(values), math.fsum(values.tolist()) / len(values)
    width = setting.high - setting.low
    witness: dict[str, Any] = {"rows": rows, "mean": mean}
    if setting.method == "hoeffding":
        witness["squared_ranges"] = squared_ranges
    if setting.method == "empirical-bernstein":
        spread = math.fsum(((values - mean) ** 2).tolist()) * (1.0 + 1e-13)
        witness["variance"] = spread / (rows - 1) if rows > 1 else 0.0
    ends = {}
    for side in sides(setting.side):
        center = float(unit_mean(mean, setting, side)) + 1e-15
        ends[side] = _summary_upper(center, witness, setting, width)
    return scaled(ends, setting), witness


def formula_values(matrix: np.ndarray, setting: Setting) -> np.ndarray:
    """The bounds of many columns of losses of the same range, as arrays; looser by a part in 10^9 at most."""
    rows, level, width = len(matrix), setting.log_level, setting.high - setting.low
    means = matrix.mean(axis=0)
    ends = {}
    for side in sides(setting.side):
        moved = means - setting.low if side == "upper" else setting.high - means
        center = np.clip(moved / width, 0.0, 1.0) + 1e-14  # covers the rounding of the mean
        if setting.method == "hoeffding":
            ends[side] = (center + math.sqrt(level / (2.0 * rows))) * _UP
        elif setting.method == "bernstein":
            assert setting.variance is not None
            extra = concentration.bernstein_upper(0.0, rows, level, setting.variance / width**2)
            ends[side] = (center + extra) * _UP
        elif setting.method == "empirical-bernstein":
            doubled = level + math.log(2.0)
            spread = np.sqrt(2.0 * matrix.var(axis=0, ddof=1) * _UP / width**2 * doubled / rows) if rows > 1 else 1.0
            ends[side] = (center + spread + 7.0 * doubled / (3.0 * max(1, rows - 1))) * _UP
        else:
            ends[side] = concentration.kl_uppers(np.minimum(center, 1.0), level / rows)
            if setting.method == "hoeffding-bentkus":
                counts = np.ceil(np.minimum(center, 1.0) * rows * (1.0 - 1e-15))
                tail = special.betainccinv(counts + 1.0, np.maximum(rows - counts, 1e-300), math.exp(-level - 1.0))
                bentkus = np.where(counts < rows, tail * (1.0 + 1e-12), 1.0)
                ends[side] = np.minimum(ends[side], bentkus)
    columns = ({side: float(end[place]) for side, end in ends.items()} for place in range(matrix.shape[1]))
    return np.array([scaled(end, setting) for end in columns])


def _summary_upper(center: float, witness: dict[str, Any], setting: Setting, width: float) -> float:
    rows, level = witness["rows"], setting.log_level
    if setting.method == "hoeffding":
        return concentration.hoeffding_upper(center, rows, level, witness["squared_ranges"] / width**2)
    if setting.method == "kl":
        return concentration.kl_upper(center, level / rows)
    if setting.method == "hoeffding-bentkus":
        return concentration.hoeffding_bentkus_upper(center, rows, level)
    if setting.method == "bernstein":
        assert setting.variance is not None
        return concentration.bernstein_upper(center, rows, level, setting.variance / width**2)
    return concentration.empirical_bernstein_upper(center, rows, level, witness["variance"] / width**2)


def _check_summary(certificate: Certificate, data: ArrayLike | None) -> Derivation:
    setting, witness = setting_of(certificate), certificate.witness
    values = losses_of(certificate, data, setting)
    if values is not None and setting.method == "empirical-bernstein":
        variance = float(np.var(values, ddof=1)) if len(values) > 1 else 0.0
        if not math.isclose(variance, witness["variance"], rel_tol=1e-9, abs_tol=1e-30):
            raise CertificateError(f"{setting.quantity}: the losses have the variance {variance!r}.")
    rows, width = check_count(witness["rows"], "rows", minimum=1), setting.high - setting.low
    if not setting.low <= witness["mean"] <= setting.high:
        raise CertificateError(f"{setting.quantity}: the mean {witness['mean']!r} is outside the range.")
    level = concentration.log_level_decimal(setting.confidence, setting.parts)
    ends = {}
    for side in sides(setting.side):
        center = float(unit_mean(witness["mean"], setting, side))
        if setting.method == "hoeffding":
            ranges = witness["squared_ranges"] / width**2
            if ranges < rows * (1.0 - 1e-9):  # equal ranges give the smallest sum of squares
                raise CertificateError(f"{setting.quantity}: the squared ranges are too small for the range.")
            ends[side] = concentration.hoeffding_in_decimals(center, rows, level, ranges)
        elif setting.method == "kl":
            ends[side] = concentration.chernoff_in_decimals(center, rows, level)
        elif setting.method == "hoeffding-bentkus":
            ends[side] = concentration.hoeffding_bentkus_in_decimals(center, rows, level)
        elif setting.method == "bernstein":
            ends[side] = concentration.bernstein_in_decimals(center, rows, level, setting.variance / width**2)  # type: ignore[operator]
        else:
            ends[side] = concentration.empirical_bernstein_in_decimals(
                center, rows, level, witness["variance"] / width**2
            )
    return Derivation(scaled(ends, setting), scale=width, record=record(certificate.value, setting, dict(witness)))


for _method in METHODS:
    if _method not in ORDERED:
        rules.checker(f"mean-{_method}")(_check_summary)


@rules.rows_that_help("mean-hoeffding")
def _rows_that_help(certificate: Certificate) -> int | None:
    """Rows at which Hoeffding's bound with this mean would leave the trivial value."""
    setting = setting_of(certificate)
    if setting.side == "both":
        return None
    room = 1.0 - float(unit_mean(certificate.witness["mean"], setting, setting.side))
    return None if room <= 0.0 else math.floor(setting.log_level / (2.0 * room * room)) + 1
