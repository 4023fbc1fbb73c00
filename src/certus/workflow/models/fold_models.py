"""Sets and intervals without rows of their own: CV+ with the winner trained once without each fold."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base import TableLike, register_part
from certus.evaluation import label_response
from certus.guarantees.conformal import cross_interval, cross_set


@register_part("workflow")
class FoldModels:
    """The winner, trained without each fold in turn, and how unusual the left-out rows were to it.

    With R_i the score of row i under the model that did not see its fold, and k the rank, a label is left out when at
    least k rows have R_i below its score under the same model. Intervals reach from the (n + 1 - k)-th smallest
    prediction_i - R_i to the k-th smallest prediction_i + R_i (Barber et al., 2021).

    Parameters
    ----------
    members : list of Pipeline or Blend
        One trained model per fold.
    scores : list of array
        For each fold the scores of its rows: 1 - probability of the true label, or distance from the prediction.
    rank : int
        The rank k.
    """

    _state = ("members_", "scores_", "fold_of_row_", "rank_")

    def __init__(self, members: list[Any], scores: list[NDArray[np.float64]], rank: int) -> None:
        self.members_ = members
        self.scores_ = np.concatenate(scores)
        self.fold_of_row_ = np.repeat(np.arange(len(scores)), [len(part) for part in scores])
        self.rank_ = rank

    def _restored(self) -> None:
        scores, folds, rank = self.scores_, self.fold_of_row_, self.rank_
        if (
            not isinstance(scores, np.ndarray)
            or scores.dtype != np.float64
            or scores.ndim != 1
            or np.isnan(scores).any()
        ):
            raise ValueError("scores_ must be a vector of numbers")
        if not isinstance(folds, np.ndarray) or folds.dtype.kind not in "iu" or folds.shape != scores.shape:
            raise ValueError("fold_of_row_ must be one whole number per score")
        if len(folds) and not 0 <= folds.min() <= folds.max() < len(self.members_):
            raise ValueError("fold_of_row_ must be places of members_")
        if isinstance(rank, bool) or not isinstance(rank, int) or not 1 <= rank <= len(scores):
            raise ValueError("rank_ must be the place of a score")

    def sets(self, X: TableLike, labels: NDArray[Any]) -> NDArray[np.bool_]:
        """For every row and label whether it cannot be ruled out."""
        candidates = np.stack([1.0 - label_response(member, X, labels) for member in self.members_], axis=2)
        return cross_set(candidates, self.scores_, self.fold_of_row_, self.rank_)

    def intervals(self, X: TableLike) -> NDArray[np.float64]:
        """For every row the ends of its interval."""
        predictions = np.column_stack([np.asarray(member.predict(X), dtype=np.float64) for member in self.members_])
        return cross_interval(predictions, self.scores_, self.fold_of_row_, self.rank_)
