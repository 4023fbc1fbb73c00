"""A weighted vote of trained models."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from certus.base import TableLike, register_part
from certus.evaluation import gives_probabilities, label_response
from certus.guarantees import Report


@register_part("workflow")
class Blend:
    """The weighted mean of what several trained models predict.

    Parameters
    ----------
    members : list of Pipeline
        Trained models.
    weights : array
        Their weights; they sum to 1.
    classes : array or None
        The labels, if labels are predicted; of several targets (0, 1) for each.
    """

    _state = ("members_", "weights_", "classes_", "feature_names_in_", "n_features_in_")

    def __init__(self, members: list[Pipeline], weights: NDArray[np.float64], classes: NDArray[Any] | None) -> None:
        self.members_ = members
        self.weights_ = np.asarray(weights, dtype=np.float64)
        if classes is not None:
            self.classes_ = classes
        self.feature_names_in_ = members[0].feature_names_in_
        self.n_features_in_ = members[0].n_features_in_
        self.report_ = Report()

    def _restored(self) -> None:
        if not isinstance(self.members_, list) or not all(isinstance(one, Pipeline) for one in self.members_):
            raise ValueError("members_ must be trained pipelines")
        weights = self.weights_
        fits = (
            isinstance(weights, np.ndarray) and weights.dtype == np.float64 and weights.shape == (len(self.members_),)
        )
        if not fits or not (np.isfinite(weights) & (weights >= 0.0)).all():
            raise ValueError("weights_ must be one number from 0 per member")

    @property
    def gives_probabilities(self) -> bool:
        """Whether all members give probabilities; else some of them only vote."""
        return all(gives_probabilities(member) for member in self.members_)

    def predict_proba(self, X: TableLike) -> NDArray[np.float64]:
        """Mean probability (or vote) of every label."""
        responses = [label_response(member, X, self.classes_) for member in self.members_]
        total = np.zeros_like(responses[0])
        for response, weight in zip(responses, self.weights_, strict=True):
            total += weight * response
        return total

    def predict(self, X: TableLike) -> NDArray[Any]:
        """The most probable label, or the mean number."""
        if not hasattr(self, "classes_"):
            predictions = [np.asarray(member.predict(X), dtype=np.float64) for member in self.members_]
            return np.einsum("m,mr->r", self.weights_, np.array(predictions))
        if self.classes_.ndim == 2:
            return (self.predict_proba(X) > 0.5).astype(np.intp)
        return self.classes_[np.argmax(self.predict_proba(X), axis=1)]

    def __repr__(self) -> str:
        names = ", ".join(f"{w:.2g} {type(m[-1]).__name__}" for m, w in zip(self.members_, self.weights_, strict=True))
        return f"Blend({names})"
