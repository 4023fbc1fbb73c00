"""Conformal prediction around any model with ``fit`` and ``predict``, or around bare predictions."""

from certus.evaluation.conformal.cross_conformal_classifier import CrossConformalClassifier
from certus.evaluation.conformal.cross_conformal_regressor import CrossConformalRegressor
from certus.evaluation.conformal.interval_scores import INTERVAL_SCORES
from certus.evaluation.conformal.split_conformal_classifier import SplitConformalClassifier
from certus.evaluation.conformal.split_conformal_regressor import SplitConformalRegressor

__all__ = [
    "CrossConformalClassifier",
    "CrossConformalRegressor",
    "INTERVAL_SCORES",
    "SplitConformalClassifier",
    "SplitConformalRegressor",
]
