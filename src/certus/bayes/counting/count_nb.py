"""Naive Bayes classifiers whose parameters are counts: what they share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets

from certus.base import distinct_labels, fit_method, warn_user
from certus.base.blocks import ScaledFit
from certus.base.inputs import LARGEST, TableLike, TargetLike, WeightsLike, check_weights, check_X, check_Xy
from certus.base.params import ArrayLike, Boolean, Exactly, Interval
from certus.base.persistence import check_shapes
from certus.bayes.counting.joint_classifier import JointClassifier, begins, check_class_prior, known_codes
from certus.bayes.counting.linear_scores import check_log_probabilities
from certus.bayes.in_blocks.class_counts import fit_class_counts
from certus.guarantees import Report

Floats = NDArray[np.float64]


class CountNB(JointClassifier):
    """Naive Bayes by counting, with ``alpha`` imaginary rows.

    Parameters
    ----------
    alpha : float or array-like of shape (n_features,), default=1.0
        Added to every count, so that nothing has probability 0: the posterior mean under a Dirichlet(alpha) prior.
    force_alpha : bool, default=True
        Whether an alpha below 1e-10 is taken as it is; else it is raised to 1e-10, with a warning.
    fit_prior : bool, default=True
        Whether class probabilities are learned; else they are equal.
    class_prior : array-like of shape (n_classes,), default=None
        Class probabilities, if they are known.

    Attributes
    ----------
    class_count_ : ndarray of shape (n_classes,)
        Total weight of the rows of each class.
    class_log_prior_ : ndarray of shape (n_classes,)
        Logarithm of the probability of each class.
    report_ : Report
        Empty: the training rows alone bound nothing about a naive Bayes model. Use `certify`.
    """

    _takes_sparse = True
    _constraints = {
        "alpha": [Interval(0, None), ArrayLike()],
        "force_alpha": [Boolean()],
        "fit_prior": [Boolean()],
        "class_prior": [ArrayLike(), Exactly(None)],
    }
    _scaled = ScaledFit("exact", fit_class_counts, {"accept_sparse": "csr", "order": "C", "largest": LARGEST})
    alpha: Any
    force_alpha: bool
    fit_prior: bool
    class_prior: Any
    class_count_: Floats

    @fit_method
    def fit(self, X: TableLike, y: TargetLike, sample_weight: WeightsLike = None) -> CountNB:
        """Count the features of every class."""
        table, labels = self._read(X, y, reset=True)
        self.classes_, codes = distinct_labels(labels)
        self._start(table)
        return self._add(table, codes.astype(np.int64, copy=False), sample_weight)

    @fit_method
    def partial_fit(
        self, X: TableLike, y: TargetLike, classes: Any = None, sample_weight: WeightsLike = None
    ) -> CountNB:
        """Add a batch of rows to what was counted so far.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows of this batch.
        """
        first = begins(self, classes)
        table, labels = self._read(X, y, reset=first)
        check_classification_targets(labels)
        if first:
            self.classes_ = np.unique(classes)
            self._start(table)
        return self._add(table, known_codes(self, labels), sample_weight)

    def _read(self, X: TableLike, y: TargetLike, *, reset: bool) -> tuple[Any, NDArray[Any]]:
        return check_Xy(self, X, y, accept_sparse="csr", order="C", reset=reset, largest=LARGEST)

    def _read_rows(self, X: TableLike) -> Any:
        return check_X(self, X, accept_sparse="csr", order="C")

    def _start(self, X: Any) -> None:
        """Counts of no rows."""
        self.class_count_ = np.zeros(len(self.classes_))
        self.feature_count_ = np.zeros((len(self.classes_), X.shape[1]))

    def _add(self, X: Any, codes: NDArray[np.int64], sample_weight: WeightsLike) -> CountNB:
        weights = check_weights(self, sample_weight, X)
        self._count(X, codes, weights)
        self.class_count_ += np.bincount(codes, weights=weights, minlength=len(self.classes_))
        return self._finish()

    def _finish(self) -> CountNB:
        """Store what follows from the counts."""
        self._smooth(self._check_alpha())
        self.class_log_prior_ = self._log_prior()
        self.report_ = Report()
        return self

    def _count(self, X: Any, codes: NDArray[np.int64], weights: Floats | None) -> None:
        raise NotImplementedError

    def _smooth(self, alpha: Any) -> None:
        """The logarithms of probabilities from the counts."""
        raise NotImplementedError

    def _log_prior(self) -> Floats:
        count = len(self.classes_)
        if self.class_prior is not None:
            prior = np.asarray(self.class_prior, dtype=np.float64)
            if len(prior) != count:
                raise ValueError(
                    f"Number of priors must match number of classes. Got {len(prior)} for {count} classes."
                )
            check_class_prior(prior)
        else:
            prior = self.class_count_ / self.class_count_.sum() if self.fit_prior else np.full(count, 1.0 / count)
        with np.errstate(divide="ignore"):
            return np.log(prior)

    def _check_alpha(self) -> Any:
        alpha = self.alpha if np.isscalar(self.alpha) else np.asarray(self.alpha, dtype=np.float64)
        if not np.isfinite(alpha).all():
            raise ValueError(f"alpha must be finite, got {self.alpha!r}.")
        if isinstance(alpha, np.ndarray):
            if alpha.shape[0] != self.n_features_in_:
                raise ValueError(
                    "When alpha is an array, it should contains `n_features`. "
                    f"Got {alpha.shape[0]} elements instead of {self.n_features_in_}."
                )
            if np.min(alpha) < 0:
                raise ValueError("All values in alpha must be greater than 0.")
        lowest = 1e-10
        if np.min(alpha) < lowest and not self.force_alpha:
            warn_user(
                f"alpha too small will result in numeric errors, setting alpha = {lowest:.1e}. "
                "Use `force_alpha=True` to keep alpha unchanged."
            )
            return np.maximum(alpha, lowest)
        return alpha

    def _restored(self) -> None:
        if hasattr(self, "classes_"):
            table = (len(self.classes_), self.n_features_in_)
            check_shapes(self, feature_count_=table, feature_log_prob_=table, class_log_prior_=table[:1])
            check_log_probabilities(self.feature_log_prob_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags
