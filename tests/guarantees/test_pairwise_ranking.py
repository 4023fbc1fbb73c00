"""The mean area under the ROC curves of all pairs of classes: exact counts, the promised rate of failures, mistakes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import roc_auc_score

from certus.guarantees import CertificateError, auc_bound, pairwise_auc_bound
from certus.guarantees.holdout import concentration
from certus.guarantees.holdout.pairwise_ranking import entering_classes, won_pairs_table
from certus.workflow.measures import MEASURES
from tests.guarantees.gate import allowed

DELTA = 0.1
# Every pair of classes: scores one standard deviation apart.
TRUTH = float(stats.norm.cdf(1.0 / math.sqrt(2.0)))

Drawn = tuple[np.ndarray, np.ndarray]


def independent(rng: np.random.Generator, counts: tuple[int, ...]) -> Drawn:
    """Every score has a noise of its own."""
    truth = np.repeat(np.arange(len(counts)), counts)
    return truth, np.eye(len(counts))[truth] + rng.normal(size=(len(truth), len(counts)))


def alike(rng: np.random.Generator, counts: tuple[int, ...]) -> Drawn:
    """One noise per row with alternating signs: areas of both orders of neighboring classes are equal."""
    truth = np.repeat(np.arange(len(counts)), counts)
    signs = np.where(np.arange(len(counts)) % 2 == 0, 1.0, -1.0)
    return truth, np.eye(len(counts))[truth] + rng.normal(size=(len(truth), 1)) * signs


def failures(
    lower: Callable[[np.ndarray, np.ndarray], float],
    draw: Callable[[np.random.Generator, tuple[int, ...]], Drawn],
    counts: tuple[int, ...],
    replicates: int = 500,
) -> float:
    """How often the lower bound lies above the true mean area."""
    rng = np.random.default_rng(counts)
    return float(np.mean([lower(*draw(rng, counts)) > TRUTH for _ in range(replicates)]))


def shipped(truth: np.ndarray, scores: np.ndarray) -> float:
    return pairwise_auc_bound(truth, scores, confidence=1 - DELTA).value


def with_rows(rows_of_pair: Callable[[int, int], float]) -> Callable[[np.ndarray, np.ndarray], float]:
    """The bound with another number of rows for each pair of classes."""

    def lower(truth: np.ndarray, scores: np.ndarray) -> float:
        counts = np.bincount(truth)
        loss = MEASURES["auc"].value(truth, truth, scores)
        pairs = [rows_of_pair(a, b) for a, b in itertools.combinations(counts.tolist(), 2)]
        effective = len(pairs) / sum(1.0 / rows for rows in pairs)
        return 1.0 - concentration.kl_upper(loss, -math.log(DELTA) / effective)

    return lower


@pytest.mark.parametrize("draw", [independent, alike])
@pytest.mark.parametrize("counts", [(20, 20, 20), (5, 20, 40), (12, 12), (8, 8, 8, 8, 8)])
def test_fails_no_more_often_than_said(draw: Callable[..., Drawn], counts: tuple[int, ...]) -> None:
    assert failures(shipped, draw, counts) <= allowed(DELTA, 500)


@pytest.mark.parametrize(
    "rows_of_pair",
    [max, lambda a, b: a * b, lambda a, b: a + b],
    ids=["the larger class counted", "all pairs of rows counted", "both classes counted"],
)
def test_mistakes_are_caught(rows_of_pair: Callable[[int, int], float]) -> None:
    counts = (4, 200)
    assert failures(with_rows(min), alike, counts) <= allowed(DELTA, 500)
    assert failures(with_rows(rows_of_pair), alike, counts) > allowed(DELTA, 500)


def test_rare_classes_count_as_zero_rather_than_spoil_the_bound() -> None:
    truth, scores = independent(np.random.default_rng(0), (300, 300, 300, 2))
    scores = scores + 3.0 * np.eye(4)[truth]
    bound = pairwise_auc_bound(truth, scores)
    assert bound.witness["classes"] == (0, 1, 2)
    kept = truth < 3
    of_three = pairwise_auc_bound(truth[kept], scores[kept, :3])
    assert bound.value == pytest.approx(of_three.value / 2, rel=1e-9)  # 6 of 12 ordered pairs
    assert "pairs with the rarest class count as 0" in bound.claim
    level = -math.log(0.05)
    assert entering_classes([300, 300, 300, 2], level) == [0, 1, 2]
    assert entering_classes([300, 300, 300, 200], level) == [0, 1, 2, 3]
    assert entering_classes([5, 0, 0], level) == []


def test_two_classes_give_the_usual_area() -> None:
    rng = np.random.default_rng(1)
    truth, positive = np.repeat([0, 1], [30, 50]), rng.normal(size=80)
    positive += truth
    both = pairwise_auc_bound(truth, np.column_stack([-positive, positive]))
    usual = auc_bound(positive[truth == 1], positive[truth == 0])
    assert both.value == pytest.approx(usual.value, rel=1e-12)


@pytest.mark.parametrize("digits", [1, 8])
def test_measure_is_that_of_scikit_learn(digits: int) -> None:
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 4, 200)
    shares = np.eye(4)[truth] + rng.random((200, 4))
    shares = np.round(shares / shares.sum(axis=1, keepdims=True), digits)
    shares[:, 0] += 1.0 - shares.sum(axis=1)
    expected = roc_auc_score(truth, shares, multi_class="ovo", labels=range(4))
    assert MEASURES["auc"].value(truth, truth, shares) == pytest.approx(1.0 - expected, abs=1e-12)
    for i, j in itertools.permutations(range(4), 2):
        ups, downs = shares[truth == i, i], shares[truth == j, i]
        slow = int(np.sum(2 * (ups[:, None] > downs) + (ups[:, None] == downs)))
        assert won_pairs_table(truth, shares, range(4))[i][j] == slow


def test_scores_are_counted_again() -> None:
    truth, scores = independent(np.random.default_rng(3), (10, 20, 30))
    bound = pairwise_auc_bound(truth, scores, uses=3)
    assert bound.check((truth, scores))
    with pytest.raises(CertificateError, match="do not give the counts"):
        bound.check((truth, scores[::-1]))
    assert bound.value < pairwise_auc_bound(truth, scores).value


@pytest.mark.parametrize(
    ("truth", "scores", "message"),
    [
        ([0, 1], [[0.5], [0.5]], "one column per class"),
        ([0, 1], [[0.5, np.nan], [0.5, 0.5]], "no NaN"),
        ([0, 2], [[0.5, 0.5], [0.5, 0.5]], "the column of scores"),
        ([0.0, 1.0], [[0.5, 0.5], [0.5, 0.5]], "the column of scores"),
        ([1, 1], [[0.5, 0.5], [0.5, 0.5]], "at least two classes need rows"),
    ],
)
def test_bad_input(truth: list[float], scores: list[list[float]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pairwise_auc_bound(truth, scores)
