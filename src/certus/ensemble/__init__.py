"""Ensembles: forests, bagging and boosting."""

from certus.ensemble.ada_boost_classifier import AdaBoostClassifier
from certus.ensemble.ada_boost_regressor import AdaBoostRegressor
from certus.ensemble.bagging_classifier import BaggingClassifier
from certus.ensemble.bagging_regressor import BaggingRegressor
from certus.ensemble.boosted_trees import BoostedTrees
from certus.ensemble.constant_start import ConstantStart
from certus.ensemble.extra_trees_classifier import ExtraTreesClassifier
from certus.ensemble.extra_trees_regressor import ExtraTreesRegressor
from certus.ensemble.gradient_boosting_classifier import GradientBoostingClassifier
from certus.ensemble.gradient_boosting_regressor import GradientBoostingRegressor
from certus.ensemble.hist_gradient_boosting_classifier import HistGradientBoostingClassifier
from certus.ensemble.hist_gradient_boosting_regressor import HistGradientBoostingRegressor
from certus.ensemble.packed_forest import PackedForest
from certus.ensemble.random_forest_classifier import RandomForestClassifier
from certus.ensemble.random_forest_regressor import RandomForestRegressor

__all__ = [
    "AdaBoostClassifier",
    "AdaBoostRegressor",
    "BaggingClassifier",
    "BaggingRegressor",
    "BoostedTrees",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "ConstantStart",
    "GradientBoostingClassifier",
    "GradientBoostingRegressor",
    "HistGradientBoostingClassifier",
    "HistGradientBoostingRegressor",
    "PackedForest",
    "RandomForestClassifier",
    "RandomForestRegressor",
]


def __dir__() -> list[str]:
    return __all__
