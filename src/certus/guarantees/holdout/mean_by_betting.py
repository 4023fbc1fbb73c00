"""Means bounded by betting, in compiled code; and, as the second route, in plain NumPy with logarithms for products."""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from certus.guarantees import _native_calls
from certus.guarantees._native_calls import BETTING_CAP, STAR_CAP, seeded_order, star_grid
from certus.guarantees.holdout.binomial_tail import bisect
from certus.guarantees.holdout.mean_setting import (
    ORDERED,
    Setting,
    losses_of,
    record,
    scaled,
    setting_of,
    sides,
    unit_losses,
    unit_mean,
)
from certus.guarantees.records import packing, rules
from certus.guarantees.records.bound_arguments import check_losses
from certus.guarantees.records.certificate import Certificate
from certus.guarantees.records.certificate_error import CertificateError
from certus.guarantees.records.rules import Derivation


def by_betting(values: np.ndarray, setting: Setting) -> Certificate:
    """The certificate of losses that were put in order by the seed."""
    kernel = _native_calls.betting_upper if setting.method == "betting" else _native_calls.star_upper
    ordered = values[_native_calls.seeded_order(setting.seed, len(values))]
    ends = {
        side: float(kernel(unit_losses(ordered, setting, side)[None, :], setting.log_level)[0])
        for side in sides(setting.side)
    }
    witness: dict[str, Any] = {"rows": len(values), "mean": math.fsum(values.tolist()) / len(values)}
    if len(values) <= packing.LARGEST:
        witness["losses"] = packing.pack(values)
    else:
        witness["sha256"] = packing.digest(values)
    return record(scaled(ends, setting), setting, witness)


def betting_values(matrix: np.ndarray, setting: Setting, threads: int) -> np.ndarray:
    """The bounds of many columns of losses, each put in order by the same seed."""
    kernel = _native_calls.betting_upper if setting.method == "betting" else _native_calls.star_upper
    ordered = matrix[_native_calls.seeded_order(setting.seed, len(matrix))]
    found = {
        side: kernel(np.ascontiguousarray(unit_losses(ordered, setting, side).T), setting.log_level, threads)
        for side in sides(setting.side)
    }
    columns = ({side: float(ends[place]) for side, ends in found.items()} for place in range(matrix.shape[1]))
    return np.array([scaled(ends, setting) for ends in columns])


# --- the second route


def past_variances(x: np.ndarray) -> np.ndarray:
    """s^2_{t-1} for every row t: what the rows before it say about the variance, with one prior row."""
    seen = np.arange(1, len(x) + 1)
    means = (0.5 + np.cumsum(x)) / (seen + 1)
    variances = (0.25 + np.cumsum((x - means) ** 2)) / (seen + 1)
    return np.concatenate(([0.25], variances[:-1]))


def log_capital(x: np.ndarray, mean: float, log_level: float) -> float:
    """Largest log capital of a gambler against "the mean is at least `mean`"."""
    bets = np.sqrt(2.0 * log_level / (len(x) * past_variances(x)))
    if mean < 1.0:
        bets = np.minimum(bets, BETTING_CAP / (1.0 - mean))
    return max(0.0, float(np.cumsum(np.log1p(-bets * (x - mean))).max()))


def betting(x: np.ndarray, log_level: float) -> float:
    """The betting bound by bisection."""
    if log_capital(x, 1.0, log_level) < log_level:
        return 1.0
    return bisect(lambda m: log_capital(x, m, log_level) < log_level, 0.0, 1.0)


def star(x: np.ndarray, log_level: float, stated: float) -> float:
    """The STaR bound, given which grid point is stated: re-run every point down to the one after it.

    Returns the last point of the grid before the first that is not rejected.
    """
    grid = star_grid(len(x))
    lanes = grid[: int(np.searchsorted(-grid, -stated * (1.0 - 1e-12))) + 1]
    with np.errstate(divide="ignore"):
        caps = STAR_CAP / (1.0 - lanes)
    rejected = np.zeros(len(lanes), dtype=bool)
    active = np.arange(len(lanes))
    missing = np.full(len(lanes), log_level)
    aims = 2.0 / (np.arange(len(x), 0, -1) * past_variances(x))
    for loss, aim in zip(x, aims, strict=True):
        bets = np.minimum(np.sqrt(missing * aim), caps[active])
        missing -= np.log1p(-bets * (loss - lanes[active]))
        if (done := missing <= 0.0).any():
            rejected[active[done]] = True
            active, missing = active[~done], missing[~done]
            if not len(active):
                break
    count = len(lanes) if rejected.all() else int(np.argmin(rejected))
    return float(lanes[count - 1]) if count else 1.0


def _check_ordered(certificate: Certificate, data: ArrayLike | None) -> Derivation:
    setting = setting_of(certificate)
    values = losses_of(certificate, data, setting)
    if values is None:
        raise CertificateError(
            f"{setting.quantity}: the witness holds only a digest of {certificate.witness['rows']} losses.\n"
            "Hint: call check(data=losses)."
        )
    check_losses(values, setting.low, setting.high)
    values = values[seeded_order(setting.seed, len(values))]
    ends = {}
    for side in sides(setting.side):
        x = unit_losses(values, setting, side)
        if setting.method == "betting":
            ends[side] = betting(x, setting.log_level)
        else:
            ends[side] = star(x, setting.log_level, _stated_unit(certificate, setting, side))
    return Derivation(
        scaled(ends, setting),
        scale=setting.high - setting.low,
        record=record(certificate.value, setting, dict(certificate.witness)),
    )


def _stated_unit(certificate: Certificate, setting: Setting, side: str) -> float:
    value = certificate.value
    end = value if isinstance(value, float) else value[0 if side == "lower" else 1]
    return float(unit_mean(end, setting, side))


for _method in ORDERED:
    rules.checker(f"mean-{_method}")(_check_ordered)
