"""Complement naive Bayes. Rennie, Shih, Teevan, Karger (2003)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_non_negative

from certus.base import predict_method, register
from certus.base.inputs import TableLike
from certus.base.params import Boolean
from certus.base.persistence import check_shapes
from certus.bayes import _native_calls
from certus.bayes.counting.count_nb import CountNB, Floats
from certus.bayes.counting.linear_scores import linear_scores


@register(guarantees=("held-out error bound",), cost="fit O(nnz), predict O(nnz k) for k classes")
class ComplementNB(CountNB):
    """Naive Bayes classifier of counts that learns each class from the rows of all others.

    Predicts argmin_c sum_j x_j log theta_cj, with theta_c the word distribution of all texts that are not of class c:
    these are many even for a rare class, which makes it the better choice for unbalanced classes.

    Parameters
    ----------
    norm : bool, default=False
        Whether the weights of every class are divided by their sum.

    Attributes
    ----------
    feature_count_ : ndarray of shape (n_classes, n_features)
        Weighted sum of every feature in every class.
    feature_all_ : ndarray of shape (n_features,)
        The same over all classes.
    feature_log_prob_ : ndarray of shape (n_classes, n_features)
        Weights of the classes.

    Examples
    --------
    >>> from certus.bayes import ComplementNB
    >>> model = ComplementNB().fit([[3, 0, 1], [0, 4, 1]], ["sport", "law"])
    >>> print(model.predict([[1, 0, 2]]))
    ['sport']
    """

    _constraints = {**CountNB._constraints, "norm": [Boolean()]}
    _state = ("classes_", "class_count_", "class_log_prior_", "feature_count_", "feature_all_", "feature_log_prob_")

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Any = None,
        norm: bool = False,
    ) -> None:
        self._set_parameters(locals())

    def _count(self, X: Any, codes: NDArray[np.int64], weights: Floats | None) -> None:
        check_non_negative(X, "ComplementNB (input X)")
        _native_calls.add_counts(X, codes, weights, None, self.feature_count_)
        self.feature_all_ = self.feature_count_.sum(axis=0)

    def _smooth(self, alpha: Any) -> None:
        logged = _native_calls.log_shares(self.feature_count_, alpha, others=self.feature_all_)
        if self.norm and not np.isfinite(logged).all():
            raise ValueError(
                "alpha must be above 0 with norm=True where a feature occurs in one class only, got infinite weights."
            )
        scale = logged.sum(axis=1, keepdims=True) if self.norm else -1.0
        self.feature_log_prob_ = np.divide(logged, scale, out=logged)

    def _restored(self) -> None:
        if hasattr(self, "classes_"):
            table = (len(self.classes_), self.n_features_in_)
            check_shapes(self, feature_count_=table, feature_log_prob_=table, class_log_prior_=table[:1])
            if (np.abs(self.feature_log_prob_[np.isfinite(self.feature_log_prob_)]) > 1e100).any():
                raise ValueError("feature_log_prob_ must be weights that come from logarithms.")

    @predict_method
    def predict_joint_log_proba(self, X: TableLike) -> NDArray[Any]:
        """``sum_j x_j w_cj`` for every row and class: a score that is larger for likelier classes."""
        constant = self.class_log_prior_ if len(self.classes_) == 1 else np.zeros(len(self.classes_))
        weights = self.feature_log_prob_
        if np.isfinite(weights).all():
            return _native_calls.linear_log_joint(self._read_rows(X), weights, constant, None)
        return -linear_scores(self._read_rows(X), -weights, -constant)  # infinite: no other class had the feature

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags
