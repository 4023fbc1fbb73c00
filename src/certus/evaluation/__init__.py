"""Evaluation: intervals and sets that can be trusted around any model, and pictures that show their guarantees."""

from certus.evaluation.chain_diagnostics import ess, mcse, rhat
from certus.evaluation.column_tree import RANK_DISTANCE, merge_columns
from certus.evaluation.conformal import (
    CrossConformalClassifier,
    CrossConformalRegressor,
    SplitConformalClassifier,
    SplitConformalRegressor,
)
from certus.evaluation.conformal.cross_folds import LEAVE_ONE_OUT
from certus.evaluation.displays import (
    CalibrationDisplay,
    ComponentsDisplay,
    ConfusionDisplay,
    DendrogramDisplay,
    DensityDisplay,
    Display,
    EMDisplay,
    GradientFlowDisplay,
    ImportancesDisplay,
    LearningCurveDisplay,
    LossCurveDisplay,
    MarginsDisplay,
    NetworkDisplay,
    PrecisionRecallDisplay,
    RaceDisplay,
    RegionsDisplay,
    ResidualsDisplay,
    RocDisplay,
    RowMapDisplay,
    SilhouetteDisplay,
)
from certus.evaluation.response import gives_probabilities, label_response
from certus.evaluation.silhouette_intervals import silhouette_bound
from certus.evaluation.silhouettes import silhouette_samples, silhouette_score
from certus.guarantees.holdout import class_response

__all__ = [
    "CalibrationDisplay",
    "ComponentsDisplay",
    "ConfusionDisplay",
    "CrossConformalClassifier",
    "CrossConformalRegressor",
    "DendrogramDisplay",
    "DensityDisplay",
    "Display",
    "EMDisplay",
    "GradientFlowDisplay",
    "ImportancesDisplay",
    "LEAVE_ONE_OUT",
    "LearningCurveDisplay",
    "LossCurveDisplay",
    "MarginsDisplay",
    "NetworkDisplay",
    "PrecisionRecallDisplay",
    "RANK_DISTANCE",
    "RaceDisplay",
    "RegionsDisplay",
    "ResidualsDisplay",
    "RocDisplay",
    "RowMapDisplay",
    "SilhouetteDisplay",
    "SplitConformalClassifier",
    "SplitConformalRegressor",
    "class_response",
    "ess",
    "gives_probabilities",
    "label_response",
    "mcse",
    "merge_columns",
    "rhat",
    "silhouette_bound",
    "silhouette_samples",
    "silhouette_score",
]


def __dir__() -> list[str]:
    return __all__
