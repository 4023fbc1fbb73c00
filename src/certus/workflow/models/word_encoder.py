"""Texts as sparse tables of all their words, for classifiers that count."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import sparse

from certus.base import predict_method, register_part
from certus.base.inputs import TableLike, TargetLike
from certus.base.params import Constraints
from certus.tables import TableEncoder
from certus.text import TfidfVectorizer


@register_part("workflow")
class WordPart:
    """Every column of texts by a `TfidfVectorizer`; a column without any word gives no columns."""

    _state = ("columns", "vectorizers")

    def __init__(self, columns: Sequence[str]) -> None:
        self.columns = list(columns)

    def fit(self, frame: pl.DataFrame) -> WordPart:
        """Learn the words of every column."""
        self.columns = [name for name in self.columns if _texts(frame[name], r"\w\w").any()]
        self.vectorizers = [TfidfVectorizer(sublinear_tf=True).fit(_texts(frame[name])) for name in self.columns]
        return self

    def transform(self, frame: pl.DataFrame) -> list[Any]:
        """A sparse table per column."""
        return [
            vectorizer.transform(_texts(frame[name]))
            for name, vectorizer in zip(self.columns, self.vectorizers, strict=True)
        ]

    def names(self) -> list[str]:
        """Names of the columns that `transform` gives."""
        return [
            f"{name}: {word}"
            for name, vectorizer in zip(self.columns, self.vectorizers, strict=True)
            for word in vectorizer.get_feature_names_out()
        ]


def _texts(column: pl.Series, pattern: str | None = None) -> Any:
    """The texts as a list, empty where they are missing; with a pattern whether each has it."""
    texts = column.cast(pl.String).fill_null("")
    return texts.to_list() if pattern is None else texts.str.contains(pattern)


@register_part("workflow")
class WordEncoder(TableEncoder):
    """Turns the texts and categories of a data frame into a sparse table without negative entries.

    All words of the texts are columns, weighted by how rare they are, and so are the levels of categories (0 or 1).
    Numbers and dates are known, so that they are read alike by all models of a study, but give no columns: counts,
    which naive Bayes wants, they are not.

    Parameters
    ----------
    numbers, categories, dates, texts : list of str
        The columns of each kind.

    Attributes
    ----------
    parts_ : list
        What was learned, per kind of column.
    """

    _constraints: ClassVar[Constraints] = {
        name: rule for name, rule in TableEncoder._constraints.items() if name != "style"
    }

    def __init__(
        self,
        numbers: list[str] | tuple[str, ...] = (),
        categories: list[str] | tuple[str, ...] = (),
        dates: list[str] | tuple[str, ...] = (),
        texts: list[str] | tuple[str, ...] = (),
    ) -> None:
        self.numbers = numbers
        self.categories = categories
        self.dates = dates
        self.texts = texts

    def _new_parts(self) -> list[Any]:
        return [*self._plain_parts(scaled=True), WordPart(self.texts)]

    def fit_transform(self, X: TableLike, y: TargetLike | None = None, **fit_params: Any) -> Any:
        """Learn, and encode the same rows."""
        return self.fit(X, y, **fit_params).transform(X)

    @predict_method
    def transform(self, X: TableLike) -> Any:
        """The rows of a data frame as a sparse table."""
        frame = self._frame(X)
        categories, *_, words = self.parts_
        return sparse.hstack([sparse.csr_array(categories.transform(frame)), *words.transform(frame)], format="csr")

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Names of the encoded columns."""
        categories, *_, words = self.parts_
        return np.array([*categories.names(), *words.names()], dtype=object)
