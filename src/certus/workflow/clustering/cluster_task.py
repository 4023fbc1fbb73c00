"""The task of a study without a target."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from certus.workflow.clustering.ratios import NAME, SAID
from certus.workflow.measures import Measure
from certus.workflow.study_error import StudyError
from certus.workflow.task import Task

KIND: Literal["clustering"] = "clustering"
Array = NDArray[Any]


def _ratios(_truth: Array, answers: Array, _shares: Array | None) -> Array:
    return answers


def _mean(_truth: Array, answers: Array, _shares: Array | None) -> float:
    return float(np.mean(answers))


MEASURE = Measure(NAME, frozenset({KIND}), "answers", _mean, _ratios, (0.0, 1.0), said=SAID)


def cluster_task(*, measure: str | None, unfit: dict[str, Any]) -> Task:
    """The task of finding groups; refuses options that speak of a target."""
    if measure not in (None, NAME):
        raise StudyError(
            f"--measure: {measure!r} does not fit a {KIND} task.\nHint: it has {NAME}; --target NAME predicts a column."
        )
    for option, given in unfit.items():
        if given:
            raise StudyError(f"{option} does not fit a {KIND} task.\nHint: leave it out, or name a --target.")
    guess = f"{KIND}, as there is no target (--target NAME predicts a column), measured by {NAME}"
    return Task(KIND, (), MEASURE, np.empty(0), guess)
