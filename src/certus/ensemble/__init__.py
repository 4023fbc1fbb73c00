"""Ensembles: forests, bagging and boosting."""

from certus.ensemble.ada_boost_classifier import AdaBoostClassifier
from certus.ensemble.ada_boost_regressor import AdaBoostRegressor
from certus.ensemble.boosted_trees import BoostedTrees
from certus.ensemble.extra_trees_classifier import ExtraTreesClassifier
from certus.ensemble.extra_trees_regressor import ExtraTreesRegressor
from certus.ensemble.hist_gradient_boosting_classifier import HistGradientBoostingClassifier
from certus.ensemble.hist_gradient_boosting_regressor import HistGradientBoostingRegressor
from certus.ensemble.packed_forest import PackedForest
from certus.ensemble.random_forest_classifier import RandomForestClassifier
from certus.ensemble.random_forest_regressor import RandomForestRegressor

__all__ = [
    "AdaBoostClassifier",
    "AdaBoostRegressor",
    "BoostedTrees",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "HistGradientBoostingClassifier",
    "HistGradientBoostingRegressor",
    "PackedForest",
    "RandomForestClassifier",
    "RandomForestRegressor",
]
