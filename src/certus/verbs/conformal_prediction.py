"""The verb `conformal`: prediction intervals and sets around any model, with what they promise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import is_classifier

from certus.base import TableLike, TargetLike
from certus.base.blocks import answered, in_blocks
from certus.evaluation import (
    LEAVE_ONE_OUT,
    CrossConformalClassifier,
    CrossConformalRegressor,
    SplitConformalClassifier,
    SplitConformalRegressor,
)
from certus.guarantees.holdout import Predictor
from certus.guarantees.rows import watch_rows

_SPLIT_REGRESSION = ("absolute", "normalized", "quantile")
_SPLIT_CLASSIFICATION = ("lac", "aps")
# name -> (how folds are combined, one row per fold?)
_CROSS = {"cv+": ("plus", False), "jackknife+": ("plus", True), "jackknife-minmax": ("minmax", True)}
_METHODS = ("auto", *_SPLIT_REGRESSION, *_SPLIT_CLASSIFICATION, *_CROSS)


def conformal(
    model: Predictor | tuple[Predictor, Predictor] | None = None,
    X_cal: TableLike | None = None,
    y_cal: TargetLike | None = None,
    *,
    y_pred: TargetLike | None = None,
    confidence: float = 0.9,
    groups: TargetLike | None = None,
    method: str = "auto",
    assurance: float | None = None,
    per_class: bool = False,
    scale: Predictor | Callable[..., ArrayLike] | None = None,
    classes: TargetLike | None = None,
    cv: int = 10,
    random_state: int | np.random.RandomState | None = None,
    allow_training_rows: bool = False,
) -> Any:
    """Give any model prediction intervals (regression) or sets of labels (classification) that hold.

    Parameters
    ----------
    model : fitted regressor or classifier, or pair of regressors
        Trained on other rows than these. A pair (lower, upper) belongs to ``method="quantile"``. For "cv+",
        "jackknife+" and "jackknife-minmax" clones are trained on these rows instead.
    X_cal, y_cal : array-like
        Calibration rows and their true values or labels.
    y_pred : array-like, optional
        Predictions of the calibration rows in place of `model` and `X_cal`: one column; two for "normalized"
        (prediction, scale) and "quantile" (lower, upper); with `classes`, one probability per class. Later
        predictions are then passed to `predict_interval` or `predict_set` in the same form.
    confidence : float, default=0.9
        Coverage asked for, read as the decimal that is written.
    groups : array-like, optional
        Group of every row: the promise then holds within each group.
    method : str, default="auto"
        Regression: "absolute" (auto), "normalized", "quantile". Classification: "lac" (auto), "aps". Both,
        without setting rows aside: "cv+", "jackknife+", "jackknife-minmax".
    assurance : float, optional
        Ask that the coverage hold for this calibration set with this probability, not only on average.
    per_class : bool, default=False
        Classification: calibrate every class by itself.
    scale : fitted regressor or callable, optional
        For "normalized": the predicted size of the error.
    classes : array-like, optional
        For `y_pred` of a classifier: the labels of its columns.
    cv : int, default=10
        Folds of "cv+".
    random_state : int, RandomState or None, default=None
        Draws the folds.
    allow_training_rows : bool, default=False
        Take rows that the model was trained on; the certificates are then of the kind "estimate".

    Returns
    -------
    SplitConformalRegressor, SplitConformalClassifier, CrossConformalRegressor or CrossConformalClassifier
        With `predict_interval` or `predict_set`, and `report_`.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.verbs.conformal_prediction import conformal
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.normal(size=100)
    >>> wrapped = conformal(y_pred=np.zeros(100), y_cal=truth)
    >>> wrapped.report_["coverage"].value >= 0.9
    True
    >>> wrapped.predict_interval(np.zeros(1)).round(1)
    array([[-1.6,  1.6]])
    """
    if method not in _METHODS:
        raise ValueError(
            f"method must be one of {', '.join(map(repr, _METHODS))}, got {method!r}.\n"
            "Hint: 'auto' takes the simplest for the task."
        )
    rows, truth = _inputs(model, X_cal, y_cal, y_pred)
    levels: dict[str, Any] = {"confidence": confidence, "assurance": assurance}
    classification = method in _SPLIT_CLASSIFICATION or is_classification(model, classes)
    if method in _CROSS:
        _refuse_for_cross(method, groups=groups, assurance=assurance, y_pred=y_pred, per_class=per_class or None)
        combine, one_row = _CROSS[method]
        wrapper = CrossConformalClassifier if classification else CrossConformalRegressor
        folds = LEAVE_ONE_OUT if one_row else cv
        crossed = wrapper(model, confidence=confidence, method=combine, cv=folds, random_state=random_state)
        return crossed.fit(rows, truth)
    if classification:
        score = "lac" if method == "auto" else method
        sets = SplitConformalClassifier(model, score=score, per_class=per_class, classes=classes, **levels)
        return _calibrated(sets, rows, truth, groups, allow_training_rows)
    if per_class:
        raise ValueError("per_class=True needs a classifier.\nHint: for regression pass groups instead.")
    score = "absolute" if method == "auto" else method
    intervals = SplitConformalRegressor(model, score=score, scale=scale, **levels)
    return _calibrated(intervals, rows, truth, groups, allow_training_rows)


def _calibrated(wrapper: Any, rows: TableLike, truth: TargetLike, groups: TargetLike | None, allow: bool) -> Any:
    """The wrapper, calibrated on rows that its model was not trained on."""
    model = wrapper.estimator
    if in_blocks(rows) or in_blocks(truth):
        if not hasattr(model, "predict") or groups is not None or getattr(wrapper, "scale", None) is not None:
            raise ValueError(
                "Rows in blocks calibrate one model, without groups and scale.\n"
                "Hint: pass predictions (y_pred) and the truth as arrays, or the rows as one table."
            )
        wrapper.estimator, rows, truth = answered(model, rows, truth, responses=True)
    with watch_rows() as watch:
        wrapper.calibrate(rows, truth, groups)
    if wrapper.estimator is not model:
        wrapper.estimator = wrapper.estimator_ = model
    wrapper.training_overlap_ = watch.overlap(allow=allow)
    return wrapper


def is_classification(model: object, classes: object) -> bool:
    """Whether labels are predicted: classes were named, or the model says that it is a classifier."""
    if classes is not None:
        return True
    if model is None or isinstance(model, (tuple, list)):
        return False
    return hasattr(model, "predict_proba") or (hasattr(model, "__sklearn_tags__") and is_classifier(model))


def _inputs(
    model: object, X_cal: TableLike | None, y_cal: TargetLike | None, y_pred: TargetLike | None
) -> tuple[TableLike, TargetLike]:
    """What is calibrated on: rows of a model, or predictions; and the truth."""
    if (model is None) == (y_pred is None):
        raise ValueError(
            "exactly one of model and y_pred must be given.\n"
            "Hint: conformal(model, X_cal, y_cal) or conformal(y_pred=predictions, y_cal=truth)."
        )
    rows = X_cal if y_pred is None else np.asarray(y_pred)
    if y_cal is None or rows is None:
        name = "y_cal" if y_cal is None else "X_cal"
        raise ValueError(f"{name} must be given, got None.\nHint: pass the calibration rows and their truth.")
    return rows, y_cal


def _refuse_for_cross(method: str, **options: object) -> None:
    for name, value in options.items():
        if value is not None:
            raise ValueError(
                f"{name} cannot be used with method={method!r}.\n"
                "Hint: its theorem is about all rows on average; use a split method with held-out rows."
            )
