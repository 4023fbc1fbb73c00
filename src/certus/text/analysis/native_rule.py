"""Which preprocessing, tokens and runs compiled code can take over, and its description there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

UNITS = {"word": 0, "char": 1, "char_wb": 2}
# Patterns of tokens that are runs of word characters, and how many a token has at least.
_LETTERS = {r"(?u)\b\w\w+\b": 2, r"\b\w\w+\b": 2, r"(?u)\b\w+\b": 1, r"\b\w+\b": 1, r"(?u)\w+": 1, r"\w+": 1}
_LARGEST = 2**31 - 1
# What a subclass may define otherwise.
_STEPS = (
    "build_analyzer",
    "build_preprocessor",
    "build_tokenizer",
    "get_stop_words",
    "decode",
    "_word_ngrams",
    "_char_ngrams",
    "_char_wb_ngrams",
)


@dataclass(frozen=True)
class NativeRule:
    """How compiled code cuts texts into terms: see ``cpp/text/analyzer.hpp``."""

    lowercase: bool
    accents: str | None
    unit: int
    min_letters: int
    min_n: int
    max_n: int
    stop_words: frozenset[str]


def native_rule(vectorizer: Any, home: type) -> NativeRule | None:
    """The rule of a vectorizer, or None if its callables, its pattern or its class ask for Python.

    Parameters
    ----------
    vectorizer : TextAnalyzer
        Whose parameters count.
    home : type
        The class that defines the steps of analysis.
    """
    kind = type(vectorizer)
    own = any(getattr(kind, name) is not getattr(home, name) for name in _STEPS)
    accents, unit = vectorizer.strip_accents, vectorizer.analyzer
    if own or not isinstance(unit, str) or vectorizer.preprocessor is not None or callable(accents):
        return None
    low, high = vectorizer.ngram_range
    if low < 1:
        return None
    letters, stop_words = 1, frozenset[str]()
    if unit == "word":
        if vectorizer.tokenizer is not None or vectorizer.token_pattern not in _LETTERS:
            return None
        letters = _LETTERS[vectorizer.token_pattern]
        stop_words = vectorizer.get_stop_words() or stop_words
        if not all(isinstance(word, str) for word in stop_words):
            return None
    return NativeRule(
        bool(vectorizer.lowercase),
        accents or None,
        UNITS[unit],
        letters,
        min(int(low), _LARGEST),
        min(int(high), _LARGEST),
        stop_words,
    )
