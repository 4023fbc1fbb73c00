"""Naive Bayes of word counts. Manning, Raghavan, Schuetze (2008), section 13.2."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_non_negative

from certus.base import predict_method, register
from certus.base.inputs import TableLike
from certus.bayes import _native_calls
from certus.bayes.counting.count_nb import CountNB, Floats
from certus.bayes.counting.linear_form import LinearForm, linear_form
from certus.bayes.counting.linear_scores import linear_scores


@register(guarantees=("held-out error bound",), cost="fit O(nnz), predict O(nnz k) for k classes")
class MultinomialNB(CountNB):
    """Naive Bayes classifier of counts, such as those of words in texts.

    Predicts argmax_c log P(c) + sum_j x_j log theta_cj: all words of a text are drawn independently from the
    distribution theta_c of its class, theta_cj = (N_cj + alpha) / (N_c + alpha p). It is linear in the counts
    (`to_linear`), and fractions such as TF-IDF values work too.

    Attributes
    ----------
    feature_count_ : ndarray of shape (n_classes, n_features)
        Weighted sum of every feature in every class.
    feature_log_prob_ : ndarray of shape (n_classes, n_features)
        log theta.

    Examples
    --------
    >>> from certus.bayes import MultinomialNB
    >>> model = MultinomialNB().fit([[3, 0, 1], [0, 4, 1]], ["sport", "law"])
    >>> print(model.predict([[1, 0, 2]]))
    ['sport']
    """

    _state = ("classes_", "class_count_", "class_log_prior_", "feature_count_", "feature_log_prob_")

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Any = None,
    ) -> None:
        self._set_parameters(locals())

    def _count(self, X: Any, codes: NDArray[np.int64], weights: Floats | None) -> None:
        check_non_negative(X, f"{type(self).__name__} (input X)")
        _native_calls.add_counts(X, codes, weights, None, self.feature_count_)

    def _smooth(self, alpha: Any) -> None:
        self.feature_log_prob_ = _native_calls.log_shares(self.feature_count_, alpha)

    @predict_method
    def predict_joint_log_proba(self, X: TableLike) -> NDArray[Any]:
        """``log P(c) + sum_j x_j log theta_cj`` for every row and class, in the order of ``classes_``."""
        return linear_scores(self._read_rows(X), self.feature_log_prob_, self.class_log_prior_)

    @predict_method
    def to_linear(self) -> LinearForm:
        """Coefficients and intercepts of the linear scores that decide as this model does.

        ``log theta_c`` and ``log P(c)``; for two classes their differences, so that the score is the log odds of the
        second class: the logistic form of the model. Without smoothing, words that a class never had have the
        coefficient minus infinity.

        Returns
        -------
        LinearForm
            ``coef`` and ``intercept``.
        """
        with np.errstate(invalid="ignore"):
            return linear_form(self.feature_log_prob_, self.class_log_prior_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags
