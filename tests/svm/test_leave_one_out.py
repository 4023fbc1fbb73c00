"""Leave-one-out by training again only where it matters equals training again every time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone

from certus.guarantees import CertificateError
from certus.svm import SVC, SVR, NuSVC, leave_one_out


def brute_force(machine: Any, X: np.ndarray, y: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
    """Every row's prediction by a machine that was trained without it."""
    found = []
    for row in range(len(y)):
        rest = np.delete(np.arange(len(y)), row)
        own = None if weights is None else weights[rest]
        found.append(clone(machine).set_params(tol=1e-9).fit(X[rest], y[rest], sample_weight=own).predict(X[[row]])[0])
    return np.array(found)


def rows(seed: int, count: int, classes: int = 2) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(count, 3))
    if seed % 3 == 1:
        X = np.round(X)
    codes = np.clip(np.floor(X[:, 0] + 0.6 * rng.normal(size=count) + classes / 2), 0, classes - 1).astype(int)
    codes[: 2 * classes] = np.repeat(np.arange(classes), 2)
    return X, codes


@pytest.mark.parametrize("seed", [*range(6), *(pytest.param(s, marks=pytest.mark.slow) for s in range(6, 60))])
@pytest.mark.parametrize("classes", [2, 4])
def test_labels_equal_brute_force(seed: int, classes: int) -> None:
    X, y = rows(seed, 45, classes)
    rng = np.random.default_rng(seed)
    machine = SVC(
        kernel=["rbf", "linear"][seed % 2],
        gamma=0.3,
        C=float(10.0 ** rng.uniform(-1, 1)),
        fit_intercept=seed % 4 != 3,
        class_weight={0: 2.0} if seed % 5 == 0 else None,
    )
    result = leave_one_out(machine.fit(X, y), X, y)
    expected = brute_force(machine, X, y)
    witness = result.report["leave-one-out error"].witness
    assert (result.predictions != expected).sum() <= witness["unsure"]
    if seed % 3 != 1:  # ties may leave the intercept open
        assert witness["unsure"] <= classes
    assert result.error == (result.predictions != y).mean()
    assert result.report.check()
    assert result.report["leave-one-out error"].check(expected != y)
    assert set(np.flatnonzero(result.retrained)) >= set(machine.support_)


@pytest.mark.parametrize("seed", range(4))
def test_values_equal_brute_force(seed: int) -> None:
    X, _ = rows(seed, 40)
    y = np.sin(X[:, 0]) + 0.1 * np.random.default_rng(seed).normal(size=40)
    machine = SVR(gamma=0.5, C=2.0, epsilon=0.15).fit(X, y)
    result = leave_one_out(machine, X, y)
    expected = brute_force(machine, X, y)
    assert_allclose(result.predictions, expected, atol=1e-5)
    assert result.retrained.sum() < 40
    assert result.report.check()
    assert result.report[0].check(np.abs(expected - y))


def test_rows_that_are_not_retrained_are_right_and_few_problems_are_solved() -> None:
    rng = np.random.default_rng(5)
    X = np.vstack([rng.normal(size=(150, 2)) - 2.0, rng.normal(size=(150, 2)) + 2.0])
    y = np.repeat([0, 1], 150)
    result = leave_one_out(SVC(gamma=0.3).fit(X, y), X, y)
    assert (result.predictions == y)[~result.retrained].all()
    assert result.retrained.sum() < 60


def test_weights_and_given_kernels() -> None:
    X, y = rows(2, 40)
    weights = np.random.default_rng(0).choice([0.0, 1.0, 2.0], 40)
    weights[:4] = 1.0
    result = leave_one_out(SVC(gamma=0.5).fit(X, y, sample_weight=weights), X, y, weights)
    gram = np.exp(-0.5 * ((X[:, None] - X[None]) ** 2).sum(axis=2))
    given = leave_one_out(SVC(kernel="precomputed").fit(gram, y, sample_weight=weights), gram, y, weights)
    positive = weights > 0
    expected = brute_force(SVC(gamma=0.5), X[positive], y[positive], weights[positive])
    assert (result.predictions[positive] == expected).all()
    assert (given.predictions == result.predictions).all()
    assert not result.retrained[~positive].any()


def test_a_class_of_one_row_is_wrong_when_it_is_left_out() -> None:
    X, y = np.array([[0.0], [1.0], [5.0]]), np.array([0, 0, 1])
    result = leave_one_out(SVC().fit(X, y), X, y)
    assert result.predictions[2] == 0
    assert result.retrained[2]


def test_bad_use_is_named() -> None:
    X, y = rows(0, 30)
    with pytest.raises(TypeError, match="leave_one_out is for SVC and SVR, got NuSVC"):
        leave_one_out(NuSVC(nu=0.2), X, y)
    with pytest.raises(ValueError, match="finite C"):
        leave_one_out(SVC(gamma=5.0, C=np.inf).fit(X[:5], [0, 0, 0, 1, 1]), X[:5], [0, 0, 0, 1, 1])
    machine = SVC().fit(X, y)
    with pytest.raises(ValueError, match=r"X has the shape \(29, 3\)"):
        leave_one_out(machine, X[1:], y[1:])
    with pytest.raises(ValueError, match="labels that the machine was not fitted on"):
        leave_one_out(machine, X, y + 5)
    with pytest.raises(ValueError, match="positive semi-definite"):
        leave_one_out(SVC(kernel="sigmoid").fit(X, y), X, y)


def test_a_forged_count_is_refused() -> None:
    X, y = rows(0, 30)
    certificate = leave_one_out(SVC().fit(X, y), X, y).report[0]
    with pytest.raises(CertificateError, match="wrong rows of 30"):
        certificate.check(np.ones(30, dtype=bool))
