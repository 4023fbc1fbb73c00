"""What becomes of every character of Unicode, asked of Python itself: `str.lower`, `re` and `unicodedata`."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from certus.text.analysis.accents import ACCENTS

WORD, SPACE = 1, 2
SEQUENCE = -(1 << 30)
_ALL = 0x110000
_PAGE = 256
_CODEC, _SURROGATES = "utf-32-le", "surrogatepass"


class CharacterTables(NamedTuple):
    """Code points in pages of 256, equal pages once: see ``cpp/text/characters.hpp``."""

    pages: NDArray[np.uint16]
    shifts: NDArray[np.int32]
    kinds: NDArray[np.uint8]
    sequences: NDArray[np.uint32]


@cache
def character_tables(lowercase: bool, accents: str | None, wide: bool) -> CharacterTables:
    """The tables of a preprocessing; those for texts of Latin-1 only are one page and made at once.

    Parameters
    ----------
    lowercase : bool
        Whether characters become what `str.lower` makes of them.
    accents : {"ascii", "unicode"} or None
        Which accents are dropped afterwards.
    wide : bool
        Whether all characters are needed, or those of Latin-1 only.
    """
    every = np.arange(_ALL if wide else _PAGE, dtype=np.uint32).tobytes().decode(_CODEC, _SURROGATES)
    becomes, several = _lowered(every) if lowercase else (every, {})
    if accents is not None:
        several |= _stripped(becomes, several, accents)
    shifts = _codes(becomes).astype(np.int64) - np.arange(len(every))
    sequences: list[int] = []
    places: dict[str, int] = {}
    for code, text in several.items():
        if text not in places:
            places[text] = len(sequences)
            sequences += [len(text), *map(ord, text)]
        shifts[code] = SEQUENCE - places[text]
    return _in_pages(shifts.astype(np.int32), _kinds(every), np.array(sequences or [0], np.uint32))


def _codes(text: str) -> NDArray[np.uint32]:
    return np.frombuffer(text.encode(_CODEC, _SURROGATES), np.uint32)


def _lowered(every: str) -> tuple[str, dict[int, str]]:
    """What each character becomes, and the texts of those that become several (a dotted capital I)."""
    several = {0x130: chr(0x130).lower()} if len(every) > 0x130 else {}
    single = every if not several else f"{every[:0x130]}i{every[0x131:]}"
    lowered = single.lower()
    if len(lowered) == len(every):
        return lowered, several
    texts = [character.lower() for character in every]  # another version of Unicode has more of them
    several = {code: text for code, text in enumerate(texts) if len(text) != 1}
    return "".join(text if len(text) == 1 else "i" for text in texts), several


def _stripped(becomes: str, several: dict[int, str], accents: str) -> dict[int, str]:
    """The texts of characters that lose an accent, or become nothing.

    NFKD decomposes each character on its own and only reorders combining marks, all of which are dropped here.
    """
    strip = ACCENTS[accents]
    found = {}
    for code, character in enumerate(becomes):
        if code in several:
            found[code] = strip(several[code])
        elif character >= "\x80":
            if unicodedata.is_normalized("NFKD", character) and not unicodedata.combining(character):
                if accents == "ascii":
                    found[code] = ""
            else:
                found[code] = strip(character)
    return found


def _kinds(every: str) -> NDArray[np.uint8]:
    kinds = np.zeros(len(every), np.uint8)
    for pattern, kind in ((r"\w+", WORD), (r"\s+", SPACE)):
        for run in re.finditer(pattern, every):
            kinds[run.start() : run.end()] |= kind
    return kinds


def _in_pages(shifts: NDArray[np.int32], kinds: NDArray[np.uint8], sequences: NDArray[np.uint32]) -> CharacterTables:
    rows = np.hstack([shifts.reshape(-1, _PAGE).view(np.uint8), kinds.reshape(-1, _PAGE)])
    pages = np.ascontiguousarray(rows).view(f"V{rows.shape[1]}").ravel()
    numbers: dict[bytes, int] = {}
    numbered = np.array([numbers.setdefault(page.tobytes(), len(numbers)) for page in pages], np.uint16)
    firsts = np.unique(numbered, return_index=True)[1]
    return CharacterTables(
        numbered,
        np.ascontiguousarray(shifts.reshape(-1, _PAGE)[firsts]).ravel(),
        np.ascontiguousarray(kinds.reshape(-1, _PAGE)[firsts]).ravel(),
        sequences,
    )
