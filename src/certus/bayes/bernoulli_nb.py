"""Naive Bayes of features that are there or not. McCallum, Nigam (1998)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from certus.base import predict_method, register
from certus.base.inputs import TableLike, TargetLike
from certus.base.params import Exactly, Interval
from certus.bayes import _native_calls
from certus.bayes.counting.count_nb import CountNB, Floats
from certus.bayes.counting.linear_scores import linear_scores, log_share


@register(guarantees=("held-out error bound",), cost="fit O(nnz), predict O(nnz k) for k classes")
class BernoulliNB(CountNB):
    """Naive Bayes classifier of features that are 0 or 1.

    Predicts argmax_c log P(c) + sum_j log p_cj or log(1 - p_cj), with p_cj = (N_cj + alpha) / (N_c + 2 alpha) the
    share of rows of class c that have feature j: unlike `MultinomialNB` it counts the absence of a feature as
    evidence.

    Parameters
    ----------
    binarize : float, default=0.0
        Values above it are 1, others 0; None if the table is binary already.

    Attributes
    ----------
    feature_count_ : ndarray of shape (n_classes, n_features)
        Weight of the rows of each class that have the feature.
    feature_log_prob_ : ndarray of shape (n_classes, n_features)
        log p.

    Examples
    --------
    >>> from certus.bayes import BernoulliNB
    >>> model = BernoulliNB().fit([[1, 0, 1], [0, 1, 1], [0, 1, 0]], ["a", "b", "b"])
    >>> print(model.predict([[1, 1, 1]]))
    ['b']
    """

    _constraints = {**CountNB._constraints, "binarize": [Interval(0, None), Exactly(None)]}
    _state = ("classes_", "class_count_", "class_log_prior_", "feature_count_", "feature_log_prob_")

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        force_alpha: bool = True,
        binarize: float | None = 0.0,
        fit_prior: bool = True,
        class_prior: Any = None,
    ) -> None:
        self._set_parameters(locals())

    def _read(self, X: TableLike, y: TargetLike, *, reset: bool) -> tuple[Any, NDArray[Any]]:
        table, labels = super()._read(X, y, reset=reset)
        return added_up(table), labels

    def _read_rows(self, X: TableLike) -> Any:
        return added_up(super()._read_rows(X))

    def _count(self, X: Any, codes: NDArray[np.int64], weights: Floats | None) -> None:
        _native_calls.add_counts(X, codes, weights, self.binarize, self.feature_count_)

    def _smooth(self, alpha: Any) -> None:
        if np.ndim(alpha):
            below = self.class_count_[:, np.newaxis] + 2 * np.asarray(alpha)
            self.feature_log_prob_ = log_share(self.feature_count_ + alpha, below)
        else:
            below = self.class_count_ + 2 * alpha
            self.feature_log_prob_ = _native_calls.log_shares(self.feature_count_, alpha, below=below)

    @predict_method
    def predict_joint_log_proba(self, X: TableLike) -> NDArray[Any]:
        """``log P(c) + log P(x | c)`` for every row and class, in the order of ``classes_``.

        Computed as ``sum_j log(1 - p_cj) + sum_j x_j (log p_cj - log(1 - p_cj))``, so that zeros cost nothing.
        """
        table, present = self._read_rows(X), self.feature_log_prob_
        with np.errstate(divide="ignore"):
            absent = np.log1p(-np.exp(present))
        always = np.isneginf(absent)
        constant = self.class_log_prior_ + np.where(always, 0.0, absent).sum(axis=1)
        scores = linear_scores(
            table, np.where(always, 0.0, present - np.where(always, 0.0, absent)), constant, self.binarize
        )
        if always.any():  # a feature that every row of the class had is missing
            had = _native_calls.linear_log_joint(table, always.astype(float), np.zeros(len(constant)), self.binarize)
            scores = np.where(had < always.sum(axis=1), -np.inf, scores)
        return scores


def added_up(table: Any) -> Any:
    """A sparse table whose entries of the same place are added: what counts is whether their sum is above a limit."""
    if sparse.issparse(table) and not table.has_canonical_format:
        table = table.copy()
        table.sum_duplicates()
    return table
