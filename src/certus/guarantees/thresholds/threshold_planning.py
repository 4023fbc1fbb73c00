"""Why a guard is infeasible, and how many rows would help: an exact minimum, or an estimate."""

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from certus.guarantees.conformal.conformal_ranks import rows_for_assured
from certus.guarantees.holdout.exact_tails import upper_tail
from certus.guarantees.records.wording import count, percent, plural
from certus.guarantees.thresholds.demanded_rates import Demand, Floats, Truths

_LARGEST_FACTOR = 1e6


def explain(
    scores: Floats, positive: Truths, wanted: Sequence[Demand], levels: Sequence[Fraction], thresholds: Floats
) -> tuple[str, int | None]:
    """The reason in words, and the rows that would make the guard feasible (None if they would not help).

    `levels` holds, for every demand, the level at which one threshold must pass; `thresholds` those that were
    open to choice.
    """
    rows = len(scores)
    for demand, level in zip(wanted, levels, strict=True):
        trials = rows if demand.rate.name == "precision" else len(demand.relevant(scores, positive))
        needed = rows_for_assured(demand.share, 1 - level)
        if trials < needed:
            more = math.ceil(needed * rows / trials) if trials else needed
            reason = (
                f"{count(trials)} {demand.rate.trials} cannot support "
                f"{demand.rate.name}={percent(float(demand.target))} even with a perfect record; "
                f"{count(needed)} are needed, about {plural(more, 'row')} of this kind."
            )
            return reason, more
    asked = ", ".join(f"{d.rate.name}={percent(float(d.target))}" for d in wanted)
    estimate = _rows_estimate(scores, positive, wanted, levels, thresholds)
    if estimate is None:
        phrase = f"no threshold reaches {asked}; if they are typical, more rows would not help."
        return f"on these {plural(rows, 'row')} {phrase}", None
    phrase = f"too few to promise {asked}; about {count(estimate)} might do (an estimate)."
    return f"{plural(rows, 'row')} are {phrase}", estimate


def _rows_estimate(
    scores: Floats, positive: Truths, wanted: Sequence[Demand], levels: Sequence[Fraction], thresholds: Floats
) -> int | None:
    """Rows at which some threshold would pass if the rates seen on these rows were the true ones."""
    counts = [demand.counts(scores, positive, thresholds) for demand in wanted]
    reached = np.all([hits > float(d.share) * trials for d, (hits, trials) in zip(wanted, counts, strict=True)], axis=0)

    def passes(factor: float) -> bool:
        ok = reached
        for demand, level, (hits, trials) in zip(wanted, levels, counts, strict=True):
            ok = ok & (upper_tail(factor * hits, factor * trials, float(demand.share)) <= float(level))
        return bool(ok.any())

    if not reached.any():
        return None
    low, high = 1.0, 2.0
    while not passes(high):
        low, high = high, 2.0 * high
        if high > _LARGEST_FACTOR:
            return None
    while high / low > 1.01:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if passes(middle) else (middle, high)
    return math.ceil(high * len(scores))
