"""Tokens of any kind as whole numbers, in the order of their first appearance."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.int64]


def read_token_lists(sequences: Any, owner: str, name: str, *, empty: bool) -> list[list[Any]]:
    """Lists of hashable tokens; a text counts as the list of its letters.

    Parameters
    ----------
    sequences : iterable of iterables
        What came.
    owner, name : str
        The learner and the argument, for messages.
    empty : bool
        Whether a sequence may have no token.
    """
    if isinstance(sequences, str | bytes) or not isinstance(sequences, Iterable):
        raise ValueError(
            f"{owner}: {name} must be a list of token lists, got {type(sequences).__name__}.\n"
            "Hint: one sequence alone is [tokens]."
        )
    found = [_tokens(sequence, owner, f"{name}[{place}]") for place, sequence in enumerate(sequences)]
    if not found:
        raise ValueError(f"{owner}: {name} must have at least one sequence, got none.\nHint: [[token, ...], ...].")
    for place, tokens in enumerate(found):
        if not tokens and not empty:
            raise ValueError(
                f"{owner}: {name}[{place}] must have at least one token, got an empty sequence.\n"
                "Hint: leave such sequences out."
            )
    return found


def _tokens(sequence: Any, owner: str, place: str) -> list[Any]:
    if isinstance(sequence, np.ndarray):
        sequence = sequence.tolist()
    if not isinstance(sequence, Iterable):
        raise ValueError(
            f"{owner}: {place} must be a list of tokens, got {sequence!r}.\nHint: one sequence alone is [tokens]."
        )
    tokens = [token.item() if isinstance(token, np.generic) else token for token in sequence]
    for number, token in enumerate(tokens):
        try:
            same = hash(token) is not None and token == token
        except TypeError:
            raise ValueError(
                f"{owner}: {place}[{number}] must be hashable, got a {type(token).__name__}.\n"
                "Hint: a tuple in place of a list."
            ) from None
        if not same:
            raise ValueError(
                f"{owner}: {place}[{number}] must be equal to itself, got {token!r}.\n"
                "Hint: a token of its own, such as None, in place of a missing value."
            )
    return tokens


def distinct_tokens(sequences: Sequence[Sequence[Any]]) -> list[Any]:
    """Every token once, in the order of first appearance."""
    return list(dict.fromkeys(token for tokens in sequences for token in tokens))


def token_codes(
    sequences: Sequence[Sequence[Any]], known: Sequence[Any], first: int, owner: str, name: str, listed: str
) -> list[Codes]:
    """Sequences as numbers from `first` on; refuses a token that is not among the known ones, by name.

    `listed` is the attribute that lists the known ones.
    """
    places = {token: number for number, token in enumerate(known, start=first)}
    found = []
    for place, tokens in enumerate(sequences):
        codes = [places.get(token, -1) for token in tokens]
        if -1 in codes:
            number = codes.index(-1)
            raise ValueError(
                f"{owner}: {name}[{place}][{number}] must be a token of the training sequences, got "
                f"{tokens[number]!r}.\nHint: `{listed}` lists those; a token such as '<rare>' in training can "
                "stand for all others."
            )
        found.append(np.array(codes, dtype=np.int64))
    return found


def padded(sequences: Sequence[Codes]) -> Codes:
    """One row per sequence, zeros after its end."""
    table = np.zeros((len(sequences), max(map(len, sequences))), dtype=np.int64)
    for row, codes in zip(table, sequences, strict=True):
        row[: len(codes)] = codes
    return table
