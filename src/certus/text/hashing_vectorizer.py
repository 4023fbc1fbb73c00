"""Texts as counts of hashed terms. Weinberger, Dasgupta, Langford, Smola, Attenberg (2009)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import murmurhash3_32

from certus.base import Boolean, Exactly, Interval, OneOf, check_parameters, fit_method, register
from certus.guarantees import Report
from certus.text import _native_calls
from certus.text.analysis.text_analyzer import DEFAULT_PATTERN, TextAnalyzer
from certus.text.analysis.text_batches import refuse_single_text
from certus.text.counting.sparse_interface import as_configured

_SURROGATES = re.compile("[\ud800-\udfff]")


@register(guarantees=(), cost="transform O(c) for c characters", takes="texts")
class HashingVectorizer(TextAnalyzer, auto_wrap_output_keys=None):  # type: ignore[call-arg]
    r"""Texts as a sparse table of counts of hashed terms, for streams: nothing is learned or kept.

    Term t is column ``|h(t)| mod n_features``, counted with the sign of h(t), for MurmurHash3's signed 32-bit hash h of
    its UTF-8 bytes. Terms that collide are added; the signs make sums of collisions cancel on average. The table is
    that of scikit-learn, number for number.

    Parameters
    ----------
    n_features : int, default=1048576
        Number of columns.
    binary : bool, default=False
        Whether every entry that is stored is 1.
    norm : {"l1", "l2"}, default="l2"
        Norm by which each row is divided; None for none.
    alternate_sign : bool, default=True
        Whether terms are counted with the sign of their hash.
    dtype : dtype, by default numpy.float64
        Type of the entries.

    Examples
    --------
    >>> from certus.text import HashingVectorizer
    >>> print(HashingVectorizer(n_features=8, norm=None).transform(["Rain, rain, go away"]).toarray())
    [[-1.  0.  0.  0.  2.  0.  1.  0.]]
    """

    _constraints = {
        **TextAnalyzer._constraints,
        "n_features": [Interval(1, np.iinfo(np.int32).max, closed="left", integer=True)],
        "binary": [Boolean()],
        "norm": [OneOf("l1", "l2"), Exactly(None)],
        "alternate_sign": [Boolean()],
    }

    def __init__(
        self,
        *,
        input: str = "content",
        encoding: str = "utf-8",
        decode_error: str = "strict",
        strip_accents: Any = None,
        lowercase: bool = True,
        preprocessor: Any = None,
        tokenizer: Any = None,
        stop_words: Any = None,
        token_pattern: str | None = DEFAULT_PATTERN,
        ngram_range: tuple[int, int] = (1, 1),
        analyzer: Any = "word",
        n_features: int = 2**20,
        binary: bool = False,
        norm: str | None = "l2",
        alternate_sign: bool = True,
        dtype: Any = np.float64,
    ) -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(self, X: Iterable[Any], y: Any = None) -> HashingVectorizer:
        """Check the parameters; nothing is learned."""
        refuse_single_text(X)
        self._warn_for_unused_parameters()
        self._check_ngram_range()
        self.report_ = Report()
        return self

    @fit_method
    def partial_fit(self, X: Iterable[Any], y: Any = None) -> HashingVectorizer:
        """Check the parameters; nothing is learned."""
        return self

    def transform(self, X: Iterable[Any]) -> Any:
        """Count the hashed terms of texts.

        Returns
        -------
        sparse table of shape (n_samples, n_features)
        """
        refuse_single_text(X)
        check_parameters(type(self).__name__, self._constraints, self.get_params(deep=False))  # there may be no fit
        self._check_ngram_range()
        table = self._hashed(X)
        if table.shape[0] == 0:
            raise ValueError("Cannot vectorize empty sequence.\nHint: there must be at least one text.")
        if self.binary:
            table.data.fill(1)
        if self.norm is not None:
            if table.dtype not in (np.float64, np.float32):
                table = table.astype(np.float64)
            _native_calls.weigh_rows(table, None, self.norm)
        return as_configured(table)

    def fit_transform(self, X: Iterable[Any], y: Any = None) -> Any:
        """Count the hashed terms of texts, after a check of the parameters.

        Returns
        -------
        sparse table of shape (n_samples, n_features)
        """
        return self.fit(X, y).transform(X)

    def _hashed(self, X: Iterable[Any]) -> sparse.csr_array:
        rule = self._native_rule()
        if rule is None:
            return self._hashed_in_python(X)
        batches = self._read_texts(X)
        if self.analyzer != "word" and self.strip_accents != "ascii":
            batches = _encodable(batches)
        return _native_calls.hashed_counts(rule, batches, self.n_features, self.alternate_sign, self.dtype)

    def _hashed_in_python(self, X: Iterable[Any]) -> sparse.csr_array:
        hashes: list[int] = []
        starts = [0]
        for terms in self._analyzed(X):
            hashes.extend(murmurhash3_32(_bytes_of(term), 0) for term in terms)
            starts.append(len(hashes))
        signed = np.array(hashes, dtype=np.int64)
        values = np.where(signed < 0, -1, 1) if self.alternate_sign else np.ones(len(signed))
        columns = (np.abs(signed) % self.n_features).astype(np.int32)
        shape = (len(starts) - 1, self.n_features)
        table = sparse.csr_array((values.astype(self.dtype), columns, np.array(starts, dtype=np.int32)), shape=shape)
        table.sum_duplicates()
        return table

    def _restored(self) -> None:
        # fitting is not asked for, so there may be no sign of it in a file
        check_parameters(type(self).__name__, self._constraints, self.get_params(deep=False))
        super()._restored()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        return tags


def _bytes_of(term: Any) -> bytes:
    if isinstance(term, str):
        return term.encode("utf-8")
    if not isinstance(term, bytes):
        raise TypeError(f"feature names must be strings, got {term!r}.")
    return term


def _encodable(batches: Iterator[list[str]]) -> Iterator[list[str]]:
    """Refuse half characters (lone surrogates), which have no UTF-8 bytes to hash; words never contain them."""
    row = 0
    for batch in batches:
        for text in batch:
            if not text.isascii() and _SURROGATES.search(text):
                text.encode("utf-8")  # says where
                raise ValueError(f"the text of row {row} cannot be encoded.")
            row += 1
        yield batch
