"""Folds of a cross-validation in which all rows have weight 0: nothing can be fitted or scored there."""

from __future__ import annotations

from typing import Any


def refuse_empty_fold(learner: Any, weights: Any, fold: int, train: Any, test: Any) -> None:
    """Raise if a fold's training or test rows have no weight at all."""
    if weights is None:
        return
    for what, rows in (("training", train), ("test", test)):
        if not weights[rows].any():
            raise ValueError(
                f"{type(learner).__name__}: all {what} rows of fold {fold} have a sample_weight of 0, so the fold has "
                "nothing to learn from or to be scored on.\nHint: remove rows of weight 0 before fitting, or use fewer "
                "folds."
            )
