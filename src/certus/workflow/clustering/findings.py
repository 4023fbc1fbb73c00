"""What a clustering study says about its groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from certus.workflow.candidates import Candidate
from certus.workflow.clustering.ratios import distance_ratios
from certus.workflow.columns import Columns
from certus.workflow.learning import Learning, make_encoder

LARGEST_COLUMN_COUNT = 12
# Groups whose ratio is below this share of that of shuffled columns are clearly more than chance.
CLEARLY_TIGHTER = 0.9


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


def shuffled_value(candidate: Candidate, learning: Learning, threads: int) -> float | None:
    """The measure of as many clusters in a table whose columns are shuffled one by one: it has no groups of rows.

    None for a single column, which shuffling does not change.
    """
    if learning.frame.width < 2:
        return None
    rng = np.random.default_rng(learning.seed)
    mixed = learning.frame.select(
        learning.frame[name][rng.permutation(learning.frame.height)] for name in learning.frame.columns
    )
    division = learning.divisions[-1] if learning.rungs else learning.divisions[0]
    encoder = make_encoder(learning.columns, candidate.style)
    fit = encoder.fit_transform(mixed[division.fit])
    learner = candidate.build(seed=learning.seed, threads=threads, categories=len(learning.columns.categories))
    return float(np.mean(distance_ratios(learner.fit(fit), encoder.transform(mixed[division.validation]))))


def verdict(value: float, shuffled: float | None) -> str:
    """Whether the groups are more than the shape of single columns."""
    if shuffled is None:
        return "one column: there is nothing to compare its groups with"
    told = f"(silhouette loss {value:.3g}; {shuffled:.3g} with shuffled columns, which have no groups of rows)"
    if value < CLEARLY_TIGHTER * shuffled:
        return f"the groups are clearly tighter than those of shuffled columns {told}"
    return f"the groups are hardly tighter than those of shuffled columns: there may be none {told}"
