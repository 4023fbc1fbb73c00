"""The parameters that limit how trees grow, for single trees, forests and boosting."""

from __future__ import annotations

from certus.base import ColumnsLike, RandomStateLike


class GrowthParameters:
    """What learners that grow trees can be told about their growth.

    Parameters
    ----------
    max_depth : int or None
        Most splits between the root and a leaf of a tree.
    min_samples_split : int or float
        A node with fewer rows stays a leaf; a float is a fraction of the rows.
    min_samples_leaf : int or float
        Every leaf keeps at least so many rows; a float is a fraction of the rows.
    min_weight_fraction_leaf : float
        Every leaf keeps at least this fraction of its tree's total weight.
    max_features : int, float, {"sqrt", "log2"} or None
        Columns drawn at random and searched at each node; a float is a fraction of the columns, None means all.
    random_state : int, RandomState, Generator or None
        Seed of the draws.
    max_leaf_nodes : int or None
        Grow at most so many leaves per tree, the largest improvement first.
    min_impurity_decrease : float
        Split only if the weighted impurity falls at least by this share of the tree's total weight.
    ccp_alpha : float
        Price of a leaf in cost-complexity pruning of each tree.
    monotonic_cst : array-like of shape (n_features,)
        1, 0 or -1 per column: the prediction (of two classes: the probability of the second) must not fall (must not
        rise) with it. For one output.
    categorical_features : array-like of bool, int or str, "from_dtype" or None
        Categorical columns as a mask, as numbers or as names; "from_dtype" takes those of a data frame that have a
        categorical type, None takes none. A set of categories goes left, the others right; missing ones, and
        those that training did not contain, go to the side where missing values helped most, else the larger one.
        In extremely randomized trees the set and the side are random.
    """

    criterion: str
    splitter: str
    max_depth: int | None
    min_samples_split: int | float
    min_samples_leaf: int | float
    min_weight_fraction_leaf: float
    max_features: int | float | str | None
    random_state: RandomStateLike
    max_leaf_nodes: int | None
    min_impurity_decrease: float
    monotonic_cst: ColumnsLike
    categorical_features: ColumnsLike
