"""What a fitted model says about held-out rows in blocks, gathered so that verbs judge them like any other rows.

The rows stay where they are. Of each one there come back what was predicted, the truth, and two hashes by which it is
recognized: some 40 bytes, whatever the width of the table. Counts, ranks, thresholds and bets over these are then those
of the whole table, in its order; so is the fingerprint.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base.blocks.block_table import JointPart, joint_parts
from certus.base.blocks.row_blocks import kind_of
from certus.base.blocks.runners import BlockError, as_block_tables, current_runner, in_blocks
from certus.guarantees.holdout import class_response
from certus.guarantees.rows import HashedRows, table_hashes, watch_rows, watching

Array = NDArray[Any]


@dataclass(frozen=True)
class _Answers:
    truth: Array
    predicted: Array
    response: Array | None
    marks: NDArray[np.uint64]
    asked: tuple[tuple[str, Any, NDArray[np.uint64]], ...]  # learners that remember their rows, and what they read

    def joined(self, other: _Answers) -> _Answers:
        if kind_of(self.truth.dtype) != kind_of(other.truth.dtype):
            kinds = f"{kind_of(self.truth.dtype)} and {kind_of(other.truth.dtype)}"
            raise BlockError(
                f"y must be of one kind in all blocks, got {kinds}.\nHint: convert the blocks to one type."
            )
        response = None if self.response is None else np.concatenate([self.response, other.response])
        asked = tuple(
            (name, sketch, np.concatenate([mine, theirs]))
            for (name, sketch, mine), (_, _, theirs) in zip(self.asked, other.asked, strict=True)
        )
        return _Answers(
            np.concatenate([self.truth, other.truth]),
            np.concatenate([self.predicted, other.predicted]),
            response,
            np.concatenate([self.marks, other.marks]),
            asked,
        )


def _joined(one: _Answers, two: _Answers) -> _Answers:
    return one.joined(two)


@dataclass(frozen=True)
class _Ask:
    """Asks the model about a block; travels to the workers."""

    model: Any
    responses: bool

    def __call__(self, number: int, part: JointPart) -> _Answers | None:
        X, y = part.load()
        truth = np.asarray(y)
        if not len(truth):
            return None
        if truth.ndim != 1 or X.shape[0] != len(truth):
            raise BlockError(f"{part.name}: y must have one entry per row, got {truth.shape} for {X.shape[0]} rows.")
        with watch_rows() as watch:
            predicted = np.asarray(self.model.predict(X))
            response = self._response(X)
        marks = table_hashes(X, truth, getattr(self.model, "feature_names_in_", None))
        return _Answers(truth, predicted, response, marks, watch.asked())

    def _response(self, X: Any) -> Array | None:
        """Scores of two classes, which ranks are made of, or of all classes if they are asked for."""
        classes = getattr(self.model, "classes_", None)
        scored = hasattr(self.model, "predict_proba") or hasattr(self.model, "decision_function")
        wanted = scored and classes is not None and (self.responses or len(classes) == 2)
        return class_response(self.model, X) if wanted else None


class AnsweredModel:
    """A model that has answered already: stands for it where rows were gathered from blocks."""

    def __init__(self, model: Any, answers: _Answers) -> None:
        self._model, self._answers = model, answers
        self._learners = [type(name, (), {})() for name, _, _ in answers.asked]

    def __getattr__(self, name: str) -> Any:
        if name in ("predict_proba", "decision_function"):
            raise AttributeError(name)  # of more than two classes: nobody asks for them
        return getattr(self._model, name)

    def predict(self, X: Any) -> Array:
        """What the model said about the rows."""
        del X
        self._tell()
        return self._answers.predicted

    def _tell(self) -> None:
        """Tell a verb that watches which rows were read."""
        watch = watching()
        if watch is not None:
            for learner, (_, sketch, hashes) in zip(self._learners, self._answers.asked, strict=True):
                watch.add(learner, sketch, hashes)


class _AnsweredProbabilities(AnsweredModel):
    """The same with probabilities of classes."""

    def predict_proba(self, X: Any) -> Any:
        """What the model said about the classes of the rows."""
        del X
        self._tell()
        return self._answers.response


class _AnsweredDecisions(AnsweredModel):
    """The same with decision values of classes."""

    def decision_function(self, X: Any) -> Any:
        """What the model said about the classes of the rows, one column for each."""
        del X
        self._tell()
        return self._answers.response


def answered(model: Any, X: Any, y: Any, *, responses: bool = False) -> tuple[Any, Any, Any]:
    """The model, X and y as they are; rows in blocks as an `AnsweredModel`, the rows' hashes, and their targets.

    ``responses``: whether the scores of more than two classes will be asked for.
    """
    if not (in_blocks(X) or in_blocks(y)):
        return model, X, y
    tables = as_block_tables([X, y])
    if any(table is None for table in tables):
        raise ValueError("X and y must both be given, in the same blocks.\nHint: certify(model, *table.xy('y')).")
    given = [table for table in tables if table is not None]
    found = current_runner(given).reduce(joint_parts(given), _Ask(model, responses), _joined)
    if found is None:
        raise ValueError("X must have rows, got blocks without any.")
    kind: type[AnsweredModel] = AnsweredModel
    if found.response is not None:
        kind = _AnsweredProbabilities if hasattr(model, "predict_proba") else _AnsweredDecisions
    return kind(model, found), HashedRows(found.marks), found.truth


def all_answered(models: Mapping[str, Any], X: Any, y: Any) -> tuple[dict[str, Any], Any, Any]:
    """The same for several models, a pass each; predictions among them stay what they are."""
    if not (in_blocks(X) or in_blocks(y)):
        return dict(models), X, y
    found: dict[str, Any] = {}
    rows, truth = X, y
    before: dict[Any, Any] = {}  # the hashes of the rows by the names that columns go by for a model
    for name, model in models.items():
        if not hasattr(model, "predict"):
            raise ValueError(f"{name} must be a fitted model if rows come in blocks, got {type(model).__name__}.")
        found[name], rows, truth = answered(model, X, y)
        called = getattr(model, "feature_names_in_", None)
        seen = before.setdefault(None if called is None else tuple(called), rows.hashes)
        if not np.array_equal(seen, rows.hashes):
            raise BlockError(
                f"Every pass must read the same rows in the same order, got others for {name} than for models before.\n"
                "Hint: a function that makes blocks must return the same ones every time (fix its seed)."
            )
    return found, rows, truth
