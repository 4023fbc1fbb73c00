"""Ensembles: forests, bagging and boosting."""

from certus.ensemble.boosted_trees import BoostedTrees
from certus.ensemble.hist_gradient_boosting_classifier import HistGradientBoostingClassifier
from certus.ensemble.hist_gradient_boosting_regressor import HistGradientBoostingRegressor

__all__ = ["BoostedTrees", "HistGradientBoostingClassifier", "HistGradientBoostingRegressor"]
