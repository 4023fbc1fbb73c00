"""Naive Bayes with a density of its own for every column."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets

from certus.base import fit_method, predict_method, register
from certus.base.inputs import (
    FLOATS,
    TableLike,
    TargetLike,
    WeightsLike,
    are_numbers,
    check_target,
    check_weights,
    check_X,
    require_target,
)
from certus.base.params import ArrayLike, Exactly, InstanceOf, Interval
from certus.base.persistence import check_shapes
from certus.bayes.columns.category_column import CategoryColumn
from certus.bayes.columns.column_density import ColumnDensity
from certus.bayes.columns.number_columns import (
    BernoulliColumn,
    ExponentialColumn,
    GaussianColumn,
    KernelColumn,
    PoissonColumn,
)
from certus.bayes.counting.joint_classifier import JointClassifier, check_class_prior
from certus.guarantees import Report

KINDS: dict[str, type[ColumnDensity]] = {
    "gaussian": GaussianColumn,
    "categorical": CategoryColumn,
    "bernoulli": BernoulliColumn,
    "poisson": PoissonColumn,
    "exponential": ExponentialColumn,
    "kde": KernelColumn,
}


@register(guarantees=("held-out error bound",), cost="fit O(n p), predict O(n p k) for k classes")
class MixedNB(JointClassifier):
    """Naive Bayes classifier for tables of numbers, counts and words, with missing cells.

    Predicts argmax_c log P(c) + sum over the cells that are there of log P(x_j | c), with a density per column and
    class. A missing cell (NaN or None) is marginalized, exactly as in the network y -> x_1, …, x_p: it is left out of
    the sum, in training and in prediction. A category that training did not see is taken as missing.

    Parameters
    ----------
    columns : "auto", list of str or dict, default="auto"
        Kind of every column: "gaussian", "categorical", "bernoulli", "poisson", "exponential" or "kde"; a dict gives
        that of some columns, by name or position. "auto" takes numbers as gaussian and all else as categorical.
    alpha : float, default=1.0
        Imaginary rows: added to every count of a category, and rows with the mean of all classes for rates.
    var_smoothing : float, default=1e-9
        This share of a column's variance is added to its variance in every class.
    class_prior : array-like of shape (n_classes,), default=None
        Class probabilities; by default the share of each class (by weight) among the training rows.

    Attributes
    ----------
    kinds_ : list of str
        Kind of every column.
    columns_ : list
        The densities of the columns.
    class_count_ : ndarray of shape (n_classes,)
        Total weight of the rows of each class.
    report_ : Report
        Empty: the training rows alone bound nothing about a naive Bayes model. Use `certify`.

    Examples
    --------
    >>> from certus.bayes import MixedNB
    >>> X = [[1.6, "brown", 3], [1.9, "black", 0], [None, "black", 1], [1.7, "brown", 4]]
    >>> model = MixedNB(columns={2: "poisson"}).fit(X, ["a", "b", "b", "a"])
    >>> print(model.predict([[None, "red", 5]]))
    ['a']
    """

    _constraints = {
        "columns": [Exactly("auto"), ArrayLike(), InstanceOf(dict)],
        "alpha": [Interval(0, None)],
        "var_smoothing": [Interval(0, None)],
        "class_prior": [ArrayLike(), Exactly(None)],
    }
    _state = ("classes_", "class_count_", "kinds_", "columns_")

    def __init__(
        self, *, columns: Any = "auto", alpha: float = 1.0, var_smoothing: float = 1e-9, class_prior: Any = None
    ) -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(self, X: TableLike, y: TargetLike, sample_weight: WeightsLike = None) -> MixedNB:
        """Estimate the densities from the rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training rows; cells may be missing.
        """
        require_target(self, y)
        return self._start(self._read(X, reset=True))._add(X, y, sample_weight)

    @fit_method
    def partial_fit(
        self, X: TableLike, y: TargetLike, classes: Any = None, sample_weight: WeightsLike = None
    ) -> MixedNB:
        """Add a batch of rows, which may have new categories and new classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows of this batch; cells may be missing.
        """
        require_target(self, y)
        if not hasattr(self, "classes_"):
            self._start(self._read(X, reset=True))
        if classes is not None:
            self._know(np.unique(classes))
        return self._add(X, y, sample_weight)

    def _read(self, X: TableLike, *, reset: bool = False) -> NDArray[Any]:
        """The table as numbers if all of it is, else as objects."""
        if (not hasattr(X, "columns") and np.asarray(X).dtype.kind in "biufc") or _all_numbers(X):
            return np.asarray(check_X(self, X, dtype=FLOATS, reset=reset, allow_nan=True))
        return np.asarray(check_X(self, X, dtype=object, reset=reset, check_finite=False))

    def _start(self, table: NDArray[Any]) -> MixedNB:
        self.kinds_ = self._kinds(table)
        self.columns_ = [KINDS[kind]() for kind in self.kinds_]
        for column in self.columns_:
            column.start(0)
        self.classes_, self.class_count_ = np.array([]), np.zeros(0)
        return self

    def _kinds(self, table: NDArray[Any]) -> list[str]:
        """The kind of every column, given or guessed from its cells."""
        given = self.columns
        if isinstance(given, str | Mapping):
            kinds = ["gaussian" if are_numbers(table[:, j]) else "categorical" for j in range(table.shape[1])]
            for key, kind in {} if isinstance(given, str) else given.items():
                kinds[self._place(key)] = kind
        else:
            kinds = list(given)
        if len(kinds) != table.shape[1]:
            raise ValueError(f"columns must name {table.shape[1]} kinds, one per column, got {len(kinds)}.")
        for kind in kinds:
            if kind not in KINDS:
                raise ValueError(f"columns must hold kinds among {', '.join(KINDS)}, got {kind!r}.")
        return kinds

    def _place(self, key: Any) -> int:
        names = list(getattr(self, "feature_names_in_", []))
        if key in names:
            return names.index(key)
        if isinstance(key, int | np.integer) and 0 <= key < self.n_features_in_:
            return int(key)
        raise ValueError(f"columns must name columns of X by name or position, got {key!r}.")

    def _know(self, labels: NDArray[Any]) -> None:
        """Make room for classes that are new."""
        together = np.union1d(self.classes_, labels) if len(self.classes_) else labels
        if len(together) == len(self.classes_):
            return
        places = np.searchsorted(together, self.classes_).astype(np.intp)
        for column in self.columns_:
            column.spread(places, len(together))
        count = np.zeros(len(together))
        count[places] = self.class_count_
        self.classes_, self.class_count_ = together, count

    def _add(self, X: TableLike, y: TargetLike, sample_weight: WeightsLike) -> MixedNB:
        table, labels = self._read(X), check_target(self, y)
        check_classification_targets(labels)
        if len(labels) != len(table):
            raise ValueError(
                f"Found input variables with inconsistent numbers of samples: {len(table)}, {len(labels)}."
            )
        given = check_weights(self, sample_weight, table)
        weights = np.ones(len(table)) if given is None else given
        self._know(np.unique(labels))
        codes = np.searchsorted(self.classes_, labels).astype(np.int64)
        for j, column in enumerate(self.columns_):
            values, present = column.read(table[:, j], self._name(j))
            present &= weights > 0
            column.add(values[present], codes[present], weights[present])
        self.class_count_ = self.class_count_ + np.bincount(codes, weights=weights, minlength=len(self.classes_))
        self._log_prior()  # refuses a prior of wrong length now rather than at the first prediction
        self.report_ = Report()
        return self

    def _name(self, column: int) -> str:
        return str(self.feature_names_in_[column]) if hasattr(self, "feature_names_in_") else str(column)

    def _log_prior(self) -> NDArray[np.float64]:
        prior = self.class_count_ / self.class_count_.sum()
        if self.class_prior is not None:
            prior = np.asarray(self.class_prior, dtype=np.float64)
            if prior.shape != self.classes_.shape:
                raise ValueError(f"class_prior must hold {len(self.classes_)} probabilities, got {self.class_prior!r}.")
            check_class_prior(prior)
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(prior))

    def _restored(self) -> None:
        if hasattr(self, "classes_") and not (
            len(self.columns_) == len(self.kinds_) == self.n_features_in_
            and all(type(column) is KINDS.get(kind) for column, kind in zip(self.columns_, self.kinds_, strict=True))
        ):
            raise ValueError("kinds_ and columns_ do not fit together.")
        if hasattr(self, "classes_"):
            check_shapes(self, class_count_=(len(self.classes_),))
            for column in self.columns_:
                column.check(len(self.classes_))

    @predict_method
    def predict_joint_log_proba(self, X: TableLike) -> NDArray[Any]:
        """``log P(c) + log P(cells that are there | c)`` for every row and class, in the order of ``classes_``."""
        table = self._read(X)
        joint = np.tile(self._log_prior(), (len(table), 1))
        for j, column in enumerate(self.columns_):
            values, present = column.read(table[:, j], self._name(j))
            if present.any():
                joint[present] += column.log_density(values[present], self.alpha, self.var_smoothing)
        return joint

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags


def _all_numbers(X: Any) -> bool:
    """Whether a data frame has columns of numbers only."""
    return hasattr(X, "columns") and np.asarray(X).dtype.kind in "biuf"
