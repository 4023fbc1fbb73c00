"""Folds of cross-conformal prediction: drawn without looking at the rows, one clone trained without each."""

from __future__ import annotations

from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import check_random_state

from certus.base import TableLike, TargetLike
from certus.evaluation.conformal.any_rows import take_rows
from certus.guarantees.conformal import equal_folds

LEAVE_ONE_OUT = "leave-one-out"


def draw_folds(rows: int, cv: int | str, random_state: int | np.random.RandomState | None) -> NDArray[np.intp]:
    """Fold number of every row; fold sizes differ by at most one."""
    folds = rows if cv == LEAVE_ONE_OUT else int(cv)
    if not 2 <= folds <= rows:
        raise ValueError(
            f"cv must be between 2 and the number of rows, {rows}, or {LEAVE_ONE_OUT!r}; got {cv!r}.\n"
            "Hint: use fewer folds, or more rows."
        )
    numbers = np.repeat(np.arange(folds), equal_folds(rows, folds))
    if folds == rows:
        return numbers
    return check_random_state(random_state).permutation(numbers)


def fit_without_folds(
    estimator: Any, X: TableLike, y: TargetLike, fold_of_row: NDArray[np.intp], n_jobs: int | None
) -> list[Any]:
    """One clone per fold, trained on the other folds."""
    target = np.asarray(y)

    def train(fold: int) -> Any:
        kept = np.flatnonzero(fold_of_row != fold)
        return clone(estimator).fit(take_rows(X, kept), target[kept])

    return Parallel(n_jobs=n_jobs)(delayed(train)(fold) for fold in range(int(fold_of_row.max()) + 1))


def rows_of_fold(X: TableLike, fold_of_row: NDArray[np.intp], fold: int) -> tuple[NDArray[np.intp], Any]:
    """Positions and rows of one fold."""
    positions = np.flatnonzero(fold_of_row == fold)
    return positions, take_rows(X, positions)
