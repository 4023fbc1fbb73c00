"""Sets and intervals of the winner: made before the test rows are opened, then held against them.

With rows to spare they are calibrated on rows of their own, which proves their level on average. With fewer rows the
folds of the race serve: CV+ proves a level for a learner whose settings were fixed without these rows, but the race
chose the settings on them, so that the level is an estimate here. In both cases the test rows, which had no part in
the sets, bound how often they miss.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl
from numpy.typing import NDArray

from certus.guarantees import Certificate, as_estimate, cross_certificate, split_rank
from certus.guarantees.holdout import RateSetting, rate_bound
from certus.guarantees.records import OUTSIDE_INTERVAL, OUTSIDE_SET, Quantity
from certus.workflow.models.fold_models import FoldModels
from certus.workflow.models.forms import Trained
from certus.workflow.models.study_model import StudyModel
from certus.workflow.race.learning import Learning
from certus.workflow.split import Split
from certus.workflow.unit_bounds import bound_by_group, group_means, with_assumptions

if TYPE_CHECKING:
    from certus.workflow.tasks import Task

CHOSEN_ON_THE_SAME_ROWS = "the settings of the winner were chosen on the same rows"
OUTSIDE = {"set": OUTSIDE_SET, "interval": OUTSIDE_INTERVAL}


@dataclass(frozen=True)
class SetsFound:
    """What is known about the sets or intervals.

    Attributes
    ----------
    subject : {"set", "interval"}
        Which of the two they are.
    made_from : {"calibration rows", "folds"}
        Which rows decided their size.
    level : float
        The fraction of rows that they aim to cover.
    size : float
        Mean number of labels in a set (of one target), or mean length of an interval, on the test rows.
    missed : float
        Fraction of the test rows (with groups: mean over groups) outside their set or interval.
    bound : float
        The same for new rows, at most, with the confidence of the study.
    """

    subject: str
    made_from: str
    level: float
    size: float
    missed: float
    bound: float

    def remark(self) -> str:
        """What everybody should read, in words."""
        noun = "label" if f"{self.size:.3g}" == "1" else "labels"
        size = f"hold {self.size:.3g} {noun}" if self.subject == "set" else f"are {self.size:.4g} long"
        told = f"the {self.subject}s of the test rows {size} on average and miss {100 * self.missed:.1f} % of them"
        if self.made_from == "calibration rows":
            return told
        return f"{told}; that they reach {100 * self.level:g} % is an estimate, since {CHOSEN_ON_THE_SAME_ROWS}"


def folds_can_serve(task: Task, learning: Learning, confidence: float) -> bool:
    """Whether every learning row was left out once, and there are enough for the level."""
    if learning.rungs or not task.calibrates_on_folds:
        return False
    return split_rank(len(learning.y), confidence) <= len(learning.y)


def sets_from_folds(
    best: StudyModel,
    task: Task,
    members: list[Trained],
    learning: Learning,
    values: NDArray[Any],
    confidence: float,
) -> Certificate:
    """Give the model CV+ sets by the winner trained without each fold; returns the estimate of their level.

    ``members[k]`` was trained without the validation rows of division k; ``values`` are the targets of the learning
    rows as the model gives them.
    """
    parts = [division.validation for division in learning.divisions]
    scores = [
        task.model(member).scores(learning.frame[rows], values[rows])
        for member, rows in zip(members, parts, strict=True)
    ]
    best.folds_ = FoldModels(members, scores, split_rank(len(learning.y), confidence))
    proven = cross_certificate([len(rows) for rows in parts], confidence=confidence, subject=best.form.subject)
    return as_estimate(proven, CHOSEN_ON_THE_SAME_ROWS)


def hold_against_test_rows(
    best: StudyModel, X: pl.DataFrame, y: NDArray[Any], split: Split, level: float, confidence: float
) -> tuple[SetsFound, Certificate]:
    """How often the finished sets miss on rows that had no part in them, and what that proves about new rows.

    ``level`` is what the sets aim to cover, ``confidence`` that of the bound.
    """
    subject, missed = best.form.subject, best.missed(X, y)
    quantity = Quantity(OUTSIDE[subject])
    if split.unit == "group":
        proven, rate = bound_by_group(missed, quantity, split, confidence), float(group_means(missed, split).mean())
    else:
        setting = RateSetting(confidence=confidence, quantity=quantity, noun="such row")
        proven, rate = rate_bound(int(missed.sum()), len(missed), setting), float(missed.mean())
    proven = with_assumptions(proven, split)
    assert isinstance(proven.value, float)
    made_from = "calibration rows" if len(split.calibration) else "folds"
    return SetsFound(subject, made_from, level, best.set_size(X), rate, proven.value), proven
