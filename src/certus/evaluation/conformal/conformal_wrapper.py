"""What all conformal wrappers share: training, levels, groups, and the report."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.model_selection import train_test_split
from sklearn.utils.validation import check_is_fitted

from certus.base import (
    Constraints,
    InstanceOf,
    Interval,
    OneOf,
    StoresParameters,
    TableLike,
    TargetLike,
    check_parameters,
    complete_docstrings,
)
from certus.evaluation.conformal.any_rows import check_lengths, label_codes, numeric_target
from certus.evaluation.conformal.cross_folds import LEAVE_ONE_OUT, draw_folds, fit_without_folds, rows_of_fold
from certus.guarantees import Calibration, GroupCalibration, calibrate, calibrate_groups, cross_certificate, split_rank
from certus.guarantees.conformal import METHODS
from certus.guarantees.holdout import RateSetting, rate_bound
from certus.guarantees.records import Report
from certus.guarantees.rows import Overlap, judged_report, watch_rows


class ConformalWrapper(StoresParameters, MetaEstimatorMixin, BaseEstimator):
    """Base of the wrappers."""

    _constraints: ClassVar[Constraints] = {}
    _subject: ClassVar[str]  # what is promised to contain the truth: a set or an interval

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "__init__" in vars(cls):  # it is not another base
            complete_docstrings(cls)

    def _check_parameters(self) -> None:
        check_parameters(type(self).__name__, self._constraints, self.get_params(deep=False))

    def certify(
        self,
        X: TableLike,
        y: TargetLike,
        *,
        confidence: float = 0.95,
        allow_training_rows: bool = False,
        **options: Any,
    ) -> Report:
        """Bound the coverage from rows used neither for training nor for calibration.

        Parameters
        ----------
        X, y : array-like
            New rows and their true values or labels.
        confidence : float, default=0.95
            Probability with which the bound holds.
        allow_training_rows : bool, default=False
            Take rows that the model was trained on; the bound is then an estimate.
        **options
            `groups`, if the calibration used groups.

        Returns
        -------
        Report
            The certificates of the calibration together with the one of these rows.
        """
        check_lengths(X, y)
        with watch_rows() as watch:
            covered = self._covered(X, y, **options)
        overlap = watch.overlap(allow=allow_training_rows)
        setting = RateSetting(confidence=confidence, side="lower", quantity="coverage on new rows", noun="covered row")
        return self.report_.with_(judged_report([rate_bound(int(covered.sum()), len(covered), setting)], overlap))

    def _covered(self, X: TableLike, y: TargetLike, **options: Any) -> NDArray[np.bool_]:
        """Whether each row's true value is in its interval or set."""
        if hasattr(self, "predict_interval"):
            interval, truth = self.predict_interval(X, **options), numeric_target(y)
            return (interval[:, 0] <= truth) & (truth <= interval[:, 1])
        sets = self.predict_set(X, **options)
        return sets[np.arange(len(sets)), label_codes(y, self.classes_)]

    def __str__(self) -> str:
        report = getattr(self, "report_", None)
        return f"{self!r}\n{report.text()}" if report else repr(self)


class SplitWrapper(ConformalWrapper):
    """Base of the wrappers that calibrate on held-out rows, for all rows together or for each group.

    Parameters
    ----------
    confidence : float
        Coverage asked for, strictly between 0 and 1, read as the decimal that is written.
    assurance : float
        With None the coverage holds on average over calibration sets. With 0.95, say, it holds for this
        calibration set with that probability, at the price of wider intervals or larger sets.
    calibration_size : float
        Part of the rows that `fit` keeps for calibration.
    random_state : int, RandomState or None
        Decides the split of `fit`.

    Attributes
    ----------
    estimator_ : the fitted model.
    calibration_ : Calibration or GroupCalibration
        Threshold, rank k of n, delivered level and floor; with groups, one for each.
    report_ : Report
        The certificates.
    """

    _constraints = {"calibration_size": [Interval(0.0, 1.0, closed="neither")]}
    _bare: ClassVar[str]  # what the rows are when there is no model

    calibration_: Calibration | GroupCalibration
    training_overlap_: Overlap | None = None  # set by `certus.conformal`, which compares the rows

    def fit(self, X: TableLike, y: TargetLike, groups: TargetLike | None = None) -> Self:
        """Train a clone on one part of the rows and calibrate on the other.

        Parameters
        ----------
        X, y : array-like
            Rows, and their labels or target values.
        groups : array-like, default=None
            Group of every row; the promise then holds within each group.
        """
        self._check_parameters()
        check_lengths(X, y, groups)
        if self.estimator is None:
            raise ValueError(
                "estimator is None, so there is nothing to train.\n"
                f"Hint: call calibrate({self._bare}, y) instead of fit."
            )
        columns = [X, y] if groups is None else [X, y, groups]
        parts = train_test_split(*columns, test_size=self.calibration_size, random_state=self.random_state)
        X_train, X_cal, y_train, y_cal = parts[:4]
        self._train(X_train, y_train)
        return self._calibrate(X_cal, y_cal, parts[5] if groups is not None else None)

    def calibrate(self, X: TableLike, y: TargetLike, groups: TargetLike | None = None) -> Self:
        """Calibrate the model, taken as fitted, on rows that it has not seen; parameters as for `fit`."""
        self._check_parameters()
        check_lengths(X, y, groups)
        self._take_as_fitted()
        return self._calibrate(X, y, groups)

    def _train(self, X: TableLike, y: TargetLike) -> None:
        self.estimator_ = clone(self.estimator).fit(X, y)

    def _take_as_fitted(self) -> None:
        self.estimator_ = self.estimator

    def _calibrate(self, X: TableLike, y: TargetLike, groups: TargetLike | None) -> Self:
        raise NotImplementedError

    def _store_calibration(self, scores: NDArray[Any], groups: TargetLike | None, group_word: str = "group") -> Self:
        levels = {"confidence": self.confidence, "assurance": self.assurance, "subject": self._subject}
        if groups is None:
            self.calibration_ = calibrate(scores, **levels)
        else:
            self.calibration_ = calibrate_groups(scores, groups, group_word=group_word, **levels)
        return self

    @property
    def report_(self) -> Report:
        """The certificates of the calibration, written when first asked for."""
        return judged_report(self.calibration_.report, self.training_overlap_)

    def _thresholds(self, rows: int, groups: TargetLike | None) -> NDArray[np.float64]:
        """Threshold of every row to be predicted."""
        check_is_fitted(self, "calibration_")
        if isinstance(self.calibration_, Calibration):
            if groups is not None:
                raise ValueError(
                    "groups were given, but the calibration did not use groups.\n"
                    "Hint: pass groups to fit or calibrate as well."
                )
            return np.full(rows, self.calibration_.threshold)
        if groups is None:
            raise ValueError(
                "groups must be given for every row, because the calibration used groups.\n"
                "Hint: pass groups= with one label per row."
            )
        labels = np.asarray(groups)
        if labels.shape != (rows,):
            raise ValueError(
                f"groups must have one label for each of the {rows} rows, got shape {labels.shape}.\n"
                "Hint: pass the group column of the rows to be predicted."
            )
        return self.calibration_.thresholds(labels)


class CrossWrapper(ConformalWrapper):
    """Base of the wrappers whose models are each trained without one fold.

    Parameters
    ----------
    confidence : float
        The nominal coverage.
    method : {"plus", "minmax"}
        How the folds are combined.
    cv : int or "leave-one-out"
        Number of folds; "leave-one-out" gives jackknife+ and jackknife-minmax.
    n_jobs : int or None
        Folds trained at a time (joblib).
    random_state : int, RandomState or None
        Draws the folds.

    Attributes
    ----------
    estimator_ : the model trained on all rows.
    estimators_ : list, one model per fold.
    rank_ : int, the rank k.
    report_ : Report with the proven level.
    """

    _constraints = {
        "method": [OneOf(*METHODS)],
        "cv": [Interval(2, None, closed="left", integer=True), OneOf(LEAVE_ONE_OUT)],
        "estimator": [InstanceOf(object)],
    }

    def fit(self, X: TableLike, y: TargetLike) -> Self:
        """Train one model without each fold, and one on all rows.

        Parameters
        ----------
        X, y : array-like
            Rows, and their labels or target values.
        """
        self._check_parameters()
        check_lengths(X, y)
        target = self._read_target(y)
        self.rank_ = split_rank(len(target), self.confidence)
        self.fold_of_row_ = draw_folds(len(target), self.cv, self.random_state)
        self.estimators_ = fit_without_folds(self.estimator, X, target, self.fold_of_row_, self.n_jobs)
        scores = np.empty(len(target))
        for fold, model in enumerate(self.estimators_):
            positions, rows = rows_of_fold(X, self.fold_of_row_, fold)
            scores[positions] = self._scores_of(model, rows, target[positions])
        self._keep(scores)
        self.estimator_ = clone(self.estimator).fit(X, target)
        sizes = np.bincount(self.fold_of_row_).tolist()
        levels = {"confidence": self.confidence, "method": self.method, "subject": self._subject}
        self.report_ = Report([cross_certificate(sizes, **levels)])
        return self

    def _read_target(self, y: TargetLike) -> NDArray[Any]:
        raise NotImplementedError

    def _scores_of(self, model: Any, X: TableLike, target: NDArray[Any]) -> NDArray[np.float64]:
        """How badly the model fits the true values of rows that it did not see."""
        raise NotImplementedError

    def _keep(self, scores: NDArray[np.float64]) -> None:
        raise NotImplementedError

    def predict(self, X: TableLike) -> NDArray[Any]:
        """Prediction of the model that was trained on all rows."""
        check_is_fitted(self, "report_")
        return np.asarray(self.estimator_.predict(X))
