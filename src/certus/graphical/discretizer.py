"""Numbers into intervals."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from certus.base import Transformer, check_target, check_weights, check_X, fit_method, predict_method, register
from certus.base.inputs import FLOATS, TableLike, TargetLike, WeightsLike, are_numbers
from certus.base.params import Interval, OneOf
from certus.graphical.learning.columns.cut_points import METHODS, cut_points, interval_names
from certus.graphical.networks.tables.coded_columns import columns_of
from certus.guarantees import Report


@register(guarantees=(), cost="fit O(n p log n), transform O(n p log b) for b intervals")
class Discretizer(Transformer):
    """Cuts numeric columns into intervals, so that networks of finitely many states take them.

    ``transform`` gives the numbers 0, 1, 2, … of the intervals; ``intervals`` gives a polars frame of texts such as
    ``"(0.5, 2]"``, as learners of networks take it. Columns that hold something else than numbers stay as they are, and
    missing cells stay missing.

    Parameters
    ----------
    method : {"auto", "mdl", "quantile", "width"}, default="auto"
        Halving by information about the labels while the gain pays for its description (Fayyad and Irani 1993), which
        leaves a column in one piece that tells nothing; intervals of equal numbers of rows; of equal width. "auto" is
        "mdl" with labels and "quantile" without them or with measurements.
    bins : int, default=5
        Intervals of "quantile" and "width", fewer where numbers repeat.

    Attributes
    ----------
    cuts_ : list of ndarray
        The cuts of every column, none for columns that stay as they are. An interval contains its upper end.

    Examples
    --------
    >>> from certus.graphical import Discretizer
    >>> X = {"size": [1.0, 2.0, 3.0, 10.0, 11.0, 12.0], "color": list("rgbrgb")}
    >>> print(Discretizer(method="width", bins=2).fit(X).intervals(X)["size"].to_list()[2:4])
    ['<= 6.5', '> 6.5']
    """

    _constraints = {"method": [OneOf("auto", *METHODS)], "bins": [Interval(2, None, integer=True)]}
    _state = ("cuts_", "kept_")

    def __init__(self, *, method: str = "auto", bins: int = 5) -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(self, X: TableLike, y: TargetLike | None = None, sample_weight: WeightsLike = None) -> Discretizer:
        """Choose the cuts.

        Parameters
        ----------
        X : array-like, data frame or dict of columns
            The numbers; NaN and None are missing.
        y : array-like of shape (n_samples,), default=None
            Labels, for "mdl".
        """
        read = self._read(X, reset=True)
        self.kept_ = [not are_numbers(column) for column in read.T]
        table, codes = self._numbers(read), None
        if y is not None:
            labels = check_target(self, y)
            if len(labels) != len(table):
                raise ValueError(f"y must have a label per row, got {len(labels)} for {len(table)} rows.")
            if self.method != "auto" or not type_of_target(labels).startswith("continuous"):
                check_classification_targets(labels)
                codes = np.unique(labels, return_inverse=True)[1]
        given = check_weights(self, sample_weight, table)
        weights = np.ones(len(table)) if given is None else given
        method = self.method if self.method != "auto" else ("mdl" if codes is not None else "quantile")
        self.cuts_ = [
            np.empty(0) if kept else cut_points(column, weights, method, self.bins, codes)
            for column, kept in zip(table.T, self.kept_, strict=True)
        ]
        self.report_ = Report()
        return self

    def _read(self, X: Any, *, reset: bool) -> NDArray[Any]:
        """The table as numbers if all of it is, else as objects."""
        table = pl.DataFrame(columns_of(X)) if type(X) is dict else X
        if (hasattr(table, "toarray") or np.asarray(table).dtype.kind in "biufc") or not hasattr(table, "columns"):
            return np.asarray(check_X(self, table, dtype=FLOATS, reset=reset, allow_nan=True))
        return np.asarray(check_X(self, table, dtype=object, reset=reset, check_finite=False))

    def _numbers(self, table: NDArray[Any]) -> NDArray[np.float64]:
        """The columns that are cut, and NaN in the others."""
        found = np.full(table.shape, np.nan)
        for place, kept in enumerate(self.kept_):
            if not kept:
                found[:, place] = [np.nan if cell is None else cell for cell in table[:, place]]
        if np.isinf(found).any():
            row, column = np.argwhere(np.isinf(found))[0]
            raise ValueError(f"X must hold finite numbers, got infinity in row {row}, column {column}.")
        return found

    def _codes(self, table: NDArray[Any]) -> NDArray[np.float64]:
        numbers = self._numbers(table)
        codes = np.column_stack(
            [
                np.searchsorted(cuts, column).astype(np.float64)
                for cuts, column in zip(self.cuts_, numbers.T, strict=True)
            ]
        )
        codes[np.isnan(numbers)] = np.nan
        return codes

    @predict_method
    def transform(self, X: TableLike) -> NDArray[Any]:
        """The numbers of the intervals.

        Parameters
        ----------
        X : array-like, data frame or dict of columns
            Columns as in ``fit``.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            Floats; objects if some columns stay as they are.
        """
        table = self._read(X, reset=False)
        codes = self._codes(table)
        if not any(self.kept_):
            return codes
        mixed = codes.astype(object)
        mixed[:, self.kept_] = table[:, self.kept_]
        return mixed

    @predict_method
    def intervals(self, X: TableLike) -> pl.DataFrame:
        """The intervals as texts, and the other columns as they are.

        Parameters
        ----------
        X : array-like, data frame or dict of columns
            Columns as in ``fit``.

        Returns
        -------
        polars.DataFrame
        """
        table = self._read(X, reset=False)
        codes = self._codes(table)
        names = getattr(self, "feature_names_in_", [f"x{place}" for place in range(self.n_features_in_)])
        found = []
        for place, name in enumerate(names):
            texts = interval_names(self.cuts_[place])
            cells = table[:, place].tolist()
            if not self.kept_[place]:
                cells = [None if np.isnan(code) else texts[int(code)] for code in codes[:, place]]
            found.append(pl.Series(str(name), cells, strict=False))
        return pl.DataFrame(found)

    def _restored(self) -> None:
        if hasattr(self, "cuts_") and not len(self.cuts_) == len(self.kept_) == self.n_features_in_:
            raise ValueError("cuts_ must hold the cuts of every column.")
        for cuts in getattr(self, "cuts_", ()):
            if not (isinstance(cuts, np.ndarray) and cuts.ndim == 1 and cuts.dtype == np.float64):
                raise ValueError("cuts_ must hold vectors of numbers.")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.target_tags.required = self.method == "mdl"
        return tags
