"""Decision trees: exact or with random thresholds, greedy, for classes and numbers."""

from certus.trees.classifier import DecisionTreeClassifier
from certus.trees.extra_tree_classifier import ExtraTreeClassifier
from certus.trees.extra_tree_regressor import ExtraTreeRegressor
from certus.trees.regressor import DecisionTreeRegressor
from certus.trees.tree import Tree

__all__ = ["DecisionTreeClassifier", "DecisionTreeRegressor", "ExtraTreeClassifier", "ExtraTreeRegressor", "Tree"]
