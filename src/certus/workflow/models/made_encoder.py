"""The encoder of a table with columns that are made from others."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from certus.base import fit_method, predict_method, register_part
from certus.base.inputs import TableLike, TargetLike
from certus.guarantees import Report
from certus.tables import TableEncoder
from certus.workflow.models.made_columns import MadeColumns


@register_part("workflow")
class MadeEncoder(TableEncoder):
    """A `TableEncoder` of the columns and of those that `MadeColumns` makes of them, on the rows given to `fit`.

    Parameters
    ----------
    numbers, categories, dates, texts : list of str
        The columns of each kind.
    style : {"scaled", "native"}, default="scaled"
        As of a `TableEncoder`.

    Attributes
    ----------
    made_ : MadeColumns
        What is made.
    inner_ : TableEncoder
        The encoder of all columns.
    """

    _state: ClassVar[tuple[str, ...]] = ("made_", "inner_")

    @fit_method
    def fit(self, X: TableLike, y: TargetLike | None = None) -> MadeEncoder:
        """Choose what to make, and learn how to encode it all."""
        frame = self._frame(X)
        self.made_ = MadeColumns(self.numbers, self.categories).fit(frame, None if y is None else np.asarray(y))
        self.inner_ = TableEncoder(
            [*self.numbers, *self.made_.made_numbers],
            [*self.categories, *self.made_.made_categories],
            list(self.dates),
            list(self.texts),
            self.style,
        ).fit(self.made_.extend(frame), y)
        self.feature_names_in_ = np.array(self._used(), dtype=object)
        self.n_features_in_ = len(self.feature_names_in_)
        self.report_ = Report()
        return self

    def fit_transform(self, X: TableLike, y: TargetLike | None = None, **fit_params: Any) -> NDArray[np.float64]:
        """Learn, and encode the same rows."""
        frame = self.made_frame(self.fit(X, y, **fit_params)._frame(X))
        return self.inner_.fit_transform(frame, y)

    def made_frame(self, frame: Any) -> Any:
        """The rows with the columns that are made."""
        return self.made_.extend(frame)

    @predict_method
    def transform(self, X: TableLike) -> NDArray[np.float64]:
        """The rows of a data frame as numbers."""
        return self.inner_.transform(self.made_frame(self._frame(X)))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Names of the encoded columns."""
        return self.inner_.get_feature_names_out()

    @property
    def usual_numbers(self) -> dict[str, tuple[float, float]]:
        """Mean and spread of every column of numbers of the table in training."""
        known = self.inner_.usual_numbers
        return {name: known[name] for name in self.numbers}

    @property
    def category_count(self) -> int:
        """How many columns are categories, those that are made among them."""
        return len(self.inner_.categories)

    def _restored(self) -> None:
        if not isinstance(self.made_, MadeColumns) or not isinstance(self.inner_, TableEncoder):
            raise ValueError("a made encoder has columns that are made, and an encoder")
        made = self.made_
        fits = list(self.inner_.numbers) == [*self.numbers, *made.made_numbers]
        fits = fits and list(self.inner_.categories) == [*self.categories, *made.made_categories]
        if not fits or list(made.numbers) != list(self.numbers) or list(made.categories) != list(self.categories):
            raise ValueError("the encoder must have the columns of the table, and those that are made")
