"""Classifiers that know the joint log-probability of rows and classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from certus.base import Classifier, predict_method
from certus.base.inputs import TableLike


class JointClassifier(Classifier):
    """A classifier that decides by Bayes' rule: argmax_c log P(c) + log P(x | c)."""

    def predict_joint_log_proba(self, X: TableLike) -> NDArray[Any]:
        """``log P(c) + log P(x | c)`` for every row and class, in the order of ``classes_``.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        raise NotImplementedError

    @predict_method
    def predict(self, X: TableLike) -> NDArray[Any]:
        """The most probable label of each row."""
        best: NDArray[Any] = self.classes_[np.argmax(self.predict_joint_log_proba(X), axis=1)]
        return best

    @predict_method
    def predict_log_proba(self, X: TableLike) -> NDArray[Any]:
        """Logarithm of `predict_proba`."""
        joint = _certain(self.predict_joint_log_proba(X))
        total = logsumexp(joint, axis=1, keepdims=True)
        # A row that no class can have tells nothing about the classes.
        nowhere = np.isneginf(total)
        return np.where(nowhere, -np.log(joint.shape[1]), joint - np.where(nowhere, 0.0, total)).astype(joint.dtype)

    @predict_method
    def predict_proba(self, X: TableLike) -> NDArray[Any]:
        """Probability of each class for each row, in the order of ``classes_``."""
        joint = _certain(self.predict_joint_log_proba(X))
        best = joint.max(axis=1, keepdims=True)
        # Relative to the best class, since log 2 would be lost beside logarithms of 1e17; 0 where there is none.
        shares = np.exp(np.where(np.isneginf(best), 0.0, joint - np.where(np.isneginf(best), 0.0, best)))
        return (shares / shares.sum(axis=1, keepdims=True)).astype(joint.dtype)


def _certain(joint: NDArray[Any]) -> NDArray[Any]:
    """Where classes have the score infinity, these share what there is."""
    sure = np.isposinf(joint)
    return np.where(sure.any(axis=1, keepdims=True), np.where(sure, 0.0, -np.inf), joint) if sure.any() else joint


def begins(learner: Classifier, classes: Any) -> bool:
    """Whether this is the first `partial_fit`, which must name the classes; later ones must not change them."""
    if not hasattr(learner, "classes_"):
        if classes is None:
            raise ValueError(
                "classes must be passed on the first call to partial_fit.\n"
                "Hint: partial_fit(X, y, classes=[...]) with every label that may ever come."
            )
        return True
    if classes is not None and not np.array_equal(np.unique(classes), learner.classes_):
        raise ValueError(
            f"`classes={classes!r}` is not the same as on last call to partial_fit, was: {learner.classes_!r}"
        )
    return False


def known_codes(learner: Classifier, y: NDArray[Any]) -> NDArray[np.int64]:
    """The place of every label among the known ones; an unknown label is an error."""
    places = np.searchsorted(learner.classes_, y)
    known = learner.classes_.take(places, mode="clip") == y
    if not np.all(known):
        unknown = np.setdiff1d(y, learner.classes_)
        raise ValueError(f"The target label(s) {unknown} in y do not exist in the initial classes {learner.classes_}")
    return places.astype(np.int64, copy=False)


def check_class_prior(prior: NDArray[np.float64]) -> None:
    """Refuse what is no distribution over the classes."""
    if (prior < 0).any() or not np.isfinite(prior).all():
        raise ValueError(f"class_prior must hold finite numbers that are not negative, got {prior.tolist()}.")
    if abs(prior.sum() - 1.0) > 1e-6:
        raise ValueError(
            f"class_prior must sum to 1, got a sum of {prior.sum():.10g}.\n"
            "Hint: divide by the sum if these are counts or weights."
        )
