"""The stream once more, for what can be said only when it is whole: who would have been best."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone

from certus.linear import LinearSVC
from certus.losses import KnownLoss
from certus.online._native_calls.stream_kernels import Array
from certus.online.evidence.played_scores import PlayedScores
from certus.online.learning.stream_rows import as_codes
from certus.online.learning.stream_weights import trials_of

COSTS = (1e-3, 1e-2, 1e-1, 1.0, 1e1, 1e2, 1e4, 1e6)  # of machines, over the mean squared length of the rows
STEPS = 300


@dataclass(frozen=True)
class Hindsight:
    """A stream with two labels or with numbers, trial by trial, and the scores that its learner played.

    Parameters
    ----------
    rows : matrix of shape (n_samples, n_features + 1)
        The rows, with the constant.
    targets : ndarray of shape (n_samples,)
        Signs, or numbers.
    scores : ndarray of shape (n_samples,)
        What the learner played.
    shares : ndarray of shape (n_samples,)
        How much of each loss counts.
    """

    rows: Any
    targets: Array
    scores: Array
    shares: Array

    def lengths(self) -> Array:
        """Of the rows."""
        squares = self.rows.multiply(self.rows) if sparse.issparse(self.rows) else self.rows * self.rows
        return np.sqrt(np.asarray(squares.sum(axis=1)).ravel())

    def part(self, kept: NDArray[np.bool_] | slice) -> Hindsight:
        """Some of the trials."""
        return Hindsight(self.rows[kept], self.targets[kept], self.scores[kept], self.shares[kept])


def hindsight(learner: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Hindsight]:
    """Go through the stream again with a fresh learner, which has to end where this one is.

    There is one entry per problem, which has the trials since the problem is there.
    """
    again, played = clone(learner), PlayedScores()
    if "told_classes_" in vars(learner):
        again._set_classes(learner.told_classes_)
    again._scores_played = played
    again._learn(X, y, sample_weight, played=False)
    same = again.state_.vectors.shape == learner.state_.vectors.shape
    if not same or not all(
        np.array_equal(getattr(again.state_, name), getattr(learner.state_, name)) for name in ("vectors", "numbers")
    ):
        raise ValueError(
            f"these {played.trials} trials are not the stream that was learned.\n"
            "Hint: give all rows since the learner was new, in their order."
        )
    table, labels, shares = again._read_new(X), np.asarray(y), np.ones(played.trials)
    if sample_weight is not None:
        index, shares = trials_of(np.broadcast_to(np.asarray(sample_weight, dtype=np.float64), len(labels)))
        table, labels = table[index], labels[index]
    constant = np.full((table.shape[0], 1), float(learner.fit_intercept))
    width = learner.state_.columns - table.shape[1]
    blocks = [table, np.zeros((table.shape[0], width)), constant]
    rows = sparse.hstack(blocks, format="csr") if sparse.issparse(table) else np.hstack(blocks)
    signs, scores = signs_of(again, labels), played.whole()
    problems = range(signs.shape[1])
    return [Hindsight(rows, signs[:, k], scores[:, k], shares).part(slice(played.first[k], None)) for k in problems]


def signs_of(learner: Any, y: Any) -> Array:
    """The labels as -1 and 1, one column per problem; numbers as they are."""
    if not learner._classifies:
        return np.asarray(y, dtype=np.float64)[:, None]
    if len(learner.classes_) == 1:
        return np.full((len(y), 1), -1.0)
    codes = as_codes(np.asarray(y), learner.classes_)[:, None]
    if len(learner.classes_) == 2:
        return 2.0 * codes - 1.0
    return np.where(codes == np.arange(len(learner.classes_)), 1.0, -1.0)


def separators(stream: Hindsight) -> list[Array]:
    """Linear machines with ever higher costs; those that separate the trials are scaled to the margin 1."""
    if len(np.unique(stream.targets)) < 2:
        return [_scaled(np.asarray(stream.targets @ stream.rows).ravel(), stream)]
    mean = float(np.mean(stream.lengths() ** 2))
    found = []
    for cost in COSTS:
        machine = LinearSVC(C=cost / mean, loss="hinge", fit_intercept=False).fit(stream.rows, stream.targets)
        found.append(_scaled(machine.coef_[0], stream))
    return found


def _scaled(u: Array, stream: Hindsight) -> Array:
    margin = float(np.min(stream.targets * (stream.rows @ u)))
    return u / margin * (1.0 + 1e-12) if margin > 0.0 else u


def hinge_losses(stream: Hindsight, u: Array) -> Array:
    """Of a competitor, trial by trial."""
    return np.maximum(0.0, 1.0 - stream.targets * (stream.rows @ u))


def best_competitor(stream: Hindsight, loss: KnownLoss, project: Any) -> Array:
    """The best u of a class that accelerated projected gradients find (Beck, Teboulle 2009)."""
    rows, targets = stream.rows, stream.targets

    def value(u: Array) -> float:
        return float(np.sum(stream.shares * loss.value(targets, rows @ u)))

    at = best = np.zeros(rows.shape[1])
    smallest, ahead, momentum, step = value(at), at, 1.0, 1.0
    for _ in range(STEPS):
        slope = np.asarray(rows.T @ (stream.shares * loss.derivative(targets, rows @ ahead))).ravel()
        start = value(ahead)
        for _ in range(60):
            to = project(ahead - step * slope)
            move = to - ahead
            if value(to) <= start + float(slope @ move) + float(move @ move) / (2.0 * step) + 1e-12 * abs(start):
                break
            step /= 2.0
        following = (1.0 + np.sqrt(1.0 + 4.0 * momentum**2)) / 2.0
        ahead, at, momentum = to + (momentum - 1.0) / following * (to - at), to, following
        if value(at) < smallest:
            smallest, best = value(at), at
    return best
