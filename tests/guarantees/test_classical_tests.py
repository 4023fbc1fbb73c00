"""Classical tests agree with independent implementations and keep their kind honest."""

import numpy as np
import pytest
from scipy import stats

from certus.guarantees.holdout import classical_tests as tests_of

RNG = np.random.default_rng(1)
SCORES = np.round(RNG.random((12, 4)) + np.array([0.0, 0.1, 0.3, 0.0]), 1)  # with ties


def test_friedman_agrees_with_scipy():
    found = tests_of.friedman(SCORES)
    expected = stats.friedmanchisquare(*SCORES.T)
    assert (found.statistic, found.pvalue) == pytest.approx((expected.statistic, expected.pvalue))
    f = 11 * found.statistic / (12 * 3 - found.statistic)
    assert found.details["iman_davenport"] == pytest.approx(f)
    assert found.details["iman_davenport_pvalue"] == pytest.approx(stats.f.sf(f, 3, 33))


def test_average_ranks_are_those_of_scipy():
    expected = np.mean([stats.rankdata(-row) for row in SCORES], axis=0)
    assert tests_of.friedman(SCORES).details["average_ranks"] == pytest.approx(tuple(expected))


def test_nemenyi_critical_difference():
    """Published critical values of the two-tailed test at 5%: 2.569 for 4 classifiers, 2.728 for 5."""
    for k, q in ((4, 2.569), (5, 2.728)):
        found = tests_of.nemenyi(RNG.random((30, k)))
        assert found["critical_difference"] == pytest.approx(q * np.sqrt(k * (k + 1) / 180), rel=1e-3)
        assert found["kind"] == "estimate"
    clear = np.tile([1.0, 0.0, 0.5], (40, 1))
    assert tests_of.nemenyi(clear)["different"] == ((0, 1), (0, 2), (1, 2))


def test_t_tests_agree_with_scipy():
    a, b = RNG.random(9), RNG.random(9)
    for alternative in ("two-sided", "greater", "less"):
        found = tests_of.paired_t(a, b, alternative=alternative)
        expected = stats.ttest_rel(a, b, alternative=alternative)
        assert (found.statistic, found.pvalue) == pytest.approx((expected.statistic, expected.pvalue))
    found, expected = tests_of.one_sample_t(a, 0.4), stats.ttest_1samp(a, 0.4)
    assert (found.statistic, found.pvalue) == pytest.approx((expected.statistic, expected.pvalue))


def test_wilcoxon_agrees_with_scipy():
    a, b = RNG.random(15), RNG.random(15)
    found, expected = tests_of.wilcoxon(a, b), stats.wilcoxon(a - b)
    assert (found.statistic, found.pvalue) == pytest.approx((expected.statistic, expected.pvalue))
    assert tests_of.wilcoxon(a, a).pvalue == 1.0


def test_five_by_two_by_hand():
    d = np.array([[0.02, 0.04], [0.01, 0.03], [0.0, 0.02], [0.03, 0.01], [0.02, 0.02]])
    variances = [((x - y) ** 2) / 2 for x, y in d]
    expected = 0.02 / np.sqrt(np.mean(variances))
    found = tests_of.five_by_two(d)
    assert found.statistic == pytest.approx(expected)
    assert found.pvalue == pytest.approx(2 * stats.t.sf(expected, 5))


def test_equal_scores_are_no_evidence():
    same = [0.5, 0.6, 0.7]
    assert tests_of.paired_t(same, same).pvalue == 1.0
    assert tests_of.friedman(np.ones((4, 3))).pvalue == 1.0


def test_every_approximate_test_says_so():
    a, b = RNG.random(10), RNG.random(10)
    for found in (tests_of.paired_t(a, b), tests_of.corrected_t(a, b, test_share=0.1), tests_of.wilcoxon(a, b)):
        assert found.kind == "estimate"
        assert found.caveat
        assert "estimate" in str(found)
