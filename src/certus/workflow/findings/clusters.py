"""What a clustering study tells about its clusters."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from certus.guarantees import mean_bound
from certus.workflow.columns import Columns
from certus.workflow.race.candidates import Candidate
from certus.workflow.race.learning import Evaluator, Learning

LARGEST_COLUMN_COUNT = 12
LEVEL = 0.05  # chance with which groups are called clearly tighter although they are not


@dataclass(frozen=True)
class Cluster:
    """One group of the learning rows.

    Attributes
    ----------
    number : int
        What the model calls it.
    rows : int
        How many learning rows it has.
    share : float
        Their share.
    center : dict of str to float or str
        Means of numbers in their own units, most frequent values of categories.
    """

    number: int
    rows: int
    share: float
    center: dict[str, Any]


def describe(frame: pl.DataFrame, labels: NDArray[Any], columns: Columns) -> list[Cluster]:
    """The groups with their centers in the units of the table, the largest first."""
    found = []
    for number in np.unique(labels):
        part = frame.filter(pl.Series(labels == number))
        center: dict[str, Any] = {}
        for name in columns.numbers[:LARGEST_COLUMN_COUNT]:
            values = part[name].cast(pl.Float64).drop_nulls().to_numpy()
            center[name] = float(f"{np.mean(values):.4g}") if len(values) else None
        for name in columns.categories[: LARGEST_COLUMN_COUNT - len(center)]:
            texts = part[name].cast(pl.String).drop_nulls()
            counts = texts.alias("value").value_counts().sort(["count", "value"], descending=[True, False])
            center[name] = counts["value"][0] if counts.height else None
        found.append(Cluster(int(number), part.height, part.height / frame.height, center))
    return sorted(found, key=lambda cluster: -cluster.rows)


def shuffled_ratios(candidate: Candidate, learning: Learning, threads: int) -> NDArray[np.float64] | None:
    """Ratios of as many clusters in a table whose columns are shuffled one by one: it has no groups of rows.

    Fitted and judged on the same divisions as the race. None for a single column, which shuffling does not change.
    """
    if learning.frame.width < 2:
        return None
    rng = np.random.default_rng(learning.seed)
    mixed = learning.frame.select(
        learning.frame[name][rng.permutation(learning.frame.height)] for name in learning.frame.columns
    )
    evaluator = Evaluator(replace(learning, frame=mixed))
    indices = range(len(learning.divisions))[-1 if learning.rungs else 0 :]
    outcomes = [evaluator.evaluate(candidate, index, threads) for index in indices]
    known = [outcome.predictions for outcome in outcomes if outcome.predictions is not None]
    return np.concatenate(known) if known else None


def compared(ratios: NDArray[np.float64], shuffled: NDArray[np.float64] | None, tried: int) -> tuple[bool, str]:
    """Whether the groups are more than the shape of single columns, beyond chance and the choice among ``tried``."""
    if shuffled is None:
        return False, "the groups were not compared with those of shuffled columns: one column, or no time"
    told = (
        f"(silhouette {1 - ratios.mean():.3g}; {1 - shuffled.mean():.3g} with shuffled columns, which have no groups)"
    )
    most = mean_bound(ratios, confidence=1.0 - LEVEL / (2 * tried)).value
    least = mean_bound(shuffled, confidence=1.0 - LEVEL / 2, side="lower").value
    assert isinstance(most, float)
    assert isinstance(least, float)
    if most < least:
        return True, f"the groups are clearly tighter than those of shuffled columns {told}"
    return False, f"the groups are not clearly tighter than those of shuffled columns: there may be none {told}"
