"""How ``fit`` and ``predict`` meet a table in blocks: the learner's declaration, or a refusal in words."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from certus.base.blocks.row_blocks import RowBlocks
from certus.base.blocks.runners import as_block_tables, foreign_runner, in_blocks, is_foreign

# Methods that give every row its own answer, whatever the other rows are.
BY_ROW = (
    "predict",
    "predict_proba",
    "decision_function",
    "transform",
    "predict_log_proba",
    "predict_joint_log_proba",
    "score_samples",
    "inverse_transform",
    "impute",
    "_transform",
)
Scales = Literal["exact", "approximate", "no"]


@dataclass(frozen=True)
class ScaledFit:
    """A learner's declaration that it can be fitted to rows in blocks.

    Parameters
    ----------
    scales : {"exact", "approximate"}
        Whether the model is that of the whole table, up to rounding.
    fit : callable
        The learner and its `RowBlocks`; sets what ``fit`` sets.
    options : mapping
        How blocks are checked: the options of `check_Xy`.
    refusal : callable, optional
        The learner -> which of its settings needs the whole table, in words, or None.
    target : bool, default=True
        Whether ``y`` is used.
    """

    scales: Literal["exact", "approximate"]
    fit: Callable[[Any, RowBlocks], None]
    options: Mapping[str, Any] = field(default_factory=dict)
    refusal: Callable[[Any], str | None] | None = None
    target: bool = True


def any_in_blocks(values: Any) -> bool:
    """Whether one of the arguments is a table in blocks."""
    return any(in_blocks(value) for value in values)


def fit_in_blocks(learner: Any, method: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``fit`` for a table in blocks."""
    given = dict(inspect.signature(method).bind(learner, *args, **kwargs).arguments)
    given.pop(next(iter(given)))
    X, y, weights = (given.pop(name, None) for name in ("X", "y", "sample_weight"))
    name, declared = type(learner).__name__, learner._scaled
    if declared is None or method.__name__ != "fit":
        what = name if declared is None else f"{name}.{method.__name__}"
        raise _refused(f"{what} learns from a whole table, got rows in blocks ({type(X).__name__}).")
    reason = None if declared.refusal is None else declared.refusal(learner)
    extra = next((key for key, value in given.items() if value is not None and value != {}), None)
    if reason is not None or extra is not None:
        raise _refused(f"{name} with {reason or extra} learns from a whole table, got rows in blocks.")
    if declared.target and y is None:
        raise ValueError(f"{name} requires y to be passed, but the target y is None.\nHint: model.fit(*table.xy('y')).")
    y = y if declared.target else None
    table, target, row_weights = as_block_tables([X, y, weights])
    if table is None:
        raise TypeError("X must be a table in blocks if y is one, got None.")
    declared.fit(learner, RowBlocks(learner, table, target, row_weights, declared.options))
    return learner


def _refused(message: str) -> TypeError:
    return TypeError(
        f"{message}\nHint: fit to a sample, certus.scale.sample(table, rows), which says what sampling costs, or take "
        "a learner for which `certus learners --json` has scales: exact."
    )


@dataclass(frozen=True)
class Prediction:
    """A method of a fitted learner as a function of a block; travels to the workers."""

    learner: Any
    method: str
    options: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, block: Any) -> Any:
        """The method's answer; that of no rows has the type and width of others."""
        if block.shape[0]:
            return getattr(self.learner, self.method)(block, **self.options)
        one = np.zeros((1, self.learner.n_features_in_))
        if hasattr(block, "columns"):
            one = type(block)({column: [0.0] for column in block.columns})
        return getattr(self.learner, self.method)(one, **self.options)[:0]


def predict_in_blocks(learner: Any, method: str, X: Any, kwargs: dict[str, Any]) -> Any:
    """``predict`` and its like for a table in blocks: lazy, in the same blocks."""
    if method not in BY_ROW:
        raise TypeError(
            f"{type(learner).__name__}.{method} is about all rows together and takes a whole table, got rows in blocks "
            f"({type(X).__name__}).\nHint: {', '.join(BY_ROW[:4])} take blocks, and so does certus.certify."
        )
    prediction = Prediction(learner, method, kwargs)
    if is_foreign(X):
        return foreign_runner().predict(X, prediction)
    (table,) = as_block_tables([X])
    assert table is not None
    return table.map(prediction)
