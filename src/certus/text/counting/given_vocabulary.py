"""A vocabulary that the user gives: terms, or terms with their columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def read_vocabulary(vocabulary: Any) -> dict[Any, int]:
    """Terms with their columns 0, 1, 2 …; raises a ValueError if columns are missing or repeated."""
    if isinstance(vocabulary, set):
        vocabulary = sorted(vocabulary)
    if isinstance(vocabulary, Mapping):
        found = dict(vocabulary)
        columns = set(found.values())
        if len(columns) != len(found):
            raise ValueError("Vocabulary contains repeated indices.")
        for column in range(len(found)):
            if column not in columns:
                raise ValueError(f"Vocabulary of size {len(found)} doesn't contain index {column}.")
    else:
        found = {}
        for column, term in enumerate(vocabulary):
            if found.setdefault(term, column) != column:
                raise ValueError(f"Duplicate term in vocabulary: {term!r}")
    if not found:
        raise ValueError("empty vocabulary passed to fit")
    return found
