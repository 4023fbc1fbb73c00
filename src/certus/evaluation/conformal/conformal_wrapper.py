"""What all conformal wrappers share: levels, groups, and the report."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin
from sklearn.utils.validation import check_is_fitted

from certus.base import TableLike, TargetLike, check_parameters
from certus.evaluation.conformal.any_rows import check_lengths, label_codes, numeric_target
from certus.guarantees import Calibration, GroupCalibration, calibrate, calibrate_groups
from certus.guarantees.holdout import RateSetting, rate_bound
from certus.guarantees.records import Report
from certus.guarantees.rows import Overlap, judged_report, watch_rows


class ConformalWrapper(MetaEstimatorMixin, BaseEstimator):
    """Base of the wrappers; derived classes have `confidence` among their parameters."""

    _constraints: dict[str, list[Any]] = {}

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
    """Base of the wrappers that calibrate on held-out rows, for all rows together or for each group."""

    calibration_: Calibration | GroupCalibration
    training_overlap_: Overlap | None = None  # set by `certus.conformal`, which compares the rows

    def _store_calibration(
        self, scores: NDArray[Any], groups: TargetLike | None, subject: str, group_word: str = "group"
    ) -> None:
        levels = {"confidence": self.confidence, "assurance": self.assurance, "subject": subject}
        if groups is None:
            self.calibration_ = calibrate(scores, **levels)
        else:
            self.calibration_ = calibrate_groups(scores, groups, group_word=group_word, **levels)

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
