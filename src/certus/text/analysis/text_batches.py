"""Reading texts: a list, an array, a column of a table, or an iterator, of which a batch at a time is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

import numpy as np

BATCH = 4096
_NOT_TEXTS = (
    "Hint: pass a list of texts; for a single one, [text]. Of a table, pass the column: table['review'], not table."
)
_MISSING = "Hint: replace missing texts by '' (fillna('') in pandas, fill_null('') in polars), or leave these rows out."


def refuse_single_text(raw_documents: Any) -> None:
    """A string is an iterable too, but hardly meant as texts of one letter."""
    if isinstance(raw_documents, str | bytes):
        raise ValueError(
            f"Iterable over raw text documents expected, {'string' if isinstance(raw_documents, str) else 'bytes'} "
            f"object received.\n{_NOT_TEXTS}"
        )


def refuse_table(raw_documents: Any) -> None:
    """Iterating over a data frame would give the names of its columns."""
    shape = getattr(raw_documents, "shape", ())
    if isinstance(shape, tuple) and len(shape) > 1:
        raise ValueError(f"Texts must be one column, got a table of shape {shape}.\n{_NOT_TEXTS}")


def text_batches(
    raw_documents: Iterable[Any], decode: Callable[[Any], Any], first_other: Callable[[list[Any]], int]
) -> Iterator[list[str]]:
    """Lists of strings, in order. A list of strings is one batch; what is no string is decoded, a batch at a time.

    Parameters
    ----------
    raw_documents : iterable
        Strings, bytes, open files or file names.
    decode : callable
        Makes a string of one of them.
    first_other : callable
        The place of the first element of a list that is to be decoded, or -1.
    """
    if hasattr(raw_documents, "__len__"):
        texts = raw_documents.tolist() if isinstance(raw_documents, np.ndarray) else list(raw_documents)
        if first_other(texts) < 0:
            yield texts
            return
        raw_documents = texts
    rest, row = iter(raw_documents), 0
    while batch := list(islice(rest, BATCH)):
        if first_other(batch) >= 0:
            batch = [decoded(decode, document, row + place) for place, document in enumerate(batch)]
        yield batch
        row += len(batch)


def decoded(decode: Callable[[Any], Any], document: Any, row: int) -> str:
    """One text as a string; what cannot be one is named with its row."""
    text = decoded_or_kept(decode, document, row)
    if isinstance(text, str):
        return text
    what = "None" if text is None else f"{text!r:.60} ({type(text).__name__})"
    raise ValueError(f"Texts must be str or bytes, got {what} at row {row}.\n{_MISSING}")


def decoded_or_kept(decode: Callable[[Any], Any], document: Any, row: int) -> Any:
    """One text as a string, or what the vectorizer's own functions are to make one of."""
    if isinstance(document, float) and document != document:
        raise ValueError(
            f"np.nan is an invalid document, expected byte or unicode string, but row {row} is missing.\n{_MISSING}"
        )
    try:
        return decode(document)
    except UnicodeDecodeError as error:
        raise UnicodeDecodeError(
            error.encoding,
            error.object,
            error.start,
            error.end,
            f"{error.reason}, in the text of row {row}\n"
            "Hint: name the texts' encoding=, or set decode_error='replace' or 'ignore'.",
        ) from None
