"""All columns of a table as inputs of a network."""

from __future__ import annotations

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl
from numpy.typing import NDArray

from certus.base import register_part
from certus.neural.learning.number_embedding import NumberEmbedding
from certus.tables import TableEncoder, as_floats


@register_part("neural")
class ColumnEmbedding:
    """Numbers embedded, other columns of a data frame encoded.

    Texts, booleans and categories become 0/1 columns of their levels (of the 50 most frequent, and of many levels the
    mean target of each), dates their parts; levels that training did not have are allowed.
    """

    _state = ("numbers", "embedding", "encoder")

    def __init__(self, kind: str | None, bins: int) -> None:
        self.embedding = NumberEmbedding(kind, bins)
        self.numbers: list[str] = []
        self.encoder: TableEncoder | None = None

    def fit_transform(self, X: Any, y: NDArray[Any]) -> NDArray[np.float64]:
        """Learn from a matrix or data frame, and embed it."""
        if isinstance(X, np.ndarray):
            return self.embedding.fit(X).transform(X)
        frame = as_frame(X)
        kinds = {name: _kind(column.dtype) for name, column in zip(frame.columns, frame.iter_columns(), strict=True)}
        self.numbers = [name for name, kind in kinds.items() if kind == "number"]
        values = self._values(frame)
        parts = [self.embedding.fit(values).transform(values)]
        others = {kind: [name for name, found in kinds.items() if found == kind] for kind in ("category", "date")}
        if any(others.values()):
            self.encoder = TableEncoder([], others["category"], others["date"])
            parts.append(self.encoder.fit_transform(frame, y))
        return np.hstack(parts)

    def transform(self, X: Any) -> NDArray[np.float64]:
        """The rows of such a table as inputs."""
        if isinstance(X, np.ndarray):
            return self.embedding.transform(X)
        frame = as_frame(X)
        parts = [self.embedding.transform(self._values(frame))]
        if self.encoder is not None:
            parts.append(self.encoder.transform(frame))
        return np.hstack(parts)

    def _values(self, frame: pl.DataFrame) -> NDArray[np.float64]:
        columns = [as_floats(frame[name]) for name in self.numbers]
        return np.column_stack(columns) if columns else np.empty((frame.height, 0))


def has_other_columns(X: Any) -> bool:
    """Whether a table is a data frame with columns that are no numbers."""
    if not nw.dependencies.is_into_dataframe(X):
        return False
    return any(not kind.is_numeric() for kind in nw.from_native(X, eager_only=True).schema.dtypes())


def as_frame(X: Any) -> pl.DataFrame:
    """A data frame of any library as one of polars."""
    frame: pl.DataFrame = X if isinstance(X, pl.DataFrame) else nw.from_native(X, eager_only=True).to_polars()
    return frame


def _kind(dtype: pl.DataType) -> str:
    if dtype.is_numeric():
        return "number"
    return "date" if dtype.is_temporal() else "category"
