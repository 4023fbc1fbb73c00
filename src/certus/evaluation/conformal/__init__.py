"""Conformal prediction around any model with ``fit`` and ``predict``, or around bare predictions."""

from certus.evaluation.conformal.cross_classifier import CrossConformalClassifier
from certus.evaluation.conformal.cross_regressor import CrossConformalRegressor
from certus.evaluation.conformal.split_classifier import SplitConformalClassifier
from certus.evaluation.conformal.split_regressor import SplitConformalRegressor

__all__ = [
    "CrossConformalClassifier",
    "CrossConformalRegressor",
    "SplitConformalClassifier",
    "SplitConformalRegressor",
]
