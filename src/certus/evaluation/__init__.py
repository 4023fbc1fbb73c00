"""Evaluation: wrappers that turn any model into one with prediction intervals or sets that can be trusted."""

from certus.evaluation.conformal import (
    CrossConformalClassifier,
    CrossConformalRegressor,
    SplitConformalClassifier,
    SplitConformalRegressor,
)

__all__ = [
    "CrossConformalClassifier",
    "CrossConformalRegressor",
    "SplitConformalClassifier",
    "SplitConformalRegressor",
]
