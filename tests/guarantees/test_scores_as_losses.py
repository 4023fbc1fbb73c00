"""Mean F1 over classes, and scores read as losses: every outcome of a small sample, weighted by its probability."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest
from scipy import stats

from certus.guarantees import auc_bound, balanced_accuracy_bound, complement, error_bound, macro_f_bound

DELTA = 0.1
ROWS = 14


def counts_of(matrix: tuple[float, float, float, float]) -> tuple[list[float], list[float], list[float]]:
    """Hits, false alarms and misses of both classes from the cells (0 as 0, 0 as 1, 1 as 0, 1 as 1)."""
    a, b, c, d = matrix
    return [a, d], [c, b], [b, c]


def mean_f1(matrix: tuple[float, float, float, float]) -> float:
    """The mean over both classes of 2 hits / (2 hits + false alarms + misses), 0 for a class nobody names."""
    hits, alarms, misses = counts_of(matrix)
    named = [2 * h + f + m for h, f, m in zip(hits, alarms, misses, strict=True)]
    return sum(2 * h / n if n else 0.0 for h, n in zip(hits, named, strict=True)) / 2


def violation(limit: Callable[[tuple[int, int, int, int]], float], cells: tuple[float, float, float, float]) -> float:
    """Probability that the limit lies above the true mean F1."""
    law, truth, wrong = stats.multinomial(ROWS, cells), mean_f1(cells), 0.0
    for a, b, c in itertools.product(range(ROWS + 1), repeat=3):
        if a + b + c <= ROWS:
            matrix = (a, b, c, ROWS - a - b - c)
            wrong += law.pmf(matrix) * (limit(matrix) > truth)
    return wrong


@pytest.mark.parametrize("cells", [(0.4, 0.1, 0.1, 0.4), (0.7, 0.05, 0.2, 0.05), (0.25, 0.25, 0.25, 0.25)])
def test_mean_f1_is_bounded_as_often_as_said(cells: tuple[float, float, float, float]) -> None:
    assert violation(lambda matrix: macro_f_bound(*counts_of(matrix), confidence=1 - DELTA).value, cells) <= DELTA
    assert violation(mean_f1, cells) > DELTA  # what was observed is no bound


def test_losses_of_scores_bound_from_above() -> None:
    for score in (auc_bound([0.9, 0.8] * 20, [0.1, 0.85] * 20), balanced_accuracy_bound([9, 8], [10, 10])):
        loss = complement(score)
        assert loss.direction == "upper"
        assert loss.value == 1.0 - score.value
        assert loss.confidence == score.confidence
        assert loss.check()


def test_only_scores_have_a_complement() -> None:
    with pytest.raises(ValueError, match="a lower bound on a score between 0 and 1 is needed"):
        complement(error_bound(3, 100))


def test_mean_f1_needs_counts_of_every_class() -> None:
    with pytest.raises(ValueError, match="one entry per class"):
        macro_f_bound([1, 2], [0], [0])
