"""Adversaries that make every learner pay: what no bound on experts can be below."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from certus.guarantees.records import check_count

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ForcedStream:
    """Votes and labels that an adversary chose while a learner played.

    Parameters
    ----------
    advice : array of shape (T, n)
        Votes 0 or 1.
    labels : array of shape (T,)
        0 or 1, always the opposite of the prediction.
    mistakes : int
        How many the learner made: all T.
    """

    advice: Floats
    labels: Floats
    mistakes: int


def force_halvings(learner: object, experts: int) -> ForcedStream:
    """Make a learner err floor(lg n) times although one of n experts is perfect.

    The experts that are still perfect vote half and half; the label is what the learner did not say.

    Parameters
    ----------
    learner : learner of advice
        Deterministic, with ``predict_one`` and ``learn_one``.
    experts : int
        Their number n.

    Examples
    --------
    >>> from certus.online import Halving, force_halvings
    >>> stream = force_halvings(Halving(), 8)
    >>> stream.mistakes, int((stream.advice == stream.labels[:, None]).all(axis=0).sum())
    (3, 1)
    """
    check_count(experts, "experts", minimum=1)
    perfect = np.arange(experts)

    def votes() -> Floats:
        row = np.zeros(experts)
        row[perfect[: len(perfect) // 2]] = 1.0
        return row

    def keep(row: Floats, label: float) -> None:
        nonlocal perfect
        perfect = perfect[row[perfect] == label]

    return _forced(learner, experts.bit_length() - 1, votes, keep)


def force_double_loss(learner: object, trials: int) -> ForcedStream:
    """Make a learner err in every trial, while the better of two constant experts errs in at most half of them.

    So no deterministic rule has a bound L_A <= c L* + o(T) with c < 2.

    Parameters
    ----------
    learner : learner of advice
        Deterministic, with ``predict_one`` and ``learn_one``.
    trials : int
        How many.

    Examples
    --------
    >>> from certus.online import WeightedMajority, force_double_loss
    >>> stream = force_double_loss(WeightedMajority(), 100)
    >>> stream.mistakes, int((stream.advice != stream.labels[:, None]).sum(axis=0).min()) <= 50
    (100, True)
    """
    check_count(trials, "trials", minimum=1)
    return _forced(learner, trials, lambda: np.array([0.0, 1.0]), lambda _row, _label: None)


def _forced(
    learner: object, trials: int, votes: Callable[[], Floats], keep: Callable[[Floats, float], None]
) -> ForcedStream:
    advice, labels, mistakes = [], [], 0
    for _ in range(trials):
        row = votes()
        said = learner.predict_one(row)  # type: ignore[attr-defined]
        label = 0.0 if said >= 0.5 else 1.0
        learner.learn_one(row, label)  # type: ignore[attr-defined]
        keep(row, label)
        advice.append(row)
        labels.append(label)
        mistakes += float(said >= 0.5) != label
    return ForcedStream(np.array(advice), np.array(labels), mistakes)


def c_regret(losses: Floats, paid: float, factor: float) -> float:
    """What was paid beyond `factor` times the best expert's loss, from losses of shape (T, n).

    Examples
    --------
    >>> c_regret(np.array([[0.0, 1.0], [1.0, 0.0]]), 2.0, 2.0)
    0.0
    """
    return paid - factor * float(np.asarray(losses).sum(axis=0).min())
