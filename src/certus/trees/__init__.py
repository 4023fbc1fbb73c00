"""Decision trees: exact or with random thresholds, greedy, for classes and numbers."""

from certus.trees.decision_tree_classifier import DecisionTreeClassifier
from certus.trees.decision_tree_regressor import DecisionTreeRegressor
from certus.trees.extra_tree_classifier import ExtraTreeClassifier
from certus.trees.extra_tree_regressor import ExtraTreeRegressor
from certus.trees.tree import Tree

__all__ = ["DecisionTreeClassifier", "DecisionTreeRegressor", "ExtraTreeClassifier", "ExtraTreeRegressor", "Tree"]


def __dir__() -> list[str]:
    return __all__
