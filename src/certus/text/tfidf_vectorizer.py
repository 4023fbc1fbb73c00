"""Texts as weighted counts of their terms."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import FLOAT_DTYPES, check_is_fitted

from certus.base import fit_method, register, warn_user
from certus.text._native_calls import NativeCounts
from certus.text.analysis.text_analyzer import DEFAULT_PATTERN
from certus.text.count_vectorizer import Columns, CountVectorizer
from certus.text.counting.python_counts import PythonCounts
from certus.text.tfidf_transformer import TfidfTransformer


@register(
    guarantees=(),
    cost="fit O(c + t log t), transform O(c) for c characters and t different terms",
    takes="texts",
)
class TfidfVectorizer(CountVectorizer, auto_wrap_output_keys=None):  # type: ignore[call-arg]
    r"""Texts as a sparse table of counts, weighted by how rare the terms are.

    `CountVectorizer`, then `TfidfTransformer`.
    `partial_fit` adds texts: new terms get columns behind the others, and the weights are those of all texts so far.

    Parameters
    ----------
    dtype : dtype, by default numpy.float64
        Type of the entries.
    norm : {"l1", "l2"}, default="l2"
        Norm by which each row is divided; None for none.
    use_idf : bool, default=True
        Whether columns are weighted; else idf is 1.
    smooth_idf : bool, default=True
        Whether a text with every term is imagined; else ``idf(t) = log(n / df_t) + 1``.
    sublinear_tf : bool, default=False
        Whether a count c becomes ``1 + log(c)``.

    Attributes
    ----------
    idf_ : ndarray of shape (n_features,)
        The weights of the terms, if ``use_idf``.

    Examples
    --------
    >>> from certus.text import TfidfVectorizer
    >>> model = TfidfVectorizer()
    >>> print(model.fit_transform(["Rain, rain, go away", "Come rain, come shine"]).toarray().round(2))
    [[0.5  0.   0.5  0.71 0.  ]
     [0.   0.85 0.   0.3  0.43]]
    """

    _constraints = {**CountVectorizer._constraints, **TfidfTransformer._constraints}
    _state = ("vocabulary_", "fixed_vocabulary_", "_tfidf")
    _tfidf: TfidfTransformer

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
        analyzer: Any = "word",
        stop_words: Any = None,
        token_pattern: str | None = DEFAULT_PATTERN,
        ngram_range: tuple[int, int] = (1, 1),
        max_df: Any = 1.0,
        min_df: Any = 1,
        max_features: int | None = None,
        vocabulary: Any = None,
        binary: bool = False,
        dtype: Any = np.float64,
        norm: str | None = "l2",
        use_idf: bool = True,
        smooth_idf: bool = True,
        sublinear_tf: bool = False,
    ) -> None:
        self._set_parameters(locals())

    @property
    def idf_(self) -> NDArray[Any]:
        """The weights of the terms; may be set, for a vocabulary that is given."""
        if not hasattr(self, "_tfidf"):
            raise NotFittedError(
                f"{type(self).__name__} is not fitted yet. Call 'fit' with appropriate arguments before using this "
                "attribute."
            )
        return self._tfidf.idf_

    @idf_.setter
    def idf_(self, value: Any) -> None:
        if not self.use_idf:
            raise ValueError("`idf_` cannot be set when `user_idf=False`.")
        if not hasattr(self, "_tfidf"):
            self._tfidf = self._new_weights()
        if self.vocabulary is not None:
            self._read_given_vocabulary()
        if hasattr(self, "vocabulary_") and len(self.vocabulary_) != len(value):
            raise ValueError(f"idf length = {len(value)} must be equal to vocabulary size = {len(self.vocabulary_)}")
        self._tfidf._forget_rows()
        self._tfidf.idf_ = np.asarray(value)

    @fit_method
    def fit(self, raw_documents: Iterable[Any], y: Any = None) -> TfidfVectorizer:
        """Learn the terms of texts and their weights."""
        self._warn_for_dtype()
        self._weights_of(*self._learn(raw_documents), anew=True)
        return self

    @fit_method
    def fit_transform(self, raw_documents: Iterable[Any], y: Any = None) -> Any:
        """Learn terms and weights of texts and apply them: `fit` and `transform` at once."""
        self._warn_for_dtype()
        counts, columns = self._learn(raw_documents)
        self._weights_of(counts, columns, anew=True)
        return self._weighed(counts, columns)

    @fit_method
    def partial_fit(self, raw_documents: Iterable[Any], y: Any = None) -> TfidfVectorizer:
        """Add texts: new terms get columns behind the others, all weights are those of all texts so far."""
        self._warn_for_dtype()
        anew = not hasattr(self, "_tfidf")
        self._weights_of(*self._grow(raw_documents), anew=anew)
        return self

    def transform(self, raw_documents: Iterable[Any]) -> Any:
        """Count and weigh the terms that were learned."""
        check_is_fitted(self, msg="The TF-IDF vectorizer is not fitted")
        counts, columns = self._counted(raw_documents)
        return self._weighed(counts, columns)

    def _new_weights(self) -> TfidfTransformer:
        return TfidfTransformer(
            norm=self.norm, use_idf=self.use_idf, smooth_idf=self.smooth_idf, sublinear_tf=self.sublinear_tf
        )

    def _weights_of(self, counts: NativeCounts | PythonCounts, columns: Columns, *, anew: bool) -> None:
        """Learn the weights from the rows that have each term; no table is needed."""
        if anew:
            self._tfidf = self._new_weights()
        present = np.zeros(len(self.vocabulary_), np.int64)
        present[columns[columns >= 0]] = counts.totals()[0][columns >= 0]
        self._tfidf._add_rows(present, counts.n_rows, self._float())

    def _weighed(self, counts: NativeCounts | PythonCounts, columns: Columns) -> Any:
        table = counts.table(columns, len(self.vocabulary_), self._float())
        if self.binary:
            table.data.fill(1)
        return self._tfidf._weigh(table)

    def _float(self) -> Any:
        return self.dtype if self.dtype in (np.float64, np.float32) else np.float64

    def _warn_for_dtype(self) -> None:
        if self.dtype not in FLOAT_DTYPES:
            warn_user(
                f"Only {FLOAT_DTYPES} 'dtype' should be used. {self.dtype} 'dtype' will be converted to np.float64.",
                UserWarning,
            )

    def _restored(self) -> None:
        super()._restored()
        if not hasattr(self, "_tfidf"):
            return
        if not isinstance(self._tfidf, TfidfTransformer):
            raise ValueError("_tfidf is not a TfidfTransformer.")
        terms = getattr(self, "vocabulary_", None)  # weights may be set by hand before there are terms
        if terms is not None and len(getattr(self._tfidf, "idf_", terms)) != len(terms):
            raise ValueError("idf_ must be one weight per term.")
