"""Decision trees: exact, greedy, for classes and numbers."""

from certus.trees.classifier import DecisionTreeClassifier
from certus.trees.regressor import DecisionTreeRegressor
from certus.trees.tree import Tree

__all__ = ["DecisionTreeClassifier", "DecisionTreeRegressor", "Tree"]
