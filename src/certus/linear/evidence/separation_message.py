"""What a learner without penalty says and certifies when its objective has no minimum."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.guarantees import Certificate
from certus.linear.evidence.separating_direction import (
    Direction,
    columns_that_separate,
    count_rows,
    find_direction,
    label_rows,
)
from certus.linear.evidence.separation_certificate import separation_certificate
from certus.linear.problems.smooth_problem import SmoothProblem

Array = NDArray[np.float64]
NAMED = 5  # columns named in a message
ENDLESS = (
    "Without a penalty no finite coefficients are optimal: the objective keeps falling as they grow, and those "
    "returned only tell where the iterations stopped."
)


@dataclass(frozen=True)
class Separation:
    """The certificate, and the warning for the user."""

    certificate: Certificate
    message: str


def separation_of_labels(learner: Any, problem: SmoothProblem, coef: Array, intercept: Array) -> Separation | None:
    """Whether the classes among the rows of positive weight are linearly separated."""
    some = _counting_rows(problem)
    X, codes = problem.design.X[some], problem.target[some, 0].astype(np.intp)
    classes = len(learner.classes_)
    if len(np.unique(codes)) < 2:
        return None
    guess = np.column_stack([coef, intercept]) if problem.has_intercept else coef
    found = find_direction(label_rows(X, codes, classes, intercept=problem.has_intercept), guess.ravel())
    if found is None:
        return None
    alone = columns_that_separate(X, codes, classes)
    kind = "perfectly" if found.complete else "quasi-completely (perfectly except for ties)"
    message = (
        f"{type(learner).__name__}: the classes are {kind} separated by "
        f"{_named(learner, alone, found, coef.shape[1])}. {ENDLESS}\n"
        "Hint: use a penalty (C=1.0), or remove columns that give the label away."
    )
    record = separation_certificate(found, classes=learner.classes_.tolist(), intercept=problem.has_intercept)
    return Separation(record, message)


def separation_of_counts(learner: Any, problem: SmoothProblem, coef: Array, intercept: Array) -> Separation | None:
    """Whether a combination of columns is 0 on all rows with a positive count and has one sign on the others."""
    some = _counting_rows(problem)
    X, y = problem.design.X[some], problem.target[some, 0]
    if (y > 0.0).all():
        return None
    guess = np.column_stack([coef, intercept]) if problem.has_intercept else coef
    found = find_direction(count_rows(X, y, intercept=problem.has_intercept), guess.ravel())
    if found is None:
        return None
    message = (
        f"{type(learner).__name__}: rows with a count of 0 are separated from all others by "
        f"{_named(learner, [], found, coef.shape[1])}. {ENDLESS}\n"
        "Hint: use a penalty (alpha > 0), or remove columns that mark groups without any count."
    )
    return Separation(separation_certificate(found, classes=None, intercept=problem.has_intercept), message)


def _counting_rows(problem: SmoothProblem) -> NDArray[np.intp]:
    weights = problem.weights
    return np.arange(problem.design.rows) if weights is None else np.flatnonzero(weights > 0.0)


def _named(learner: Any, alone: list[int], found: Direction, columns: int) -> str:
    """The columns that separate alone, else those that take part in the direction."""
    names = getattr(learner, "feature_names_in_", None)

    def text(chosen: list[int]) -> str:
        said = [str(j) if names is None else repr(str(names[j])) for j in chosen[:NAMED]]
        return ", ".join(said) + (f" and {len(chosen) - NAMED} more" if len(chosen) > NAMED else "")

    if alone:
        return f"column {text(alone)} alone" if len(alone) == 1 else f"each of the columns {text(alone)} alone"
    width = columns + bool(learner.fit_intercept)
    parts = np.abs(found.approximate).reshape(-1, width)[:, :columns].max(axis=0)
    used = np.flatnonzero(parts).tolist()
    return f"column {text(used)}" if len(used) == 1 else f"a combination of the columns {text(used)}"
