"""The learning rows on two principal components: a picture of the table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from certus.components import PCA
from certus.workflow.columns import Columns
from certus.workflow.race.learning import make_encoder

MOST_ROWS = 3_000
FEWEST_ROWS = 10
LARGEST_CELLS = 20_000_000  # of encoded rows, of which the components are found
SHARE = "explained variance ratio"
DIGITS = 9


@dataclass(frozen=True)
class RowMap:
    """Rows on two principal components of the encoded columns.

    Attributes
    ----------
    points : array of shape (rows, 2)
        Where the rows lie.
    values : array
        By what they are colored: a label, or a number.
    colored_by : str
        What these are.
    shares : (float, float)
        The share of the variance that each of the two explains.
    interval : (float, float) or None
        Between which bounds the best two directions explain the variance of these rows, if that is proved.
    of_rows : int
        How many learning rows these rows were drawn from.
    """

    points: NDArray[np.float64]
    values: NDArray[Any]
    colored_by: str
    shares: tuple[float, float]
    interval: tuple[float, float] | None
    of_rows: int

    @property
    def told(self) -> str:
        """The caption."""
        rows = len(self.points)
        which = f"{rows} learning rows" if rows == self.of_rows else f"{rows} of {self.of_rows} learning rows"
        told = f"{which} on two principal components of their encoded columns"
        if self.interval is None:
            return told
        low, high = _outwards(self.interval)
        ends = low if low == high else f"between {low} and {high}"
        return f"{told}. The best two directions explain {ends} of the variance of these rows"

    def to_dict(self) -> dict[str, Any]:
        """The record as plain values, without the points."""
        facts = {"rows": len(self.points), "of_rows": self.of_rows, "colored_by": self.colored_by}
        return {
            **facts,
            "shares": list(self.shares),
            "interval": None if self.interval is None else list(self.interval),
        }


def _rounded(end: float, outwards: float) -> float:
    """An end of an interval with fewer digits, never inside of it."""
    return round(float(end) + outwards * 10.0**-DIGITS, DIGITS)


def _outwards(ends: tuple[float, float]) -> tuple[str, str]:
    """Both ends in per cent with one digit, the lower one rounded down and the upper one up."""
    low, high = np.floor(1000.0 * ends[0]) / 10.0, np.ceil(1000.0 * ends[1]) / 10.0
    return f"{max(0.0, low):.1f} %", f"{min(100.0, high):.1f} %"


def map_rows(
    frame: pl.DataFrame, columns: Columns, values: NDArray[Any], colored_by: str, *, seed: int
) -> RowMap | None:
    """Learning rows on the two principal components of their encoded columns; None where there are not two."""
    encoder = make_encoder(columns, "scaled")
    drawn = np.random.default_rng(seed).permutation(frame.height)[:MOST_ROWS]
    if len(drawn) < FEWEST_ROWS:
        return None
    X = encoder.fit_transform(frame[drawn])  # without the target, which would then be part of the picture
    drawn = drawn[: LARGEST_CELLS // max(1, X.shape[1])]
    X = X[: len(drawn)]
    if min(X.shape) < 2 or not np.isfinite(X).all() or np.count_nonzero(X.std(axis=0)) < 2:
        return None
    model = PCA(2, random_state=seed).fit(X)
    found = [item.value for item in model.report_ if item.quantity == SHARE and item.guaranteed]
    # Sums of the same numbers at other places of the memory may differ by rounding; what is told of them need not.
    first, second = (round(float(share), DIGITS) for share in model.explained_variance_ratio_)
    low, high = found[0] if found and isinstance(found[0], tuple) else (None, None)
    interval = None if low is None or high is None else (_rounded(low, -1.0), _rounded(high, 1.0))
    points = np.asarray(model.transform(X), dtype=np.float64)
    points = np.round(points, 6 - int(np.ceil(np.log10(np.abs(points).max()))))
    return RowMap(points, np.asarray(values)[drawn], colored_by, (first, second), interval, frame.height)
