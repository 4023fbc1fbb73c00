"""Slow readable twins of the learners over a kernel; instead of rows they get the matrix of all kernel values."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base import catalogue
from certus.guarantees import Ledger
from certus.guarantees.ledgers import twin
from certus.online.learning.stream_weights import trials_of

Array = NDArray[np.float64]
PERCEPTRON = "online/kernel-perceptron-stream"
DESCENT = "online/kernel-descent-stream"


class Played:
    """Kept trials with their coefficients, one column per label, written out."""

    def __init__(self, learner: Any, K: Array, labels: NDArray[Any]) -> None:
        self.K, self.labels, self.classes = K, labels, learner.classes_
        self.first = learner._first_trials(labels)
        self.known = set(learner._known_before())
        self.kept: list[int] = []
        self.coef: list[Array] = []

    def values(self, trial: int) -> Array:
        """The functions at the row of a trial."""
        found = np.zeros(len(self.classes))
        for place, a in zip(self.kept, self.coef, strict=True):
            found += self.K[trial, place] * a
        return found

    def signs(self, trial: int) -> Array:
        """1 for the label, -1 for the others, 0 for those that are still to come."""
        signs = np.where(self.classes == self.labels[trial], 1.0, -1.0)
        return np.where(np.array(self.first) <= trial, signs, 0.0)

    def squares(self) -> Array:
        """The squared lengths of the functions."""
        A = np.array(self.coef).reshape(len(self.coef), len(self.classes))
        return np.einsum("ik,ij,jk->k", A, self.K[np.ix_(self.kept, self.kept)], A)

    def keep(self, trial: int, change: Array) -> None:
        self.kept.append(trial)
        self.coef.append(change)

    def known_places(self) -> list[int]:
        """The labels that may be predicted."""
        return [place for place, label in enumerate(self.classes.tolist()) if label in self.known]


def wrong_trials(learner: Any, K: Array, labels: NDArray[Any]) -> NDArray[np.bool_]:
    """Which trials each of the perceptron's functions got wrong."""
    return _perceptron(learner, K, labels)[0]


def _perceptron(learner: Any, K: Array, labels: NDArray[Any]) -> tuple[NDArray[np.bool_], int, int, Array]:
    """Wrong functions per trial, mistakes, those by unknown labels, and the account."""
    played, budget = Played(learner, K, labels), learner.budget
    wrong = np.zeros((len(labels), len(played.classes)), dtype=bool)
    forgotten, shrunk = np.zeros(len(played.classes)), np.zeros(len(played.classes))
    mistakes = unknown = 0
    for trial, label in enumerate(labels.tolist()):
        values, signs = played.values(trial), played.signs(trial)
        places = played.known_places()
        new = label not in played.known
        unknown += new
        own = played.classes.tolist().index(label)
        rivals = [values[place] for place in places if place != own] or [0.0]
        mistakes += new or not values[own] > max(rivals)
        played.known.add(label)
        wrong[trial] = (signs * values <= 0.0) & (signs != 0.0)
        if not wrong[trial].any():
            continue
        played.keep(trial, np.where(wrong[trial], signs, 0.0))
        if budget is not None and len(played.kept) > budget:
            shrinkage = math.exp(-0.5 * math.log(budget + 1.0) / (budget + 1.0))
            shrunk += (1.0 - shrinkage) * np.sqrt(played.squares())
            played.coef = [shrinkage * a for a in played.coef]
            forgotten += np.abs(played.coef.pop(0))
            played.kept.pop(0)
    return wrong, mistakes, unknown, np.vstack([played.squares(), wrong.sum(axis=0), forgotten, shrunk])


def _learner(settings: Mapping[str, Any], data: Any) -> tuple[Any, Array, NDArray[Any]]:
    K, y, *weights = data
    K, labels = np.asarray(K, dtype=np.float64), np.asarray(y)
    if weights and weights[0] is not None:
        index, _ = trials_of(np.broadcast_to(np.asarray(weights[0], dtype=np.float64), len(labels)))
        K, labels = K[np.ix_(index, index)], labels[index]
    kind: Any = catalogue.find(f"certus.online.{settings['class']}")
    learner = kind(**dict(settings["parameters"]))
    if settings.get("told_classes_") is not None:
        learner.told_classes_ = np.asarray(settings["told_classes_"])
    known = learner._known_before()
    learner._set_classes(np.unique(labels if not known else np.append(np.asarray(known), labels)))
    if settings.get("audited_") is not None:
        learner.audited_ = dict(settings["audited_"])
    learner.rows_, learner.trials_ = np.zeros((0, 1)), len(labels)
    return learner, K, labels


@twin(PERCEPTRON)
def _replay_perceptron(settings: Mapping[str, Any], data: Any) -> Ledger:
    learner, K, labels = _learner(settings, data)
    _, learner.mistakes_, learner.unknown_, learner.account_ = _perceptron(learner, K, labels)
    found: Ledger = learner.ledger_
    return found


@twin(DESCENT)
def _replay_descent(settings: Mapping[str, Any], data: Any) -> Ledger:
    learner, K, labels = _learner(settings, data)
    learner.seed_ = int(settings["seed"])
    played, eta = Played(learner, K, labels), learner._eta()
    account = np.zeros((3, len(played.classes)))
    learner.expected_, learner.mistakes_, learner.unknown_ = 0.0, 0, 0
    for trial, label in enumerate(labels.tolist()):
        values, signs = played.values(trial), played.signs(trial)
        places, own = played.known_places(), played.classes.tolist().index(label)
        chances = np.zeros(len(values))
        chances[places] = learner._chances(values[places]) if places else 0.0
        if label not in played.known:
            learner.unknown_ += 1
        learner.expected_ += 1.0 - chances[own]
        learner.trials_ = trial
        said = places[learner._said(values[places])] if places else -1
        learner.mistakes_ += said != own
        played.known.add(label)
        active = (signs * values <= 1.0) & (signs != 0.0)
        account[1] -= np.where(active, signs * values, 0.0)
        account[2] += np.where(active, K[trial, trial], 0.0)
        if active.any():
            played.keep(trial, eta * np.where(active, signs, 0.0))
    account[0] = played.squares()
    learner.trials_, learner.account_ = len(labels), account
    found: Ledger = learner.ledger_
    return found
