"""Evaluation: intervals and sets that can be trusted around any model, and pictures that show their guarantees."""

from certus.evaluation.conformal import (
    CrossConformalClassifier,
    CrossConformalRegressor,
    SplitConformalClassifier,
    SplitConformalRegressor,
)
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

__all__ = [
    "CalibrationDisplay",
    "ConfusionDisplay",
    "CrossConformalClassifier",
    "CrossConformalRegressor",
    "DendrogramDisplay",
    "Display",
    "ImportancesDisplay",
    "LearningCurveDisplay",
    "MarginsDisplay",
    "PrecisionRecallDisplay",
    "RaceDisplay",
    "ResidualsDisplay",
    "RocDisplay",
    "SplitConformalClassifier",
    "SplitConformalRegressor",
]
