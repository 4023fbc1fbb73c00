"""The base of mixtures: densities of rows and shares of components."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp, softmax
from sklearn.base import DensityMixin

from certus.base import DensityLearner, predict_method
from certus.base.inputs import TableLike, TargetLike, WeightsLike, check_weights, check_X

Floats = NDArray[np.float64]
LARGEST = 1e150  # squares of greater numbers overflow


class MixtureModel(DensityMixin, DensityLearner):
    """What all mixtures share.

    Parameters
    ----------
    n_components : int
        Number of components.
    tol : float
        Learning stops when a step changes the log-likelihood per row by less than this.
    max_iter : int
        Most steps.

    Attributes
    ----------
    history_ : ndarray
        Log-likelihood per row: before every step, and at the end.
    n_iter_ : int
        Steps that were made.
    converged_ : bool
        Whether the last step changed the log-likelihood by less than ``tol``.
    report_ : Report
        How much log-likelihood per row one more step would gain; a local statement.
    """

    n_components: int
    tol: float
    max_iter: int
    history_: Floats
    n_iter_: int
    converged_: bool
    n_features_in_: int

    @abstractmethod
    def _log_joint(self, rows: Floats) -> Floats:
        """ln(weight_k p_k(x)) for every row and component."""

    def _check_table(self, X: TableLike, *, reset: bool = False) -> Any:
        rows = check_X(self, X, reset=reset, order="C", dtype=np.float64, largest=LARGEST)
        if reset and len(rows) < self.n_components:
            raise ValueError(
                f"Expected n_samples >= n_components but got n_components = {self.n_components}, "
                f"n_samples = {len(rows)}.\n"
                f"Hint: {type(self).__name__} needs at least one row per component."
            )
        return rows

    @predict_method
    def score_samples(self, X: TableLike) -> Floats:
        """The log-density of every row.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return np.asarray(logsumexp(self._log_joint(self._check_table(X)), axis=1))

    @predict_method
    def score(self, X: TableLike, y: TargetLike | None = None, sample_weight: WeightsLike = None) -> float:
        """The mean log-density of the rows."""
        densities = self.score_samples(X)
        weights = check_weights(self, sample_weight, densities[:, None])
        return float(densities.mean() if weights is None else weights @ densities / weights.sum())

    @predict_method
    def predict_proba(self, X: TableLike) -> Floats:
        """The probability of every component, given the row.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        joint = self._log_joint(self._check_table(X))
        impossible = np.isneginf(joint).all(axis=1)
        if impossible.any():
            raise ValueError(
                f"Row {int(np.argmax(impossible))} of X is impossible under every component, so that none is the more "
                "probable one.\nHint: score_samples tells such rows by a log-density of -inf."
            )
        return np.asarray(softmax(joint, axis=1))

    @predict_method
    def predict(self, X: TableLike) -> NDArray[np.intp]:
        """The most probable component of every row."""
        return np.asarray(self._log_joint(self._check_table(X)).argmax(axis=1))
