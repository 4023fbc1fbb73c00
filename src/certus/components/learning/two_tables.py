"""The base of learners of two tables: centering, scaling, weights, and what follows from pairs of directions."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, MultiOutputMixin
from sklearn.utils import Tags, check_array

from certus.base import Transformer, fit_method
from certus.base.inputs import TableLike, TargetLike, WeightsLike, check_weights, check_X, check_Xy
from certus.base.params import Boolean, Interval
from certus.base.persistence import check_shapes
from certus.components.learning.component_learner import LARGEST
from certus.guarantees import Report

Floats = NDArray[np.float64]


class Frame(NamedTuple):
    """What was taken from a table before its directions were sought."""

    mean: Floats
    scale: Floats

    def into(self, rows: Any) -> Floats:
        """Rows, centered and scaled."""
        return np.asarray((rows - self.mean) / self.scale)

    def back(self, rows: Any) -> Floats:
        """Rows as they were before."""
        return np.asarray(rows * self.scale + self.mean)


class TwoTables(ClassNamePrefixFeaturesOutMixin, MultiOutputMixin, Transformer):
    """What learners of two tables share.

    Parameters
    ----------
    n_components : int, default=2
        Number of pairs of directions.
    scale : bool, default=True
        Whether columns are divided by their standard deviations.
    copy : bool, default=True
        Accepted for compatibility: the tables are never changed.

    Attributes
    ----------
    x_weights_, y_weights_ : ndarray of shape (n_features, n_components), (n_targets, n_components)
        Directions, for what earlier ones left of the tables.
    explained_variance_ratio_x_, explained_variance_ratio_y_ : ndarray of shape (n_components,)
        The share of the variance of each table that the scores explain, each beyond those before it.
    """

    _constraints: ClassVar[Any] = {
        "n_components": [Interval(1, None, integer=True)],
        "scale": [Boolean()],
        "copy": [Boolean()],
    }
    _state: ClassVar[tuple[str, ...]] = (
        "x_weights_",
        "y_weights_",
        "explained_variance_ratio_x_",
        "explained_variance_ratio_y_",
        "_x_frame",
        "_y_frame",
        "_one_target",
    )
    _arguments: ClassVar[dict[str, str]] = {
        "fit": """
y : array-like of shape (n_samples,) or (n_samples, n_targets)
    The second table.
"""
    }

    n_components: int
    scale: bool
    x_weights_: Floats
    y_weights_: Floats
    _x_frame: tuple[Floats, Floats]
    _y_frame: tuple[Floats, Floats]
    _one_target: bool

    @abstractmethod
    def _find(self, X: Floats, Y: Floats, total: float) -> None:
        """Set the directions of tables that are centered, scaled and weighted, ``total`` in all; may overwrite them."""

    @abstractmethod
    def _most(self, rows: int, width: int, targets: int) -> int:
        """The largest possible number of pairs."""

    @fit_method
    def fit(self, X: TableLike, y: TargetLike, sample_weight: WeightsLike = None) -> Self:
        """Find the directions."""
        table, target = check_Xy(
            self, X, y, multi_output=True, y_numeric=True, dtype=np.float64, min_rows=2, largest=LARGEST
        )
        given = check_weights(self, sample_weight, table)
        weights = np.ones(len(table)) if given is None else given
        kept = weights > 0.0
        rows, weights = (table, weights) if kept.all() else (table[kept], weights[kept])
        self._one_target = target.ndim == 1
        others = np.asarray(target, dtype=np.float64).reshape(len(target), -1)[kept]
        most = self._most(len(rows), rows.shape[1], others.shape[1])
        if self.n_components > most:
            raise ValueError(
                f"`n_components` upper bound is {most}. Got {self.n_components} instead. Reduce `n_components`."
            )
        roots = None if given is None else np.sqrt(weights)
        (left, x_frame), (right, y_frame) = (_framed(part, weights, roots, self.scale) for part in (rows, others))
        self._x_frame, self._y_frame = (x_frame.mean, x_frame.scale), (y_frame.mean, y_frame.scale)
        self._find(left, right, float(weights.sum()))
        self.report_ = Report([])
        return self

    @fit_method
    def fit_transform(self, X: TableLike, y: TargetLike, sample_weight: WeightsLike = None) -> Any:
        """Find the directions, and give the scores of both tables.

        Parameters
        ----------
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            The second table.

        Returns
        -------
        tuple of two ndarrays of shape (n_samples, n_components)
        """
        return self.fit(X, y, sample_weight=sample_weight).transform(X, y)

    def _rows(self, X: TableLike) -> Floats:
        return Frame(*self._x_frame).into(check_X(self, X, dtype=np.float64, largest=LARGEST))

    def _targets(self, y: TargetLike) -> Floats:
        given = check_array(y, input_name="y", ensure_2d=False, dtype=np.float64)
        given = given.reshape(len(given), -1)
        if given.shape[1] != len(self.y_weights_):
            raise ValueError(f"y must have {len(self.y_weights_)} columns, as in fit, got {given.shape[1]}.")
        return Frame(*self._y_frame).into(given)

    def _scores(self, X: TableLike, y: TargetLike | None, left: Floats, right: Floats) -> Any:
        found = self._rows(X) @ left
        return found if y is None else (found, self._targets(y) @ right)

    @property
    def _n_features_out(self) -> int:
        return self.x_weights_.shape[1]

    def _restored(self) -> None:
        if "x_weights_" not in vars(self):
            return
        width, targets, count = self.n_features_in_, len(self.y_weights_), self.n_components
        check_shapes(self, x_weights_=(width, count), y_weights_=(targets, count))
        for frame, size in ((self._x_frame, width), (self._y_frame, targets)):
            if len(frame) != 2 or any(part.shape != (size,) for part in frame) or not (frame[1] > 0.0).all():
                raise ValueError("means and scales do not belong to the tables.")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def _framed(table: Floats, weights: Floats, roots: Floats | None, scale: bool) -> tuple[Floats, Frame]:
    total = float(weights.sum())
    mean = weights @ table / total
    mean = mean + weights @ (table - mean) / total  # once more from near by, where less is lost
    centered = np.ascontiguousarray(table - mean)
    centered -= weights @ centered / total  # what rounding of the mean left
    deviations = np.ones(table.shape[1])
    if scale:
        deviations = np.sqrt(weights @ centered**2 / max(total - 1.0, 1.0))
        # A constant column has no more than the rounding of its mean left.
        deviations[deviations <= 1e-15 * np.abs(mean)] = 1.0
        deviations[deviations == 0.0] = 1.0
        centered /= deviations
    if roots is not None:
        centered *= roots[:, None]
    return centered, Frame(mean, deviations)
