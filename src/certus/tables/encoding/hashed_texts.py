"""Pieces of words: short texts (names, codes, titles) by the letters that they are made of.

Every run of three bytes of a text, with a blank in front and behind, is an n-gram. Multiplied by an odd constant of 64
bits, its highest bits name one of 64 columns (Knuth's multiplicative hashing), so that no vocabulary is kept and new
pieces have their place. An entry is ``log(1 + count) * log(texts / texts with it)``, each text scaled to length 1.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from certus.base import register_part
from certus.tables.encoding.restored import check_lengths, check_names, check_numbers

COLUMNS = 64
LONGEST_MEAN = 60.0  # characters; longer texts have words enough
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(64 - 6)


@register_part("workflow")
class LetterPart:
    """Texts as hashed n-grams of their letters, where they are short."""

    _state = ("columns", "rarity")

    def __init__(self, columns: Sequence[str]) -> None:
        self.columns = list(columns)

    def fit(self, frame: pl.DataFrame) -> LetterPart:
        """Learn which columns hold short texts, and how rare every piece is in them."""
        lengths = {name: frame[name].cast(pl.String).str.len_chars().mean() for name in self.columns}
        self.columns = [name for name, length in lengths.items() if _number(length) <= LONGEST_MEAN]
        self.rarity: list[NDArray[np.float64]] = []
        for name in self.columns:
            texts = np.count_nonzero(letter_counts(frame[name]), axis=0)
            self.rarity.append(np.log(max(frame.height, 1) / np.maximum(texts, 1)))
        return self

    def _restored(self) -> None:
        check_names(self.columns)
        if hasattr(self, "rarity"):
            check_lengths(self.columns, rarity=self.rarity)
            for rarity in self.rarity:
                check_numbers(rarity, (COLUMNS,), "rarity")

    def transform(self, frame: pl.DataFrame) -> NDArray[np.float64]:
        """The columns as numbers."""
        parts = [np.empty((frame.height, 0))]
        for name, rarity in zip(self.columns, self.rarity, strict=True):
            values = np.log1p(letter_counts(frame[name])) * rarity
            length = np.sqrt(np.einsum("ij,ij->i", values, values))[:, None]
            parts.append(np.divide(values, length, out=values, where=length > 0))
        return np.hstack(parts)

    def names(self) -> list[str]:
        """Names of the columns that `transform` gives."""
        return [f"{name}: letters {index}" for name in self.columns for index in range(COLUMNS)]


def letter_counts(column: pl.Series) -> NDArray[np.float64]:
    """How often n-grams of each hash occur in every row."""
    texts = column.cast(pl.String).str.to_lowercase().fill_null("")
    padded = [f" {text} ".encode("utf-8", "surrogatepass") for text in texts.to_list()]
    row_of_byte = np.repeat(np.arange(len(padded)), [len(text) for text in padded])
    code = np.frombuffer(b"".join(padded), dtype=np.uint8).astype(np.uint64)
    if len(code) < 3:
        return np.zeros((len(padded), COLUMNS))
    grams = code[:-2] << np.uint64(16) | code[1:-1] << np.uint64(8) | code[2:]
    inside = row_of_byte[:-2] == row_of_byte[2:]
    with np.errstate(over="ignore"):
        places = (grams[inside] * _FACTOR) >> _SHIFT
    cells = row_of_byte[:-2][inside] * COLUMNS + places.astype(np.intp)
    return np.bincount(cells, minlength=len(padded) * COLUMNS).reshape(len(padded), COLUMNS).astype(np.float64)


def _number(mean: object) -> float:
    return float(mean) if isinstance(mean, int | float) else 0.0
