"""Texts as counts of their terms. Manning, Raghavan, Schuetze (2008), chapter 6."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from operator import itemgetter
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_array, metadata_routing

from certus.base import (
    Boolean,
    Exactly,
    Fraction,
    HasMethods,
    InstanceOf,
    Interval,
    fit_method,
    register,
    warn_user,
)
from certus.guarantees import Report
from certus.text._native_calls import NativeCounts
from certus.text.analysis.text_analyzer import DEFAULT_PATTERN, TextAnalyzer
from certus.text.analysis.text_batches import refuse_single_text
from certus.text.counting.given_vocabulary import read_vocabulary
from certus.text.counting.python_counts import PythonCounts
from certus.text.counting.sparse_interface import as_configured
from certus.text.counting.term_choice import chosen_columns

Columns = NDArray[np.int64]
_SHARE_OR_COUNT = [Fraction(0, 1), Interval(1, None, integer=True)]


@register(
    guarantees=(),
    cost="fit O(c + t log t), transform O(c) for c characters and t different terms",
    takes="texts",
)
class CountVectorizer(TextAnalyzer, auto_wrap_output_keys=None):  # type: ignore[call-arg]
    r"""Texts as a sparse table of counts: a row per text, a column per term.

    Terms are words, runs of words, or runs of characters; columns are in the order of the terms. The usual settings run
    in compiled code on all cores, with the words of Python's ``re`` for all of Unicode; patterns and functions of your
    own run in Python. `partial_fit` adds the terms of further texts behind the columns that are there.

    Parameters
    ----------
    max_df : float or int, default=1.0
        Terms in more texts than this are left out; a float is a share of the texts.
    min_df : float or int, default=1
        Terms in fewer texts than this are left out; a float is a share of the texts.
    max_features : int, default=None
        Only so many of the most frequent terms become columns.
    vocabulary : mapping or iterable, default=None
        The terms, with their columns or in order; then nothing is learned.
    binary : bool, default=False
        Whether terms count once per text.
    dtype : dtype, by default numpy.int64
        Type of the counts.

    Attributes
    ----------
    vocabulary_ : dict
        The column of each term.
    fixed_vocabulary_ : bool
        Whether the vocabulary was given.

    Examples
    --------
    >>> from certus.text import CountVectorizer
    >>> model = CountVectorizer()
    >>> print(model.fit_transform(["Rain, rain, go away", "Come rain, come shine"]).toarray())
    [[1 0 1 2 0]
     [0 2 0 1 1]]
    >>> print(*model.get_feature_names_out())
    away come go rain shine
    >>> print(*model.partial_fit(["Here comes the sun"]).get_feature_names_out())
    away come go rain shine comes here sun the
    """

    # Texts are no table that routing could be about.
    __metadata_request__fit = {"raw_documents": metadata_routing.UNUSED}
    __metadata_request__partial_fit = {"raw_documents": metadata_routing.UNUSED}
    __metadata_request__transform = {"raw_documents": metadata_routing.UNUSED}

    _constraints = {
        **TextAnalyzer._constraints,
        "max_df": _SHARE_OR_COUNT,
        "min_df": _SHARE_OR_COUNT,
        "max_features": [Interval(1, None, integer=True), Exactly(None)],
        "vocabulary": [InstanceOf(Mapping), HasMethods("__iter__"), Exactly(None)],
        "binary": [Boolean()],
    }
    _state: ClassVar[tuple[str, ...]] = ("vocabulary_", "fixed_vocabulary_")
    vocabulary_: dict[Any, int]

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
        max_df: Any = 1.0,
        min_df: Any = 1,
        max_features: int | None = None,
        vocabulary: Any = None,
        binary: bool = False,
        dtype: Any = np.int64,
    ) -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(self, raw_documents: Iterable[Any], y: Any = None) -> CountVectorizer:
        """Learn the terms of texts."""
        self._learn(raw_documents)
        return self

    @fit_method
    def fit_transform(self, raw_documents: Iterable[Any], y: Any = None) -> Any:
        """Learn the terms of texts and count them: `fit` and `transform` at once.

        Returns
        -------
        sparse table of shape (n_samples, n_features)
        """
        counts, columns = self._learn(raw_documents)
        return self._table(counts, columns)

    @fit_method
    def partial_fit(self, raw_documents: Iterable[Any], y: Any = None) -> CountVectorizer:
        """Add the terms of further texts; the columns of earlier terms stay where they are."""
        self._grow(raw_documents)
        return self

    def transform(self, raw_documents: Iterable[Any]) -> Any:
        """Count the terms that were learned.

        Returns
        -------
        sparse table of shape (n_samples, n_features)
        """
        return self._table(*self._counted(raw_documents))

    def inverse_transform(self, X: Any) -> list[NDArray[Any]]:
        """The terms of each row.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Counts.

        Returns
        -------
        list of ndarray
            The terms whose entry is not zero.
        """
        self._require_vocabulary()
        table = sparse.csr_array(check_array(X, accept_sparse="csr"))
        terms = np.array(list(self.vocabulary_))[np.argsort(list(self.vocabulary_.values()))]
        return [terms[table[row, :].nonzero()[-1]] for row in range(table.shape[0])]

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """The terms, in the order of their columns.

        Parameters
        ----------
        input_features : None
            Not used.

        Returns
        -------
        ndarray of object
        """
        self._require_vocabulary()
        return np.asarray([term for term, _ in sorted(self.vocabulary_.items(), key=itemgetter(1))], dtype=object)

    def _learn(self, raw_documents: Iterable[Any]) -> tuple[NativeCounts | PythonCounts, Columns]:
        """Set the vocabulary; returns the counts and the column of every term that was counted."""
        refuse_single_text(raw_documents)
        self._check_ngram_range()
        self._warn_for_unused_parameters()
        self._read_given_vocabulary()
        if self.fixed_vocabulary_ and self.lowercase:
            self._warn_for_capitals()
        counts = self._count(raw_documents)
        self.report_ = Report()
        if self.fixed_vocabulary_:
            return counts, self._known_columns(counts)
        if counts.n_terms == 0:
            raise ValueError(
                "empty vocabulary; perhaps the documents only contain stop words\n"
                f"Hint: {counts.n_rows} texts were read; token_pattern asks for words of two letters or more."
            )
        rows, sums = counts.totals()
        columns = chosen_columns(
            counts.ranks(),
            rows,
            rows if self.binary else sums,
            counts.n_rows,
            self.max_df,
            self.min_df,
            self.max_features,
        )
        terms = counts.terms(columns)
        counts.forget_terms()
        self.vocabulary_ = dict(zip(terms, columns[columns >= 0].tolist(), strict=True))
        return counts, columns

    def _grow(self, raw_documents: Iterable[Any]) -> tuple[NativeCounts | PythonCounts, Columns]:
        """Add new terms behind the others; returns the counts and the column of every term that was counted."""
        if self.vocabulary is None and (self.max_df, self.min_df, self.max_features) != (1.0, 1, None):
            raise ValueError(
                "partial_fit cannot leave terms out: how frequent a term is, is known at the end only.\n"
                "Hint: keep max_df=1.0, min_df=1 and max_features=None, or call fit on all texts."
            )
        if not hasattr(self, "vocabulary_") or self.fixed_vocabulary_:
            return self._learn(raw_documents)
        refuse_single_text(raw_documents)
        self._check_ngram_range()
        counts = self._count(raw_documents)
        columns = self._known_columns(counts)
        new = np.flatnonzero(columns < 0)
        columns[new[np.argsort(counts.ranks()[new])]] = len(self.vocabulary_) + np.arange(len(new))
        added = np.full(len(columns), -1)
        added[new] = columns[new]
        self.vocabulary_ |= dict(zip(counts.terms(added), columns[new].tolist(), strict=True))
        return counts, columns

    def _counted(self, raw_documents: Iterable[Any]) -> tuple[NativeCounts | PythonCounts, Columns]:
        """The counts of texts, and the columns of their terms in the vocabulary."""
        refuse_single_text(raw_documents)
        self._require_vocabulary()
        counts = self._count(raw_documents)
        return counts, self._known_columns(counts)

    def _count(self, raw_documents: Iterable[Any]) -> NativeCounts | PythonCounts:
        rule = self._native_rule()
        if rule is None:
            return PythonCounts(self._analyzed(raw_documents))
        return NativeCounts(rule, self._read_texts(raw_documents))

    def _known_columns(self, counts: NativeCounts | PythonCounts) -> Columns:
        """The column of every counted term, or -1 if it is not in the vocabulary."""
        terms = counts.terms(np.zeros(counts.n_terms, np.int64))
        known = self.vocabulary_
        columns = np.fromiter((known.get(term, -1) for term in terms), np.int64, len(terms))
        if columns.max(initial=-1) >= len(known):
            raise ValueError(f"vocabulary_ has {len(known)} terms, but names the column {columns.max()}.")
        return columns

    def _table(self, counts: NativeCounts | PythonCounts, columns: Columns) -> Any:
        table = counts.table(columns, len(self.vocabulary_), self.dtype)
        if self.binary:
            table.data.fill(1)
        return as_configured(table)

    def _read_given_vocabulary(self) -> None:
        self.fixed_vocabulary_ = self.vocabulary is not None
        if self.fixed_vocabulary_:
            self.vocabulary_ = read_vocabulary(self.vocabulary)

    def _require_vocabulary(self) -> None:
        if not hasattr(self, "vocabulary_"):
            self._read_given_vocabulary()
            if not self.fixed_vocabulary_:
                raise NotFittedError("Vocabulary not fitted or provided\nHint: call fit first, or give vocabulary=.")
        if len(self.vocabulary_) == 0:
            raise ValueError("Vocabulary is empty")

    def _warn_for_capitals(self) -> None:
        if any(any(map(str.isupper, term)) for term in self.vocabulary_):
            warn_user(
                "Upper case characters found in vocabulary while 'lowercase' is True. These entries will not be "
                "matched with any documents",
                UserWarning,
            )

    def _restored(self) -> None:
        if not hasattr(self, "vocabulary_") and not hasattr(self, "fixed_vocabulary_"):
            return
        super()._restored()
        if not isinstance(self.vocabulary_, dict) or not self.vocabulary_:
            raise ValueError("vocabulary_ is not a dict of terms.")
        if sorted(self.vocabulary_.values()) != list(range(len(self.vocabulary_))):
            raise ValueError("vocabulary_ does not number its terms 0, 1, 2 …")
