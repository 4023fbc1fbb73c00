"""Thresholds that keep named rates: risk control by exact binomial tests.

A row is flagged when its score is at least the threshold. Two ways to a threshold:

* A rate that can only get safer on one side (`recall` for low thresholds, `false_alarm` and `alarm_rate` for
  high ones) is tested along the whole line at once: the last threshold that passes at the full level is safe,
  because passing there means passing at the true edge. No grid, no price for searching.
* `precision` may rise and fall, so it is tested at thresholds that sit at fixed ranks of the scores, and the
  search is paid for by a fixed sequence, Holm or Bonferroni. Given the score of rank j, the rows strictly
  above it are independent draws, so that the binomial test on them is exact although the threshold is one of
  these scores; their labels play no part in the choice of the ranks.

Several rates share the failure probability equally. Thresholds given by the caller, chosen without these
rows, are instead tested for all rates together.

Reference: Bates et al., Distribution-Free, Risk-Controlling Prediction Sets (2021); Angelopoulos et al.,
Learn then Test (2021).
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from certus.guarantees.conformal.conformal_ranks import Level, assured_rank, exact_level, rows_for_assured
from certus.guarantees.records.certificate import Certificate
from certus.guarantees.records.report import Report
from certus.guarantees.thresholds.control_certificate import monotone_certificate, search_certificate
from certus.guarantees.thresholds.demanded_rates import Demand, Floats, Truths, demands
from certus.guarantees.thresholds.threshold_planning import explain
from certus.guarantees.thresholds.threshold_tests import check_procedure, passing

# Rank thresholds: many steps, few starts. Steps of a fixed sequence are free, starts share the level.
_GRID_SIZE = 200
_STARTS = 5
_CURVE_POINTS = 500
_PREFERENCES = ("high", "low")


@dataclass(frozen=True)
class Guard:
    """The outcome of asking for a threshold: the threshold with its certificates, or why there is none.

    Attributes
    ----------
    feasible : bool
        Whether a threshold keeps all rates with the confidence asked for.
    threshold : float or None
        Rows with a score of at least this are flagged; None when infeasible.
    confidence : float
        Probability with which all rates hold together.
    report : Report
        One certificate per rate; empty when infeasible.
    reason : str
        What stands in the way; empty when feasible.
    rows_needed : int or None
        Rows that would make it feasible: exact when rows are too few even for a perfect record, otherwise an
        estimate from the rates seen on these rows; None when feasible or when more rows would not help.
    safe : tuple of two floats, or of all passing thresholds
        What else could have been chosen under the same promise.
    scorer : callable or None
        Turns rows into scores, when the guard was made from a model.
    """

    feasible: bool
    threshold: float | None
    confidence: float
    report: Report = field(default_factory=Report)
    reason: str = ""
    rows_needed: int | None = None
    safe: tuple[float, ...] = ()
    scorer: Callable[[Any], ArrayLike] | None = field(default=None, compare=False, repr=False)

    def flag(self, rows: ArrayLike) -> NDArray[np.bool_]:
        """True for rows whose score is at least the threshold; `rows` are scores unless there is a `scorer`."""
        if self.threshold is None:
            raise ValueError(
                f"this guard has no threshold: {self.reason}\nHint: look at `feasible` before flagging rows."
            )
        scores = rows if self.scorer is None else self.scorer(rows)
        return np.asarray(np.asarray(scores, dtype=np.float64) >= self.threshold)

    def __str__(self) -> str:
        return self.report.text() if self.feasible else f"Infeasible: {self.reason}"


def control_rates(
    scores: ArrayLike,
    positive: ArrayLike,
    rates: Mapping[str, Level | None],
    *,
    confidence: Level = 0.95,
    thresholds: ArrayLike | None = None,
    procedure: str | None = None,
    prefer: str | None = None,
) -> Guard:
    """Find a threshold that keeps all the rates, each bounded from rows that the model has not seen.

    Parameters
    ----------
    scores : array of shape (n,)
        Scores of held-out rows, higher for more likely positive.
    positive : array of bool of shape (n,)
        Which rows are positive.
    rates : dict
        Targets by name: `recall` and `precision` (at least), `false_alarm` and `alarm_rate` (at most).
    confidence : number strictly between 0 and 1, default=0.95
        Probability with which all rates hold together.
    thresholds : array, optional
        Candidates that were chosen without these rows, in the order in which to try them.
    procedure : {"holm", "bonferroni", "fixed-sequence"}, optional
        How trying several thresholds is paid for. Default is "holm" for given `thresholds` and otherwise
        "fixed-sequence". A fixed sequence starts with the first of `thresholds`; over ranks it goes from high
        thresholds to low ones with five starts.
    prefer : {"high", "low"}, optional
        Which passing threshold to take: "high" flags few rows (default when `recall` is asked for), "low"
        flags many.

    Returns
    -------
    Guard
        With `feasible` False, not an exception, when no threshold can be promised.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.guarantees import control_rates
    >>> scores = np.arange(200) / 200
    >>> guard = control_rates(scores, scores > 0.3, {"recall": 0.9})
    >>> guard.threshold, guard.report.check((scores, scores > 0.3))
    (0.34, True)
    >>> control_rates(scores[:50], scores[:50] > 0.1, {"recall": 0.95}).rows_needed
    102
    """
    values, truths = _check_rows(scores, positive)
    wanted = demands(rates)
    failure = 1 - exact_level(confidence)
    if procedure is None:
        procedure = "fixed-sequence" if thresholds is None else "holm"
    check_procedure(procedure)
    if prefer is None:
        prefer = "high" if any(d.rate.name == "recall" for d in wanted) else "low"
    if prefer not in _PREFERENCES:
        raise ValueError(f"prefer must be 'high' or 'low', got {prefer!r}.\nHint: 'high' flags fewer rows.")
    if thresholds is not None:
        candidates = _check_thresholds(thresholds)
        return _given(values, truths, wanted, failure, candidates, procedure, prefer)
    return _searched(values, truths, wanted, failure, procedure, prefer)


def _given(
    scores: Floats,
    positive: Truths,
    wanted: tuple[Demand, ...],
    failure: Fraction,
    thresholds: Floats,
    procedure: str,
    prefer: str,
) -> Guard:
    """Candidates from elsewhere: all rates are tested together at every one of them."""
    search, passed = _test(scores, positive, wanted, failure, thresholds, procedure, [0])
    if not passed:
        level = failure if procedure == "fixed-sequence" else failure / len(thresholds)
        return _infeasible(scores, positive, wanted, [level] * len(wanted), failure, thresholds)
    chosen = _pick(passed, thresholds, prefer)
    certificates = [search_certificate(d, chosen, failure, procedure, "given", search) for d in wanted]
    safe = tuple(float(thresholds[i]) for i in passed)
    return _feasible(float(thresholds[chosen]), certificates, failure, safe)


def _searched(
    scores: Floats,
    positive: Truths,
    wanted: tuple[Demand, ...],
    failure: Fraction,
    procedure: str,
    prefer: str,
) -> Guard:
    """Monotone rates give a band of safe thresholds; precision picks among rank thresholds inside it."""
    each = failure / len(wanted)
    monotone = [d for d in wanted if d.rate.safe_side is not None]
    searched = tuple(d for d in wanted if d.rate.safe_side is None)
    first_level = each / (_STARTS if procedure == "fixed-sequence" else _GRID_SIZE)
    low, high = _band(scores, positive, monotone, each)
    inside: list[int] = []
    certificates: list[Certificate] = []
    if searched:
        grid = _rank_thresholds(scores, searched[0].share, first_level)
        starts = np.unique(np.linspace(0, len(grid), _STARTS, endpoint=False).astype(int)).tolist()
        search, passed = _test(scores, positive, searched, each, grid, procedure, starts)
        inside = [i for i in passed if low <= grid[i] <= high]
    if not low <= high or (searched and not inside):
        levels = [each if d.rate.safe_side else first_level for d in wanted]
        return _infeasible(scores, positive, wanted, levels, failure, _curve(scores))
    if searched:
        chosen = _pick(inside, grid, prefer)
        threshold, safe = float(grid[chosen]), tuple(float(grid[i]) for i in inside)
        certificates += [search_certificate(d, chosen, each, procedure, "ranks", search) for d in searched]
    else:
        ends = {"high": high if math.isfinite(high) else low, "low": low if math.isfinite(low) else high}
        threshold, safe = ends[prefer], (low, high)
    for demand in monotone:
        hits, trials = demand.counts(scores, positive, np.array([threshold]))
        certificates.append(monotone_certificate(demand, threshold, int(hits[0]), int(trials[0]), each))
    return _feasible(threshold, certificates, failure, safe)


def _band(scores: Floats, positive: Truths, monotone: list[Demand], level: Fraction) -> tuple[float, float]:
    """Thresholds low <= t <= high at which every monotone rate passes; low > high when there are none."""
    low, high = -math.inf, math.inf
    for demand in monotone:
        relevant = np.sort(demand.relevant(scores, positive))
        needed = assured_rank(len(relevant), demand.share, 1 - level)
        if needed > len(relevant):
            return math.inf, -math.inf
        if demand.rate.safe_side == "low":
            high = min(high, float(relevant[len(relevant) - needed]))
        else:
            # `needed` rows must stay below the threshold: the next number above the score of that rank.
            low = max(low, math.nextafter(float(relevant[needed - 1]), math.inf))
    return low, high


def _curve(scores: Floats) -> Floats:
    """Thresholds along the whole curve, for the estimate of rows needed."""
    values = np.unique(scores)
    return values[np.unique(np.linspace(0, len(values) - 1, _CURVE_POINTS).astype(int))]


def _rank_thresholds(scores: Floats, share: Fraction, level: Fraction) -> Floats:
    """Thresholds just above the scores of ranks that depend on the number of rows only, highest first."""
    rows = len(scores)
    # At least this many flagged rows are needed to pass even with a perfect record.
    fewest = max(1, min(rows_for_assured(share, 1 - level), rows - 1))
    flagged = np.unique(np.geomspace(fewest, max(fewest, rows - 1), _GRID_SIZE).round().astype(int))
    ordered = np.sort(scores)[::-1]
    return np.nextafter(ordered[np.minimum(flagged, rows - 1)], math.inf)


def _test(
    scores: Floats,
    positive: Truths,
    wanted: tuple[Demand, ...],
    failure: Fraction,
    thresholds: Floats,
    procedure: str,
    starts: list[int],
) -> tuple[dict[str, object], list[int]]:
    """Counts at all thresholds, as a witness, and the indices that pass."""
    counts = {d.rate.name: d.counts(scores, positive, thresholds) for d in wanted}
    search: dict[str, object] = {
        "thresholds": thresholds.tolist(),
        "starts": starts if procedure == "fixed-sequence" else [],
        "shares": {d.rate.name: str(d.share) for d in wanted},
        "successes": {name: hits.tolist() for name, (hits, _) in counts.items()},
        "trials": {name: trials.tolist() for name, (_, trials) in counts.items()},
    }
    tests = [(d.share, *counts[d.rate.name]) for d in wanted]
    return search, passing(tests, failure, procedure, starts)


def _pick(indices: list[int], thresholds: Floats, prefer: str) -> int:
    best = max if prefer == "high" else min
    return best(indices, key=lambda i: thresholds[i])


def _feasible(threshold: float, certificates: list[Certificate], failure: Fraction, safe: tuple[float, ...]) -> Guard:
    return Guard(True, threshold, float(1 - failure), Report(certificates), safe=safe)


def _infeasible(
    scores: Floats,
    positive: Truths,
    wanted: tuple[Demand, ...],
    levels: list[Fraction],
    failure: Fraction,
    thresholds: Floats,
) -> Guard:
    reason, rows_needed = explain(scores, positive, wanted, levels, thresholds)
    return Guard(False, None, float(1 - failure), reason=reason, rows_needed=rows_needed)


def _check_rows(scores: ArrayLike, positive: ArrayLike) -> tuple[Floats, Truths]:
    values, truths = np.asarray(scores, dtype=np.float64), np.asarray(positive)
    if values.ndim != 1 or values.size == 0:
        raise ValueError(
            f"scores must be one-dimensional with at least one held-out row, got shape {values.shape}.\n"
            "Hint: for a model pass the probability or decision value of the positive class."
        )
    if truths.shape != values.shape:
        raise ValueError(
            f"positive must have one value for each of the {len(values)} scores, got shape {truths.shape}.\n"
            "Hint: scores and labels must come from the same rows."
        )
    if truths.dtype != np.bool_:
        raise ValueError(
            f"positive must hold True and False, got values of type {truths.dtype}.\nHint: pass y == positive_label."
        )
    bad = ~np.isfinite(values)
    if bad.any():
        first, total = int(np.argmax(bad)), int(bad.sum())
        raise ValueError(
            f"scores must be finite; row {first} is {values[first]}, {total} of {values.size} are not.\n"
            "Hint: drop or repair these rows before calibrating."
        )
    return values, truths


def _check_thresholds(thresholds: ArrayLike) -> Floats:
    values = np.asarray(thresholds, dtype=np.float64)
    if values.ndim != 1 or values.size == 0 or not np.isfinite(values).all():
        raise ValueError(
            "thresholds must be a one-dimensional array of finite numbers with at least one element.\n"
            "Hint: choose them from the training rows, never from these."
        )
    return values
