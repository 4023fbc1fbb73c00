"""A weighted vote of trained models, chosen greedily on validation answers when it really wins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base import register_part
from certus.guarantees import Report
from certus.workflow.measures import Measure
from certus.workflow.response import gives_probabilities, shares_of

LARGEST_BLEND = 12  # votes, of which one model may have several
REPEATS = 3  # divisions into halves by which a blend is compared with the best single trial


@register_part("workflow")
class Blend:
    """The weighted mean of what several trained models say.

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

    def __init__(self, members: list[Any], weights: NDArray[Any], classes: NDArray[Any] | None) -> None:
        self.members_ = members
        self.weights_ = np.asarray(weights, dtype=np.float64)
        if classes is not None:
            self.classes_ = classes
        self.feature_names_in_ = members[0].feature_names_in_
        self.n_features_in_ = members[0].n_features_in_
        self.report_ = Report()

    @property
    def gives_probabilities(self) -> bool:
        """Whether all members give probabilities; else some of them only vote."""
        return all(gives_probabilities(member) for member in self.members_)

    def predict_proba(self, X: Any) -> NDArray[Any]:
        """Mean probability (or vote) of every label."""
        total = np.zeros((len(X), len(self.classes_)))
        for member, weight in zip(self.members_, self.weights_, strict=True):
            total += weight * shares_of(member, X, self.classes_)
        return total

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable label, or the mean number."""
        if hasattr(self, "classes_") and self.classes_.ndim == 2:
            return (self.predict_proba(X) > 0.5).astype(np.intp)
        if hasattr(self, "classes_"):
            return self.classes_[np.argmax(self.predict_proba(X), axis=1)]
        answers = [np.asarray(member.predict(X), dtype=np.float64) for member in self.members_]
        return np.einsum("m,mr->r", self.weights_, np.array(answers))

    def __repr__(self) -> str:
        names = ", ".join(f"{w:.2g} {type(m[-1]).__name__}" for m, w in zip(self.members_, self.weights_, strict=True))
        return f"Blend({names})"


@dataclass(frozen=True)
class Votes:
    """What one trial says about the validated rows: numbers, or probabilities of every class."""

    said: NDArray[Any]


def choose_blend(votes: list[Votes], truth: NDArray[Any], measure: Measure, seed: int) -> NDArray[np.float64] | None:
    """Weights of a blend that beats the best single trial, or None.

    Whether it does is judged on rows that did not choose it: weights chosen on one half of the rows are measured
    on the other, and the same is done for the best single trial; three times, since halves are a matter of chance.
    """
    if len(votes) < 2:
        return None
    rng = np.random.default_rng(seed)
    blended, single = [], []
    for _ in range(REPEATS):
        halves = rng.permutation(len(truth)) % 2
        for half in (0, 1):
            chosen, judged = halves == half, halves != half
            weights = greedy_weights([vote.said[chosen] for vote in votes], truth[chosen], measure)
            best = min(range(len(votes)), key=lambda place: _value(votes[place].said[chosen], truth[chosen], measure))
            blended.append(_value(_mix([vote.said[judged] for vote in votes], weights), truth[judged], measure))
            single.append(_value(votes[best].said[judged], truth[judged], measure))
    if not np.mean(blended) < np.mean(single):
        return None
    weights = greedy_weights([vote.said for vote in votes], truth, measure)
    return weights if np.count_nonzero(weights) > 1 else None


def greedy_weights(said: list[NDArray[Any]], truth: NDArray[Any], measure: Measure) -> NDArray[np.float64]:
    """Add one vote at a time, whichever gives the lowest loss of the mean; keep the best number of votes.

    Of equal losses, as counts of errors often are, the one with the better probabilities counts as lower.
    """
    total, counts = np.zeros_like(said[0], dtype=np.float64), np.zeros(len(said))
    lowest, kept = (np.inf, np.inf), counts
    for votes in range(1, LARGEST_BLEND + 1):
        mixed = [(total + one) / votes for one in said]
        values = [(_value(one, truth, measure), _squared_distance(one, truth)) for one in mixed]
        best = min(range(len(said)), key=lambda place: values[place])
        total += said[best]
        counts[best] += 1
        if values[best] < lowest:
            lowest, kept = values[best], counts.copy()
    return kept / kept.sum()


def _squared_distance(said: NDArray[Any], truth: NDArray[Any]) -> float:
    """Mean squared distance of probabilities from what happened (Brier's score); 0 for numbers."""
    if said.ndim == 1:
        return 0.0
    happened = truth if truth.ndim == 2 else np.eye(said.shape[1])[truth.astype(np.intp)]
    return float(np.mean(np.sum((said - happened) ** 2, axis=1)))


def _mix(said: list[NDArray[Any]], weights: NDArray[np.float64]) -> NDArray[Any]:
    return np.einsum("m,m...->...", weights, np.array(said, dtype=np.float64))


def _value(said: NDArray[Any], truth: NDArray[Any], measure: Measure) -> float:
    if said.ndim == 1:
        return measure.value(truth, said, None)
    return measure.value(truth, measure.decide(said), said)
