"""The targets and weights of the remembered rows; rows may be added and forgotten at any time."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import MultiOutputMixin

from certus.base import predict_method
from certus.base.inputs import WeightsLike, check_weights
from certus.neighbors.search.row_memory import STATE, RowMemory

TARGET_STATE = (*STATE, "_y", "_row_weights", "arrivals_", "_arrived")


class TargetMemory(RowMemory, MultiOutputMixin):
    """Mixin for learners that answer with the targets of remembered rows.

    Attributes
    ----------
    arrivals_ : ndarray of shape (n_samples_fit_,)
        The number of each remembered row, counted by arrival and never given again; `forget` takes these.
    """

    _arguments: ClassVar = {
        "": """
y : array-like of shape (n_samples,) or (n_samples, n_outputs)
    Their targets.
"""
    }

    _y: NDArray[Any]
    _row_weights: NDArray[np.float64] | None
    _arrived: int
    arrivals_: NDArray[np.intp]

    def _remember(self, rows: Any, targets: NDArray[Any], sample_weight: WeightsLike) -> None:
        """Replace all that is remembered."""
        weights = check_weights(self, sample_weight, rows, copy=True)
        self._take_rows(rows)
        self._y, self._row_weights = targets, weights
        self._arrived = len(targets)
        self.arrivals_ = np.arange(self._arrived)

    def _remember_more(self, rows: Any, targets: NDArray[Any], sample_weight: WeightsLike) -> None:
        """Add rows; ``targets`` are those of all rows, the new ones last."""
        if self._precomputed:
            raise ValueError(
                "metric='precomputed' cannot add rows: their distances to the others are not known.\n"
                "Hint: call fit with the larger matrix of distances."
            )
        added = rows.shape[0]
        new = check_weights(self, sample_weight, rows, copy=True)
        old = self._row_weights
        if new is not None or old is not None:
            old = np.ones(self.n_samples_fit_) if old is None else old
            self._row_weights = np.concatenate([old, np.ones(added) if new is None else new])
        self._replace_rows(_stacked(self._fit_X, rows))
        self._y = targets
        self.arrivals_ = np.concatenate([self.arrivals_, np.arange(self._arrived, self._arrived + added)])
        self._arrived += added

    def _replace_rows(self, rows: Any) -> None:
        self._fit_X = rows
        self.n_samples_fit_ = rows.shape[0]
        self._index = None  # built again when somebody asks

    @predict_method
    def forget(self, rows: Iterable[int]) -> Any:
        """Forget rows: from now on the learner is what it would be without them.

        Parameters
        ----------
        rows : iterable of int
            Their numbers by arrival: the first row that `fit` got is 0, and so on through every `partial_fit`. A number
            stays a row's own whatever else is forgotten (see ``arrivals_``).

        Returns
        -------
        self
            The learner.
        """
        gone = np.unique(np.asarray(list(rows), dtype=np.intp))
        unknown = np.setdiff1d(gone, self.arrivals_)
        if len(unknown):
            raise ValueError(
                f"rows must be numbers of remembered rows, got {int(unknown[0])}, which is not among them.\n"
                "Hint: see arrivals_."
            )
        kept = ~np.isin(self.arrivals_, gone)
        if not kept.any():
            raise ValueError("rows must leave at least one row to be remembered, got all of them.")
        if self._precomputed:
            raise ValueError(
                "metric='precomputed' cannot forget rows: queries hold the distances to all of them.\n"
                "Hint: call fit with the smaller matrix of distances."
            )
        self._replace_rows(self._fit_X[kept])
        self._y, self.arrivals_ = self._y[kept], self.arrivals_[kept]
        if self._row_weights is not None:
            self._row_weights = self._row_weights[kept]
        return self

    def _restored(self) -> None:
        super()._restored()
        if not hasattr(self, "_fit_X"):
            return
        count = self.n_samples_fit_
        for name, default in (("_row_weights", None), ("arrivals_", np.arange(count)), ("_arrived", count)):
            if not hasattr(self, name):  # a file of an earlier version
                setattr(self, name, default)
        weights = self._row_weights
        if weights is not None and (np.shape(weights) != (count,) or not (np.asarray(weights) >= 0).all()):
            raise ValueError("_row_weights does not have one weight >= 0 per training row")
        if np.shape(self.arrivals_) != (count,):
            raise ValueError("arrivals_ does not have one number per training row")


def _stacked(rows: Any, more: Any) -> Any:
    """Both tables, one below the other."""
    if sparse.issparse(rows) or sparse.issparse(more):
        return sparse.csr_array(sparse.vstack([sparse.csr_array(rows), sparse.csr_array(more)], format="csr"))
    return np.ascontiguousarray(np.concatenate([rows, more]))
