"""Gaussian naive Bayes. Moments by the merge of Chan, Golub and LeVeque (1983), eq. 2.1."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets

from certus.base import distinct_labels, fit_method, predict_method, register
from certus.base.blocks import ScaledFit
from certus.base.inputs import LARGEST, TableLike, TargetLike, WeightsLike, check_weights, check_X, check_Xy
from certus.base.params import ArrayLike, Exactly, Interval
from certus.base.persistence import check_shapes
from certus.bayes import _native_calls
from certus.bayes.counting.joint_classifier import JointClassifier, begins, known_codes
from certus.bayes.in_blocks.gaussian_classes import fit_gaussian_classes
from certus.guarantees import Report


@register(
    family="bayes",
    tasks=("classification",),
    guarantees=("held-out error bound",),
    cost="fit O(n p), predict O(n p k) for k classes",
)
class GaussianNB(JointClassifier):
    """Naive Bayes classifier with a normal distribution per class and column.

    Predicts argmax_c log P(c) + sum_j log N(x_j; mu_cj, sigma^2_cj), with the maximum-likelihood means and variances of
    the training rows; it assumes that the columns are independent given the class. A good first model: one pass over
    the data, no tuning, updates with new rows (`partial_fit`). Its probabilities are over-confident when columns are
    correlated.

    Parameters
    ----------
    priors : array-like of shape (n_classes,), default=None
        Class probabilities; by default the share of each class (by weight) among the training rows.
    var_smoothing : float, default=1e-9
        This share of the largest column variance is added to every variance, so that none is zero.

    Attributes
    ----------
    class_count_, class_prior_ : ndarray of shape (n_classes,)
        Total weight and prior probability of each class.
    theta_, var_ : ndarray of shape (n_classes, n_features)
        Mean and (smoothed) variance of each column in each class.
    epsilon_ : float
        What was added to the variances.
    report_ : Report
        Empty: the training rows alone bound nothing about a naive Bayes model. Use `certify`.

    Examples
    --------
    >>> from certus.bayes import GaussianNB
    >>> model = GaussianNB().fit([[-2.0], [-1.0], [1.0], [2.0]], ["low", "low", "high", "high"])
    >>> print(model.predict([[-0.8]]))
    ['low']
    """

    _constraints = {"priors": [ArrayLike(), Exactly(None)], "var_smoothing": [Interval(0, None)]}
    _state = ("classes_", "class_count_", "class_prior_", "theta_", "var_", "epsilon_")
    _scaled = ScaledFit("exact", fit_gaussian_classes, {"order": "C", "largest": LARGEST})

    def __init__(self, *, priors: TargetLike | None = None, var_smoothing: float = 1e-9) -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(self, X: TableLike, y: TargetLike, sample_weight: WeightsLike = None) -> GaussianNB:
        """Estimate priors, means and variances from the rows."""
        table, y = check_Xy(self, X, y, order="C", largest=LARGEST)
        classes, codes = distinct_labels(y)
        return self._start(classes, table)._add(table, codes.astype(np.int64, copy=False), sample_weight)

    @fit_method
    def partial_fit(
        self, X: TableLike, y: TargetLike, classes: Any = None, sample_weight: WeightsLike = None
    ) -> GaussianNB:
        """Add a batch of rows to what was learned so far.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows of this batch.
        """
        first = begins(self, classes)
        table, y = check_Xy(self, X, y, order="C", reset=first, largest=LARGEST)
        if first:
            self._start(np.unique(classes), table)
        check_classification_targets(y)
        return self._add(table, known_codes(self, y), sample_weight)

    def _start(self, classes: NDArray[Any], X: NDArray[Any]) -> GaussianNB:
        """Empty moments for these classes, and the priors if they are given."""
        self.classes_ = classes
        self.epsilon_ = 0.0
        self.class_count_ = np.zeros(len(classes), dtype=X.dtype)
        self.theta_ = np.zeros((len(classes), X.shape[1]), dtype=X.dtype)
        self.var_ = np.zeros_like(self.theta_)
        self.class_prior_ = self._checked_priors(X.dtype)
        return self

    def _checked_priors(self, dtype: Any) -> NDArray[Any]:
        if self.priors is None:
            return np.zeros(len(self.classes_), dtype=dtype)
        priors = np.asarray(self.priors, dtype=dtype)
        if priors.shape != (len(self.classes_),):
            raise ValueError(
                "Number of priors must match number of classes. "
                f"Got priors of shape {priors.shape} for {len(self.classes_)} classes."
            )
        if not np.isclose(priors.sum(), 1.0):
            raise ValueError(f"The sum of the priors should be 1. Got {priors.sum():g} instead.")
        if (priors < 0).any():
            raise ValueError(f"Priors must be non-negative. Got {priors.min():g} instead.")
        return priors

    def _add(self, X: NDArray[Any], codes: NDArray[np.int64], sample_weight: WeightsLike) -> GaussianNB:
        weights = check_weights(self, sample_weight, X)
        count = self.class_count_.astype(np.float64)
        mean = self.theta_.astype(np.float64)
        m2 = np.maximum(self.var_.astype(np.float64) - self.epsilon_, 0.0) * count[:, np.newaxis]
        _native_calls.add_class_moments(X, codes, weights, count, mean, m2)
        return self._finish(count, mean, m2, X.dtype)

    def _finish(
        self, count: NDArray[np.float64], mean: NDArray[np.float64], m2: NDArray[np.float64], dtype: Any
    ) -> GaussianNB:
        """Store what follows from the moments of the classes."""
        self.epsilon_ = float(self.var_smoothing * _pooled_variance(count, mean, m2).max())
        seen = np.where(count > 0, count, 1.0)[:, np.newaxis]
        self.class_count_ = count.astype(dtype)
        self.theta_ = mean.astype(dtype)
        self.var_ = (m2 / seen + self.epsilon_).astype(dtype)
        if self.priors is None:
            self.class_prior_ = (count / count.sum()).astype(dtype)
        self.report_ = Report()
        return self

    def _restored(self) -> None:
        if hasattr(self, "classes_"):
            table = (len(self.classes_), self.n_features_in_)
            check_shapes(self, theta_=table, var_=table, class_count_=table[:1], class_prior_=table[:1])

    @predict_method
    def predict_joint_log_proba(self, X: TableLike) -> NDArray[Any]:
        """``log P(c) + log P(x | c)`` for every row and class, in the order of ``classes_``."""
        table = check_X(self, X, order="C")
        variance = self.var_.astype(np.float64)
        # A class without rows (or with prior 0) gets -inf: it is never predicted.
        with np.errstate(divide="ignore", invalid="ignore"):
            constant = np.log(self.class_prior_.astype(np.float64))
            constant = constant - 0.5 * np.log(2.0 * np.pi * variance).sum(axis=1)
            precision = np.where(variance > 0, 1.0 / variance, 0.0)
        constant[np.asarray(self.class_prior_) == 0] = -np.inf
        return _native_calls.gaussian_log_joint(table, self.theta_.astype(np.float64), precision, constant).astype(
            table.dtype
        )


def _pooled_variance(
    count: NDArray[np.float64], mean: NDArray[np.float64], m2: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Variance of each column over all classes together."""
    share = count[:, np.newaxis] / count.sum()
    centre = (share * mean).sum(axis=0)
    return m2.sum(axis=0) / count.sum() + (share * (mean - centre) ** 2).sum(axis=0)
