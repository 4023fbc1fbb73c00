"""Choosing a blend greedily on validation predictions, when it really wins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.workflow.measures import Measure

Array = NDArray[Any]
LARGEST_BLEND = 12  # votes, of which one model may have several
REPEATS = 3  # divisions into halves by which a blend is compared with the best single trial


def choose_blend(
    votes: Sequence[Array],
    truth: Array,
    measure: Measure,
    seed: int,
    *,
    always: bool = False,
    row_weights: Array | None = None,
) -> NDArray[np.float64] | None:
    """Weights of a blend that beats the best single trial by more than a standard error, or None.

    ``votes`` has for each trial its out-of-fold numbers, or probabilities of every class. Whether a blend wins is
    judged on rows that did not choose it: weights chosen on one half of the rows are measured on the other, and the
    same is done for the best single trial; three times, since halves are a matter of chance. A blend is larger and
    harder to explain, so its paired gain must exceed the gain's standard error. ``always`` asks for it anyway. Weights
    of rows count where a blend is chosen, which is training, and not where it is judged.
    """
    if len(votes) < 2:
        return None
    rng = np.random.default_rng(seed)
    gains: list[float] = []
    by_row = np.zeros(len(truth))
    for _ in range(0 if always else REPEATS):
        halves = rng.permutation(len(truth)) % 2
        for half in (0, 1):
            chosen, judged = halves == half, halves != half
            own = None if row_weights is None else row_weights[chosen]
            weights = greedy_weights([vote[chosen] for vote in votes], truth[chosen], measure, own)
            best = min(votes, key=lambda vote: _value(vote[chosen], truth[chosen], measure))
            pair = best[judged], mix([vote[judged] for vote in votes], weights)
            gains.append(_value(pair[0], truth[judged], measure) - _value(pair[1], truth[judged], measure))
            if measure.rows is not None:
                single, blended = (_losses(one, truth[judged], measure) for one in pair)
                by_row[judged] += (single - blended) / REPEATS
    differences = np.array(gains) if measure.rows is None else by_row
    if not always and not np.mean(differences) > np.std(differences) / np.sqrt(len(differences)):
        return None
    weights = greedy_weights(votes, truth, measure, row_weights)
    return weights if np.count_nonzero(weights) > 1 else None


def greedy_weights(
    votes: Sequence[Array], truth: Array, measure: Measure, row_weights: Array | None = None
) -> NDArray[np.float64]:
    """Add one vote at a time, whichever gives the lowest loss of the mean; keep the best number of votes.

    Of equal losses, as counts of errors often are, the one with the better probabilities counts as lower. With weights
    of rows, each row is there as often as its weight says (`_repeats`), so that every measure can be asked.
    """
    if row_weights is not None:
        rows = _repeats(row_weights)
        votes, truth = [vote[rows] for vote in votes], truth[rows]
    total, counts = np.zeros_like(votes[0], dtype=np.float64), np.zeros(len(votes))
    lowest, kept = (np.inf, np.inf), counts
    for number in range(1, LARGEST_BLEND + 1):
        mixed = [(total + vote) / number for vote in votes]
        values = [(_value(one, truth, measure), _squared_distance(one, truth)) for one in mixed]
        best = min(range(len(votes)), key=values.__getitem__)
        total += votes[best]
        counts[best] += 1
        if values[best] < lowest:
            lowest, kept = values[best], counts.copy()
    return kept / kept.sum()


def _repeats(row_weights: Array) -> Array:
    """Rows in proportion to their weights: those at evenly spaced places of the cumulated weight, four per row."""
    reached = np.cumsum(row_weights)
    places = (np.arange(4 * len(row_weights)) + 0.5) * (reached[-1] / (4 * len(row_weights)))
    return np.searchsorted(reached, places)


def mix(votes: Sequence[Array], weights: NDArray[np.float64]) -> Array:
    """The weighted mean of votes."""
    return np.einsum("m,m...->...", weights, np.array(votes, dtype=np.float64))


def _squared_distance(votes: Array, truth: Array) -> float:
    """Mean squared distance of probabilities from what happened (Brier's score); 0 for numbers."""
    if votes.ndim == 1:
        return 0.0
    happened = truth if truth.ndim == 2 else np.eye(votes.shape[1])[truth.astype(np.intp)]
    return float(np.mean(np.sum((votes - happened) ** 2, axis=1)))


def _value(votes: Array, truth: Array, measure: Measure) -> float:
    if votes.ndim == 1:
        return measure.value(truth, votes, None)
    return measure.value(truth, measure.decide(votes), votes)


def _losses(votes: Array, truth: Array, measure: Measure) -> Array:
    """The losses of single rows, for measures that have them."""
    assert measure.rows is not None
    if votes.ndim == 1:
        return measure.rows(truth, votes, None)
    return measure.rows(truth, measure.decide(votes), votes)
