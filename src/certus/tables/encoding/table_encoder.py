"""From a table of mixed columns to a matrix of numbers."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl
from numpy.typing import NDArray

from certus.base import Transformer, fit_method, predict_method, register_part
from certus.base.inputs import TableLike, TargetLike
from certus.base.params import Constraints, InstanceOf, OneOf
from certus.guarantees import Report
from certus.tables.encoding.categories import CategoryPart
from certus.tables.encoding.dates import DatePart
from certus.tables.encoding.hashed_texts import LetterPart
from certus.tables.encoding.numbers import NumberPart
from certus.tables.encoding.restored import check_names
from certus.tables.encoding.target_means import TargetPart
from certus.tables.encoding.texts import TextPart

Style = Literal["scaled", "native"]


@register_part("workflow")
class TableEncoder(Transformer):
    """Turns numbers, categories, dates and free texts of a data frame into a matrix of numbers.

    Texts are read word by word, short ones by their letters too. Categories with many levels also get the mean target
    of their level, which for rows given to ``fit_transform`` comes from other rows than themselves. Everything
    is learned on the rows given to ``fit``. Levels, dates and words that were never seen, and missing values, are all
    encoded; a text where numbers were learned is refused with its row.

    Parameters
    ----------
    numbers, categories, dates, texts : list of str
        The columns of each kind.
    style : {"scaled", "native"}, default="scaled"
        "scaled" fills missing values, brings numbers to mean 0 and variance 1 and makes categories 0/1 columns:
        for learners that compare distances or penalize coefficients. "native" keeps missing values as NaN and
        gives categories as codes in the first columns: for trees.

    Attributes
    ----------
    parts_ : list
        What was learned, per kind of column, in the order of the encoded columns.

    Examples
    --------
    >>> import polars as pl
    >>> from certus.tables import TableEncoder
    >>> table = pl.DataFrame({"size": [1.0, None, 3.0], "color": ["red", "blue", "red"]})
    >>> TableEncoder(numbers=["size"], categories=["color"], style="native").fit_transform(table)
    array([[ 0.,  1.],
           [ 1., nan],
           [ 0.,  3.]])
    """

    _constraints: ClassVar[Constraints] = {
        "numbers": [InstanceOf(list, tuple)],
        "categories": [InstanceOf(list, tuple)],
        "dates": [InstanceOf(list, tuple)],
        "texts": [InstanceOf(list, tuple)],
        "style": [OneOf("scaled", "native")],
    }
    _state: ClassVar[tuple[str, ...]] = ("parts_",)

    def __init__(
        self,
        numbers: list[str] | tuple[str, ...] = (),
        categories: list[str] | tuple[str, ...] = (),
        dates: list[str] | tuple[str, ...] = (),
        texts: list[str] | tuple[str, ...] = (),
        style: Style = "scaled",
    ) -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(self, X: TableLike, y: TargetLike | None = None) -> TableEncoder:
        """Learn how to encode the columns of a data frame."""
        frame = self._frame(X)
        self.parts_ = self._new_parts()
        for part in self.parts_:
            part.fit(frame, None if y is None else np.asarray(y)) if isinstance(part, TargetPart) else part.fit(frame)
        self.feature_names_in_ = np.array(self._used(), dtype=object)
        self.n_features_in_ = len(self.feature_names_in_)
        self.report_ = Report()
        return self

    def _new_parts(self) -> list[Any]:
        """The parts, not fitted yet, in the order of their columns."""
        return [
            *self._plain_parts(self.style == "scaled"),
            TextPart(self.texts),
            LetterPart(self.texts),
            TargetPart(self.categories),
        ]

    def _plain_parts(self, scaled: bool) -> list[Any]:
        """Categories, numbers and dates."""
        return [
            CategoryPart(self.categories, one_hot=scaled),
            NumberPart(self.numbers, scaled=scaled),
            DatePart(self.dates, scaled=scaled),
        ]

    def fit_transform(self, X: TableLike, y: TargetLike | None = None, **fit_params: Any) -> NDArray[np.float64]:
        """Learn, and encode the same rows; mean targets of their levels come from other rows than themselves."""
        frame = self.fit(X, y, **fit_params)._frame(X)
        known = None if y is None else np.asarray(y)
        return np.ascontiguousarray(
            np.hstack(
                [
                    part.out_of_fold(frame, known) if isinstance(part, TargetPart) else part.transform(frame)
                    for part in self.parts_
                ]
            )
        )

    @predict_method
    def transform(self, X: TableLike) -> NDArray[np.float64]:
        """The rows of a data frame as numbers."""
        frame = self._frame(X)
        return np.ascontiguousarray(np.hstack([part.transform(frame) for part in self.parts_]))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Names of the encoded columns."""
        return np.array([name for part in self.parts_ for name in part.names()], dtype=object)

    @property
    def column_kinds(self) -> dict[str, str]:
        """How every column was learned: "number", "category", "date" or "text"."""
        pairs = (("category", self.categories), ("number", self.numbers), ("date", self.dates), ("text", self.texts))
        return {name: kind for kind, names in pairs for name in names}

    @property
    def usual_numbers(self) -> dict[str, tuple[float, float]]:
        """Mean and spread of every column of numbers in training."""
        (part,) = (part for part in self.parts_ if isinstance(part, NumberPart))
        moments = zip(part.columns, part.mean.tolist(), part.scale.tolist(), strict=True)
        return {name: (mean, scale) for name, mean, scale in moments}

    def _restored(self) -> None:
        for names in (self.numbers, self.categories, self.dates, self.texts):
            check_names(names)
        if "parts_" not in vars(self):
            return
        fresh = self._new_parts()
        kinds = [type(one) for one in fresh]
        # Files of earlier releases lack the last kinds.
        if not isinstance(self.parts_, list) or len(self.parts_) < 4:
            raise ValueError("parts_ must be one part per kind of column")
        if [type(one) for one in self.parts_] != kinds[: len(self.parts_)]:
            raise ValueError("parts_ must be one part per kind of column")
        for part, new in zip(self.parts_, fresh, strict=False):
            whole = isinstance(part, CategoryPart | NumberPart | DatePart | TextPart)
            if list(part.columns) != new.columns if whole else not set(part.columns) <= set(new.columns):
                raise ValueError("every part must be about the columns of its kind")
            if any(name not in vars(part) for name in part._state):
                raise ValueError(f"a {type(part).__name__} lacks what it learned")
            if any(getattr(part, name) != vars(new)[name] for name in ("one_hot", "scaled") if name in vars(new)):
                raise ValueError("all parts must have the style of the encoder")

    def _used(self) -> list[str]:
        return [*self.categories, *self.numbers, *self.dates, *self.texts]

    def _frame(self, X: TableLike) -> pl.DataFrame:
        if not nw.dependencies.is_into_dataframe(X):
            raise ValueError(
                f"{type(self).__name__} needs a data frame, since it knows columns by name, got {type(X).__name__}.\n"
                "Hint: pass a pandas, polars or pyarrow table."
            )
        frame: pl.DataFrame = X if isinstance(X, pl.DataFrame) else nw.from_native(X, eager_only=True).to_polars()
        known = set(frame.columns)
        missing = [name for name in self._used() if name not in known]
        if missing:
            raise ValueError(
                f"The table lacks the columns {missing}, which the model needs.\n"
                "Hint: add them; missing values are allowed."
            )
        return frame

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = tags.input_tags.string = tags.input_tags.allow_nan = True
        return tags
