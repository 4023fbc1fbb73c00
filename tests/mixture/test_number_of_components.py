"""Numbers of components: criteria find separated clouds, and the test of one Gaussian keeps its level."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import beta, multivariate_normal

from certus.guarantees import CertificateError
from certus.mixture import GaussianMixture, choose_components, one_component_test
from certus.mixture.evidence.split_likelihood import largest_log_likelihood

CLOUDS = np.random.default_rng(0).normal(size=(150, 2)) + 12.0 * np.repeat(np.eye(3)[:, :2], 50, axis=0)


@pytest.mark.parametrize("criterion", ["bic", "icl", "held-out"])
def test_separated_clouds_are_counted(criterion: str) -> None:
    found = choose_components(CLOUDS, range(1, 5), criterion=criterion, random_state=0)
    assert found.n_components == 3
    assert found.model.n_components == 3
    assert found.scores[found.covariance_type, 3] == min(found.scores.values())
    assert found.covariance_type in str(found)


def test_criteria_are_their_formulas() -> None:
    found = choose_components(CLOUDS, [2], criterion="aic", covariance_types=["tied"], random_state=0)
    size, likelihood = 2 * 2 + 3 + 1, found.model.score(CLOUDS) * 150
    assert found.scores["tied", 2] == pytest.approx(2 * size - 2 * likelihood)
    bic = choose_components(CLOUDS, [2], covariance_types=["tied"], random_state=0)
    icl = choose_components(CLOUDS, [2], criterion="icl", covariance_types=["tied"], random_state=0)
    shares = bic.model.predict_proba(CLOUDS)
    entropy = -float(np.sum(shares * np.log(np.maximum(shares, 1e-300))))
    assert bic.scores["tied", 2] == pytest.approx(size * math.log(150) - 2 * likelihood)
    assert icl.scores["tied", 2] == pytest.approx(bic.scores["tied", 2] + 2 * entropy, abs=1e-6)


def test_the_largest_likelihood_of_one_gaussian_is_that_of_its_moments() -> None:
    rows = np.random.default_rng(1).normal(size=(30, 3)) @ np.diag([1e-2, 1.0, 1e2]) + 3.0
    best = multivariate_normal(rows.mean(axis=0), np.cov(rows.T, bias=True)).logpdf(rows).sum()
    assert largest_log_likelihood(rows) == pytest.approx(best, rel=1e-9)
    assert largest_log_likelihood(rows[:3]) == math.inf
    assert largest_log_likelihood(np.ones((5, 2))) == math.inf


def test_two_clouds_are_not_one_gaussian() -> None:
    found = one_component_test(CLOUDS)
    assert found.pvalue < 1e-3
    assert found.estimate == 2
    certificate = found.report[0]
    assert certificate.check(CLOUDS)
    with pytest.raises(CertificateError):
        certificate.check(CLOUDS * 1.1)
    assert one_component_test(np.ones((10, 2))).pvalue == 1.0


@pytest.mark.parametrize("rows", [8, 40])
def test_the_level_holds_for_few_rows(rows: int) -> None:
    rng = np.random.default_rng(2)
    turn = np.array([[1.0, 0.9], [0.0, 0.2]])
    small = [one_component_test(rng.normal(size=(rows, 2)) @ turn, seed=case).pvalue for case in range(60)]
    wrong = int(np.sum(np.array(small) <= 0.1))
    assert beta.ppf(0.001, max(wrong, 1e-9), 60 - wrong + 1) <= 0.1
    assert np.mean(small) > 0.5


@pytest.mark.slow
def test_the_evidence_has_an_expectation_of_at_most_one() -> None:
    rng = np.random.default_rng(3)
    evidence = np.exp([one_component_test(rng.normal(size=(12, 1)), seed=case).log_evidence for case in range(1000)])
    assert evidence.mean() <= 1.0 + 4.0 * evidence.std() / math.sqrt(1000)
    assert np.mean(evidence >= 20.0) <= 0.05


def test_bad_input() -> None:
    with pytest.raises(ValueError, match="components must be numbers from 1"):
        choose_components(CLOUDS, [0, 1])
    with pytest.raises(ValueError, match="covariance_types must be"):
        choose_components(CLOUDS, [1], covariance_types=["round"])
    with pytest.raises(ValueError, match="criterion"):
        choose_components(CLOUDS, [1], criterion="best")
    with pytest.raises(ValueError, match="components"):
        one_component_test(CLOUDS, 1)
    with pytest.raises(ValueError, match="minimum of 6"):
        one_component_test(CLOUDS[:5], 3)
    assert isinstance(choose_components(CLOUDS, [1], covariance_types=["diag"]).model, GaussianMixture)
