"""Preprocessing, tokens and runs of the vectorizers, step by step in Python: what their ``build_…`` methods return.

Compiled code does the same for the usual settings (`native_rule`); what is defined here is what it must equal.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from certus.base import Boolean, Constraints, Exactly, Function, InstanceOf, OneOf, Transformer, warn_user
from certus.text._native_calls import first_that_is_no_text
from certus.text.analysis.accents import ACCENTS
from certus.text.analysis.native_rule import NativeRule, native_rule
from certus.text.analysis.text_batches import decoded_or_kept, refuse_table, text_batches

DEFAULT_PATTERN = r"(?u)\b\w\w+\b"


class TextAnalyzer(Transformer, auto_wrap_output_keys=None):  # type: ignore[call-arg]
    r"""What makes terms of texts.

    Parameters
    ----------
    input : {"content", "filename", "file"}, default="content"
        What the texts are given as: themselves (str or bytes), names of files, or open files.
    encoding : str, default="utf-8"
        Encoding of bytes and files.
    decode_error : {"strict", "ignore", "replace"}, default="strict"
        What to do with bytes that are not of the encoding.
    strip_accents : {"ascii", "unicode"} or callable, default=None
        "unicode" takes accents off and writes compatible characters as usual ones (NFKD); "ascii" also drops what is
        then not ASCII.
    lowercase : bool, default=True
        Whether texts are lowercased first.
    preprocessor : callable, default=None
        Replaces lowercase and accents: from a text to a text.
    tokenizer : callable, default=None
        Replaces ``token_pattern``: from a text to its tokens.
    stop_words : {"english"} or list, default=None
        Tokens that are left out; only of words.
    token_pattern : str, default=r"(?u)\b\w\w+\b"
        Regular expression of a token; of its one group, if it has one. The default: words of two letters or more.
    ngram_range : tuple (min_n, max_n), default=(1, 1)
        Lengths of the runs of tokens (or characters) that are terms.
    analyzer : {"word", "char", "char_wb"} or callable, default="word"
        Terms are words, characters, characters inside words (with a space at both ends), or what a function makes of
        a text.

    Attributes
    ----------
    report_ : Report
        Empty: counting promises nothing.
    """

    _arguments: ClassVar = {
        "": """
X : iterable of str, bytes, file names or open files
    Texts.
raw_documents : iterable of str, bytes, file names or open files
    Texts.
"""
    }
    _constraints: ClassVar[Constraints] = {
        "input": [OneOf("filename", "file", "content")],
        "encoding": [InstanceOf(str)],
        "decode_error": [OneOf("strict", "ignore", "replace")],
        "strip_accents": [OneOf("ascii", "unicode"), Exactly(None), Function()],
        "lowercase": [Boolean()],
        "preprocessor": [Function(), Exactly(None)],
        "tokenizer": [Function(), Exactly(None)],
        "stop_words": [OneOf("english"), InstanceOf(list), Exactly(None)],
        "token_pattern": [InstanceOf(str), Exactly(None)],
        "ngram_range": [InstanceOf(tuple)],
        "analyzer": [OneOf("word", "char", "char_wb"), Function()],
    }
    _white_spaces = re.compile(r"\s\s+")
    input: str
    encoding: str
    decode_error: str
    strip_accents: Any
    lowercase: bool
    preprocessor: Any
    tokenizer: Any
    stop_words: Any
    token_pattern: str | None
    ngram_range: tuple[int, int]
    analyzer: Any
    dtype: Any

    def decode(self, doc: Any) -> Any:
        """A text as a string: read if it is a file, decoded if it is bytes.

        Parameters
        ----------
        doc : str, bytes, file name or open file
            The text.

        Returns
        -------
        str
        """
        if self.input == "filename":
            doc = Path(doc).read_bytes()
        elif self.input == "file":
            doc = doc.read()
        if isinstance(doc, bytes):
            return doc.decode(self.encoding, self.decode_error)
        if isinstance(doc, float) and doc != doc:
            raise ValueError("np.nan is an invalid document, expected byte or unicode string.")
        return doc

    def build_preprocessor(self) -> Callable[[Any], Any]:
        """The function that a text goes through before it is cut: lowercase, then accents.

        Returns
        -------
        callable
        """
        if self.preprocessor is not None:
            return self.preprocessor
        strip = self.strip_accents
        if strip and not callable(strip):
            if strip not in ACCENTS:
                raise ValueError(f'Invalid value for "strip_accents": {strip}')
            strip = ACCENTS[strip]
        return partial(_preprocess, strip=strip or None, lower=self.lowercase)

    def build_tokenizer(self) -> Callable[[Any], Any]:
        """The function that cuts a text into tokens.

        Returns
        -------
        callable
        """
        if self.tokenizer is not None:
            return self.tokenizer
        if self.token_pattern is None:
            raise TypeError("token_pattern must be a str, got None.\nHint: give a tokenizer instead, or a pattern.")
        pattern = re.compile(self.token_pattern)
        if pattern.groups > 1:
            raise ValueError(
                "More than 1 capturing group in token pattern. Only a single group should be captured.\n"
                "Hint: write groups that are not to be captured as (?:…)."
            )
        return pattern.findall

    def get_stop_words(self) -> frozenset[Any] | None:
        """The words that are left out.

        Returns
        -------
        frozenset or None
        """
        if self.stop_words == "english":
            return ENGLISH_STOP_WORDS
        if isinstance(self.stop_words, str):
            raise ValueError(f"not a built-in stop list: {self.stop_words}")
        return None if self.stop_words is None else frozenset(self.stop_words)

    def build_analyzer(self) -> Callable[[Any], Any]:
        """The function that makes the terms of a text.

        Returns
        -------
        callable
        """
        if callable(self.analyzer):
            return partial(_analyze, (self.decode, self.analyzer))
        preprocess = self.build_preprocessor()
        if self.analyzer == "char":
            return partial(_analyze, (self.decode, preprocess, self._char_ngrams))
        if self.analyzer == "char_wb":
            return partial(_analyze, (self.decode, preprocess, self._char_wb_ngrams))
        if self.analyzer != "word":
            raise ValueError(f"{self.analyzer} is not a valid tokenization scheme/analyzer")
        stop_words, tokenize = self.get_stop_words(), self.build_tokenizer()
        self._check_stop_words_consistency(stop_words, preprocess, tokenize)
        runs = partial(self._word_ngrams, stop_words=stop_words)
        return partial(_analyze, (self.decode, preprocess, tokenize, runs))

    def _word_ngrams(self, tokens: list[str], stop_words: Any = None) -> list[str]:
        """Runs of tokens that are no stop words, the short ones first."""
        if stop_words is not None:
            tokens = [word for word in tokens if word not in stop_words]
        low, high = self.ngram_range
        if high == 1:
            return tokens
        lengths = range(low, min(high, len(tokens)) + 1)
        return [" ".join(tokens[i : i + n]) for n in lengths for i in range(len(tokens) - n + 1)]

    def _char_ngrams(self, text: str) -> list[str]:
        """Runs of characters; several white ones are one space."""
        text = self._white_spaces.sub(" ", text)
        low, high = self.ngram_range
        lengths = range(low, min(high, len(text)) + 1)
        return [text[i : i + n] for n in lengths for i in range(len(text) - n + 1)]

    def _char_wb_ngrams(self, text: str) -> list[str]:
        """Runs of characters of each word with a space at both ends; a word that is too short counts once."""
        low, high = self.ngram_range
        found = []
        for word in text.split():
            padded = f" {word} "
            for n in range(low, high + 1):
                found += [padded[i : i + n] for i in range(max(len(padded) - n, 0) + 1)]
                if n >= len(padded):
                    break
        return found

    def _check_stop_words_consistency(self, stop_words: Any, preprocess: Any, tokenize: Any) -> Any:
        """Whether tokens of stop words are stop words; None if that was looked at before, "error" if it cannot be."""
        if id(self.stop_words) == getattr(self, "_stop_words_id", None):
            return None
        self._stop_words_id = id(self.stop_words)
        try:
            tokens = {token for word in stop_words or () for token in tokenize(preprocess(word))}
            missing = sorted(tokens - set(stop_words or ()))
        except Exception:
            return "error"  # the vectorizer's own functions take something else than words
        if missing:
            warn_user(
                "Your stop_words may be inconsistent with your preprocessing. Tokenizing the stop words generated "
                f"tokens {missing!r} not in stop_words.",
                UserWarning,
            )
        return not missing

    def _check_ngram_range(self) -> None:
        low, high = self.ngram_range
        if low > high:
            raise ValueError(
                f"Invalid value for ngram_range={self.ngram_range} lower boundary larger than the upper boundary."
            )

    def _restored(self) -> None:
        """Called after loading from a file, which could say anything: there must be an analysis that ends."""
        self._check_ngram_range()
        if not all(type(length) is int and length >= 0 for length in self.ngram_range):
            raise ValueError("ngram_range must be two lengths.")
        for name in ("strip_accents", "preprocessor", "tokenizer", "analyzer"):
            if isinstance(getattr(self, name), type):  # types can stand in a file, and would be called with a text
                raise ValueError(f"{name} must not be a type.")
        if self.dtype is None or np.dtype(self.dtype).kind not in "biufc":
            raise ValueError("dtype must be a type of numbers.")
        try:
            codecs.lookup(self.encoding)
            self.build_analyzer()
        except re.error as error:
            raise ValueError(f"token_pattern is not a regular expression: {error}") from error

    def _warn_for_unused_parameters(self) -> None:
        own = callable(self.analyzer)
        unused = []
        if self.tokenizer is not None and self.token_pattern is not None:
            unused.append(("token_pattern", "'tokenizer' is not None"))
        if self.preprocessor is not None and own:
            unused.append(("preprocessor", "'analyzer' is callable"))
        if self.ngram_range != (1, 1) and self.ngram_range is not None and own:
            unused.append(("ngram_range", "'analyzer' is callable"))
        if own or self.analyzer != "word":
            if self.stop_words is not None:
                unused.append(("stop_words", "'analyzer' != 'word'"))
            if self.token_pattern is not None and self.token_pattern != DEFAULT_PATTERN:
                unused.append(("token_pattern", "'analyzer' != 'word'"))
            if self.tokenizer is not None:
                unused.append(("tokenizer", "'analyzer' != 'word'"))
        for name, reason in unused:
            warn_user(f"The parameter '{name}' will not be used since {reason}", UserWarning)

    def _native_rule(self) -> NativeRule | None:
        """How compiled code can do the analysis, if it can."""
        rule = native_rule(self, TextAnalyzer)
        if rule is not None and rule.stop_words:
            self._check_stop_words_consistency(rule.stop_words, self.build_preprocessor(), self.build_tokenizer())
        return rule

    def _read_texts(self, raw_documents: Iterable[Any]) -> Iterator[list[str]]:
        """The texts as strings, in batches."""
        refuse_table(raw_documents)
        as_given = first_that_is_no_text if self.input == "content" else _all_to_read
        return text_batches(raw_documents, self.decode, as_given)

    def _analyzed(self, raw_documents: Iterable[Any]) -> Iterator[Any]:
        """The terms of one text after the other, by the functions that the ``build_…`` methods return."""
        analyze = self.build_analyzer()
        if not isinstance(analyze, partial) or analyze.func is not _analyze:
            yield from map(analyze, raw_documents)  # a subclass decodes by itself
            return
        decode, *steps = analyze.args[0]
        for row, document in enumerate(raw_documents):
            yield _analyze(steps, decoded_or_kept(decode, document, row))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags


def _all_to_read(documents: list[Any]) -> int:
    return 0 if documents else -1


def _preprocess(text: Any, strip: Callable[[Any], Any] | None, lower: bool) -> Any:
    if lower:
        text = text.lower()
    return text if strip is None else strip(text)


def _analyze(steps: Iterable[Callable[[Any], Any]], text: Any) -> Any:
    """One step after the other."""
    for step in steps:
        text = step(text)
    return text
