"""Growing trees: tables, categories, and what the tree learners share."""

from certus.trees.growing.category_codes import Categories, categorical_mask, encode, learn_categories
from certus.trees.growing.category_sets import CategorySets, compact_arrays
from certus.trees.growing.coded_table import as_float32, coded_table
from certus.trees.growing.decision_tree import DecisionTree
from certus.trees.growing.growth_options import growth_of
from certus.trees.growing.growth_parameters import GrowthParameters
from certus.trees.growing.weight_units import counted_weights

__all__ = [
    "Categories",
    "CategorySets",
    "DecisionTree",
    "GrowthParameters",
    "as_float32",
    "categorical_mask",
    "coded_table",
    "compact_arrays",
    "counted_weights",
    "encode",
    "growth_of",
    "learn_categories",
]
