"""Types of columns in words."""

from __future__ import annotations

import polars as pl


def type_in_words(dtype: pl.DataType) -> str:
    """What a column of this type holds."""
    words = {pl.String: "text", pl.Boolean: "true and false", pl.Date: "dates", pl.Datetime: "dates and times"}
    return next((word for kind, word in words.items() if dtype == kind), f"values of type {dtype}")
