"""No free lunch, enumerated."""

import numpy as np
import pytest

from certus.theory import memorize, memorizer_average, no_free_lunch


def majority(points, labels, domain):
    answers = np.full(domain, int(labels.mean() > 0.5))
    answers[points] = labels
    return answers


def nearest(points, labels, domain):
    gaps = np.abs(np.arange(domain)[:, None] - points[None, :])
    return labels[gaps.argmin(axis=1)]


@pytest.mark.parametrize(("rows", "average"), [(1, 0.25), (2, 0.28125), (3, 0.28935)])
def test_averages(rows, average):
    found = no_free_lunch(rows)
    assert found.average == pytest.approx(average, abs=5e-6)
    assert found.average == pytest.approx(memorizer_average(rows), rel=1e-12)
    assert found.average >= 0.25


@pytest.mark.parametrize("learner", [memorize, majority, nearest], ids=lambda learner: learner.__name__)
@pytest.mark.parametrize("rows", [1, 2, 3])
def test_learners_that_remember_are_all_equal(learner, rows):
    found = no_free_lunch(rows, learner)
    assert found.average == pytest.approx(found.floor, rel=1e-12)
    assert found.chance_of_an_eighth.max() >= 1 / 7
    assert len(found.errors) == 4**rows
    assert "average error" in str(found)


def test_a_learner_that_forgets_is_worse():
    found = no_free_lunch(2, lambda points, labels, domain: np.zeros(domain))
    assert found.average == 0.5


def test_limit_of_the_floor():
    assert memorizer_average(5) == pytest.approx(0.29525, abs=5e-6)
    assert memorizer_average(10**6) == pytest.approx(0.5 * np.exp(-0.5), rel=1e-6)


def test_misuse():
    with pytest.raises(ValueError, match="rows must be at most 4, got 5"):
        no_free_lunch(5)
    with pytest.raises(ValueError, match="learner must label all 4 points"):
        no_free_lunch(2, lambda points, labels, domain: labels)
