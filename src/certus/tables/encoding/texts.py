"""Free text columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from certus.base import register_part
from certus.tables.encoding.restored import check_lengths, check_names, check_numbers

LARGEST_VOCABULARY = 200
FEWEST_TEXTS = 3  # a word in fewer texts than this says nothing
LARGEST_SHARE = 0.9  # nor does one in nearly all of them


@register_part("workflow")
class TextPart:
    """Free texts: how often each of the most frequent words occurs, weighted by its rarity (tf-idf).

    Word w in a text: ``log(1 + count) * log(texts / texts with w)``, each text scaled to length 1.
    """

    _state = ("columns", "words", "rarity")

    def __init__(self, columns: Sequence[str]) -> None:
        self.columns = list(columns)

    def fit(self, frame: pl.DataFrame) -> TextPart:
        """Learn the vocabulary of every column."""
        self.words: list[list[str]] = []
        self.rarity: list[NDArray[np.float64]] = []
        for name in self.columns:
            spread = _counts(frame[name]).group_by("word").agg(texts=pl.len())
            kept = (
                spread.filter(pl.col("texts").is_between(FEWEST_TEXTS, LARGEST_SHARE * frame.height))
                .sort(["texts", "word"], descending=[True, False])
                .head(LARGEST_VOCABULARY)
            )
            self.words.append(kept["word"].to_list())
            self.rarity.append(np.log(frame.height / kept["texts"].to_numpy()))
        return self

    def _restored(self) -> None:
        check_names(self.columns)
        if hasattr(self, "words"):
            check_lengths(self.columns, words=self.words, rarity=self.rarity)
            for words, rarity in zip(self.words, self.rarity, strict=True):
                check_names(words, "words")
                check_numbers(rarity, (len(words),), "rarity")

    def transform(self, frame: pl.DataFrame) -> NDArray[np.float64]:
        """The columns as numbers."""
        parts = [np.empty((frame.height, 0))]
        for name, words, rarity in zip(self.columns, self.words, self.rarity, strict=True):
            values = np.zeros((frame.height, len(words)))
            indices = pl.DataFrame(
                {"word": words, "index": range(len(words))}, schema={"word": pl.String, "index": pl.Int64}
            )
            found = _counts(frame[name]).join(indices, on="word")
            rows, columns = found["row"].to_numpy(), found["index"].to_numpy()
            values[rows, columns] = np.log1p(found["count"].to_numpy()) * rarity[columns]
            length = np.sqrt(np.einsum("ij,ij->i", values, values))[:, None]
            parts.append(np.divide(values, length, out=values, where=length > 0))
        return np.hstack(parts)

    def names(self) -> list[str]:
        """Names of the columns that `transform` gives."""
        return [f"{name}: {word}" for name, words in zip(self.columns, self.words, strict=True) for word in words]


def _counts(column: pl.Series) -> pl.DataFrame:
    """How often each word occurs in each row: columns row, word, count."""
    words = column.cast(pl.String).str.to_lowercase().str.extract_all(r"\w+").alias("word")
    rows = pl.DataFrame({"row": range(column.len())}, schema={"row": pl.Int64}).with_columns(words)
    return rows.explode("word").drop_nulls("word").group_by("row", "word").agg(count=pl.len())
