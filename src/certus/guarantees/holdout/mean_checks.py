"""Checkers of the mean bounds: from the witness (and the losses, if given) by a second route."""

import math
from typing import Any

import numpy as np

from certus.guarantees._native_calls import seeded_order
from certus.guarantees.holdout import betting_checks, concentration_checks
from certus.guarantees.holdout.mean_loss import METHODS, ORDERED, Setting, record, scaled, unit_losses, unit_mean
from certus.guarantees.records import packing, rules
from certus.guarantees.records.bound_arguments import SIDES, check_choice, check_count, check_losses, check_range
from certus.guarantees.records.certificate import Certificate
from certus.guarantees.records.certificate_error import CertificateError
from certus.guarantees.records.rules import Derivation


def _setting(certificate: Certificate) -> Setting:
    inputs = certificate.inputs
    low, high = check_range(inputs["low"], inputs["high"])
    return Setting(
        low=low,
        high=high,
        confidence=certificate.confidence,
        side=check_choice(inputs["side"], "side", SIDES),
        method=check_choice(certificate.rule.removeprefix("mean-"), "method", METHODS),
        seed=check_count(inputs.get("seed", 0), "seed"),
        variance=inputs.get("variance"),
        uses=check_count(inputs["uses"], "uses", minimum=1),
        quantity=certificate.quantity,
    )


def _losses(certificate: Certificate, data: Any, setting: Setting) -> np.ndarray | None:
    """The losses from the data or the witness, proven to belong to the witness; None if there are none."""
    witness = certificate.witness
    rows = check_count(witness["rows"], "rows", minimum=1)
    packed = packing.unpack(witness["losses"], rows) if "losses" in witness else None
    if data is None and packed is None:
        return None
    values = packed if data is None else np.asarray(data, dtype=np.float64)
    if values is None or values.shape != (rows,):
        raise CertificateError(f"{setting.quantity}: data must be the {rows} losses behind the certificate")
    if (packed is not None and not np.array_equal(values, packed)) or (
        "sha256" in witness and packing.digest(values) != witness["sha256"]
    ):
        raise CertificateError(f"{setting.quantity}: these are not the losses behind the certificate")
    if not math.isclose(math.fsum(values.tolist()) / rows, witness["mean"], rel_tol=1e-12, abs_tol=1e-300):
        raise CertificateError(f"{setting.quantity}: the mean of the losses is not the one in the witness")
    return values


def _check_ordered(certificate: Certificate, data: Any) -> Derivation:
    setting = _setting(certificate)
    values = _losses(certificate, data, setting)
    if values is None:
        raise CertificateError(
            f"{setting.quantity}: the witness holds only a digest of {certificate.witness['rows']} losses. "
            "Hint: call check(data=losses)."
        )
    check_losses(values, setting.low, setting.high)
    values = values[seeded_order(setting.seed, len(values))]
    ends = {}
    for side in ("lower", "upper") if setting.side == "both" else (setting.side,):
        x = unit_losses(values, setting, side)
        if setting.method == "betting":
            ends[side] = betting_checks.betting(x, setting.log_level)
        else:
            ends[side] = betting_checks.star(x, setting.log_level, _stated_unit(certificate, setting, side))
    return Derivation(
        scaled(ends, setting),
        scale=setting.high - setting.low,
        record=record(certificate.value, setting, dict(certificate.witness)),
    )


def _stated_unit(certificate: Certificate, setting: Setting, side: str) -> float:
    value = certificate.value
    end = value if isinstance(value, float) else value[0 if side == "lower" else 1]
    return float(unit_mean(end, setting, side))


def _check_summary(certificate: Certificate, data: Any) -> Derivation:
    setting, witness = _setting(certificate), certificate.witness
    values = _losses(certificate, data, setting)
    if values is not None and setting.method == "empirical-bernstein":
        variance = float(np.var(values, ddof=1)) if len(values) > 1 else 0.0
        if not math.isclose(variance, witness["variance"], rel_tol=1e-9, abs_tol=1e-30):
            raise CertificateError(f"{setting.quantity}: the losses have the variance {variance!r}")
    rows, width = check_count(witness["rows"], "rows", minimum=1), setting.high - setting.low
    if not setting.low <= witness["mean"] <= setting.high:
        raise CertificateError(f"{setting.quantity}: the mean {witness['mean']!r} is outside the range")
    level = concentration_checks.log_level_decimal(setting.confidence, setting.parts)
    ends = {}
    for side in ("lower", "upper") if setting.side == "both" else (setting.side,):
        center = float(unit_mean(witness["mean"], setting, side))
        if setting.method == "hoeffding":
            ranges = witness["squared_ranges"] / width**2
            if ranges < rows * (1.0 - 1e-9):  # equal ranges give the smallest sum of squares
                raise CertificateError(f"{setting.quantity}: the squared ranges are too small for the range")
            ends[side] = concentration_checks.hoeffding(center, rows, level, ranges)
        elif setting.method == "kl":
            ends[side] = concentration_checks.chernoff(center, rows, level)
        elif setting.method == "hoeffding-bentkus":
            ends[side] = concentration_checks.hoeffding_bentkus(center, rows, level)
        elif setting.method == "bernstein":
            ends[side] = concentration_checks.bernstein(center, rows, level, setting.variance / width**2)  # type: ignore[operator]
        else:
            ends[side] = concentration_checks.empirical_bernstein(center, rows, level, witness["variance"] / width**2)
    return Derivation(scaled(ends, setting), scale=width, record=record(certificate.value, setting, dict(witness)))


for _method in METHODS:
    rules.checker(f"mean-{_method}")(_check_ordered if _method in ORDERED else _check_summary)


def _rows_that_help(certificate: Certificate) -> int | None:
    """Rows at which Hoeffding's bound with this mean would leave the trivial value."""
    setting = _setting(certificate)
    if setting.side == "both":
        return None
    room = 1.0 - float(unit_mean(certificate.witness["mean"], setting, setting.side))
    return None if room <= 0.0 else math.floor(setting.log_level / (2.0 * room * room)) + 1


rules.rows_that_help("mean-hoeffding")(_rows_that_help)
