"""What a monitored stream is compared with: counts, losses, or a threshold; and the ladder that follows."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from certus.guarantees import _native_calls
from certus.guarantees.monitoring import alarm_ladder
from certus.guarantees.monitoring.alarm_ladder import Rung
from certus.guarantees.records import packing
from certus.guarantees.records.bound_arguments import check_count, check_errors_and_rows
from certus.guarantees.records.certificate_error import CertificateError
from certus.guarantees.records.wording import number, percent, plural

Reference = dict[str, Any]


def of_counts(errors: object, rows: object) -> Reference:
    """Errors among independent rows that the model had not seen."""
    wrong, total = check_errors_and_rows(errors, rows)
    return {"errors": wrong, "rows": total}


def of_losses(unit: np.ndarray, seed: int) -> Reference:
    """Losses, in units of their range, on such rows; betting goes through them in the order of the seed."""
    found: Reference = {"rows": len(unit), "mean": math.fsum(unit.tolist()) / len(unit), "seed": seed}
    if len(unit) <= packing.LARGEST:
        return {**found, "losses": packing.pack(unit)}
    return {**found, "sha256": packing.digest(unit)}


def of_threshold(unit: float) -> Reference:
    """A risk, in units of the range, that must not be exceeded."""
    return {"threshold": unit}


def ladder(
    reference: Mapping[str, Any], false_alarm: float, tolerance: float, unit: np.ndarray | None = None
) -> tuple[Rung, ...]:
    """The rungs of the alarm; `unit` are the losses if the reference holds only their digest."""
    if "threshold" in reference:
        return alarm_ladder.from_threshold(float(reference["threshold"]), false_alarm)
    if "errors" in reference:
        return alarm_ladder.from_counts(
            *check_errors_and_rows(reference["errors"], reference["rows"]), false_alarm, tolerance
        )
    ordered = _ordered(reference, unit)
    return alarm_ladder.build(
        lambda failure: float(_native_calls.betting_upper(ordered[None, :], -math.log(failure))[0]),
        false_alarm,
        tolerance,
    )


def ladder_again(reference: Mapping[str, Any], false_alarm: float, tolerance: float) -> tuple[Rung, ...]:
    """The rungs by a second route: summed probabilities, plain betting."""
    if "threshold" in reference:
        return alarm_ladder.from_threshold(float(reference["threshold"]), false_alarm)
    if "errors" in reference:
        return alarm_ladder.from_counts_again(
            *check_errors_and_rows(reference["errors"], reference["rows"]), false_alarm, tolerance
        )
    return alarm_ladder.from_losses_again(_ordered(reference), false_alarm, tolerance)


def _ordered(reference: Mapping[str, Any], unit: np.ndarray | None = None) -> np.ndarray:
    rows = check_count(reference["rows"], "rows", minimum=1)
    if unit is None:
        if "losses" not in reference:
            raise CertificateError(f"the reference holds only a digest of {rows} losses, so they are needed again.")
        unit = packing.unpack(reference["losses"], rows)
    if not ((unit >= 0.0) & (unit <= 1.0)).all():
        raise CertificateError("the losses of the reference leave their range.")
    return np.asarray(unit)[_native_calls.seeded_order(check_count(reference["seed"], "seed"), rows)]


def words(reference: Mapping[str, Any], low: float, width: float) -> str:
    """The reference in words."""
    if "threshold" in reference:
        return f"the threshold {number(low + width * reference['threshold'])}"
    if "errors" in reference:
        share = percent(reference["errors"] / reference["rows"])
        return f"that of the reference ({share}: {plural(reference['errors'], 'error')} in " + (
            f"{plural(reference['rows'], 'row')})"
        )
    mean = number(low + width * reference["mean"])
    return f"that of the reference (mean {mean} on {plural(reference['rows'], 'row')})"
