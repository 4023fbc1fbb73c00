"""A tree learner's parameters in the terms of the compiled code."""

from __future__ import annotations

from math import ceil
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.trees._native_calls import Growth
from certus.trees.growing.growth_parameters import GrowthParameters

NO_LIMIT = np.iinfo(np.int32).max
MOST_LEAVES = 2**40  # of about 100 bytes each, more than any address space holds


def growth_of(
    learner: GrowthParameters,
    *,
    rows: int,
    total_weight: float,
    n_features: int,
    n_outputs: int,
    n_classes: NDArray[np.intp] | None,
    seed: int,
    categorical: NDArray[np.bool_] | None = None,
    random_ties: bool = False,
) -> Growth:
    """How a tree is grown with these parameters; fractions become numbers of rows, columns and weight."""
    min_leaf = _rows(learner.min_samples_leaf, rows)
    return Growth(
        criterion={"log_loss": "entropy"}.get(learner.criterion, learner.criterion),
        random_thresholds=learner.splitter == "random",
        max_depth=NO_LIMIT if learner.max_depth is None else int(learner.max_depth),
        min_samples_split=max(2, _rows(learner.min_samples_split, rows), 2 * min_leaf),
        min_samples_leaf=min_leaf,
        min_weight_leaf=float(learner.min_weight_fraction_leaf * total_weight),
        min_impurity_decrease=float(learner.min_impurity_decrease),
        max_features=_columns(learner.max_features, n_features),
        max_leaf_nodes=-1 if learner.max_leaf_nodes is None else _leaves(learner.max_leaf_nodes),
        seed=seed,
        monotone=_monotone_signs(learner.monotonic_cst, n_features, n_outputs, n_classes, categorical),
        categorical=None if categorical is None else np.ascontiguousarray(categorical, dtype=np.uint8),
        random_ties=random_ties,
    )


def _monotone_signs(
    signs: Any,
    n_features: int,
    n_outputs: int,
    n_classes: NDArray[np.intp] | None,
    categorical: NDArray[np.bool_] | None,
) -> NDArray[np.int8] | None:
    """Signs of the demanded changes, for the value that the compiled code compares."""
    if signs is None:
        return None
    if n_outputs > 1:
        raise ValueError("Monotonicity constraints are not supported with multiple outputs.")
    signs = np.asarray(signs)
    if signs.shape[0] != n_features:
        raise ValueError(f"monotonic_cst has shape {signs.shape[0]} but the input data X has {n_features} features.")
    if not np.isin(signs, (-1, 0, 1)).all():
        raise ValueError(f"monotonic_cst must be None or an array-like of -1, 0 or 1, but got {np.unique(signs)}.")
    if categorical is not None and signs[categorical].any():
        raise ValueError("Categorical features cannot have monotonic constraints.")
    if n_classes is None:
        return np.ascontiguousarray(signs, dtype=np.int8)
    if n_classes[0] > 2:
        raise ValueError("Monotonicity constraints are not supported with multiclass classification.")
    # The user constrains the share of the second class, the code compares the share of the first.
    return np.ascontiguousarray(-signs.astype(np.int8))


def _leaves(limit: int) -> int:
    if limit > MOST_LEAVES:
        raise MemoryError(
            f"max_leaf_nodes={limit} would allow a tree that no memory can hold.\nHint: None means no limit."
        )
    return int(limit)


def _rows(count: int | float, rows: int) -> int:
    return int(count) if isinstance(count, Integral) else ceil(count * rows)


def _columns(max_features: int | float | str | None, columns: int) -> int:
    if max_features is None:
        return columns
    if isinstance(max_features, str):
        return max(1, int(np.sqrt(columns) if max_features == "sqrt" else np.log2(columns)))
    return int(max_features) if isinstance(max_features, Integral) else max(1, int(max_features * columns))
