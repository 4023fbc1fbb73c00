"""Evaluation: intervals and sets that can be trusted around any model, and pictures that show their guarantees."""

from certus.evaluation.conformal import (
    CrossConformalClassifier,
    CrossConformalRegressor,
    SplitConformalClassifier,
    SplitConformalRegressor,
)
from certus.evaluation.conformal.class_response import class_response
from certus.evaluation.conformal.cross_folds import LEAVE_ONE_OUT
from certus.evaluation.displays import (
    CalibrationDisplay,
    ConfusionDisplay,
    DendrogramDisplay,
    Display,
    ImportancesDisplay,
    LearningCurveDisplay,
    MarginsDisplay,
    PrecisionRecallDisplay,
    RaceDisplay,
    ResidualsDisplay,
    RocDisplay,
)
from certus.evaluation.displays.dendrogram_display import RANK_DISTANCE

__all__ = [
    "CalibrationDisplay",
    "ConfusionDisplay",
    "CrossConformalClassifier",
    "CrossConformalRegressor",
    "DendrogramDisplay",
    "Display",
    "ImportancesDisplay",
    "LEAVE_ONE_OUT",
    "LearningCurveDisplay",
    "MarginsDisplay",
    "PrecisionRecallDisplay",
    "RANK_DISTANCE",
    "RaceDisplay",
    "ResidualsDisplay",
    "RocDisplay",
    "SplitConformalClassifier",
    "SplitConformalRegressor",
    "class_response",
]


def __dir__() -> list[str]:
    return __all__
