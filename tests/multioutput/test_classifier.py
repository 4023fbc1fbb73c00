"""One learner per target: exactly the learners that one would fit by hand, and honest bounds."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from certus.bayes import GaussianNB
from certus.guarantees import error_bound
from certus.linear import LogisticRegression
from certus.multioutput import MultiOutputClassifier
from certus.neighbors import KNeighborsClassifierCV


@pytest.fixture
def problem() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    Y = np.column_stack([X[:, 0] > 0, X[:, 1] + X[:, 2] > 0.3, X[:, 2] > 0]).astype(int)
    return X, np.where(rng.random(Y.shape) < 0.1, 1 - Y, Y)


def test_every_target_has_the_learner_that_one_would_fit_alone(problem: tuple[np.ndarray, np.ndarray]) -> None:
    X, Y = problem
    model = MultiOutputClassifier(LogisticRegression(C=0.5)).fit(X, Y)
    for place, shares in enumerate(model.predict_proba(X)):
        alone = LogisticRegression(C=0.5).fit(X, Y[:, place])
        assert_array_equal(shares, alone.predict_proba(X))
        assert_array_equal(model.predict(X)[:, place], alone.predict(X))
        assert model.estimators_[place].report_ == alone.report_
    assert model.score(X, Y) == np.mean((model.predict(X) == Y).all(axis=1))


def test_weights_reach_the_learners(problem: tuple[np.ndarray, np.ndarray]) -> None:
    X, Y = problem
    weights = np.arange(len(X)) % 3
    weighted = MultiOutputClassifier(GaussianNB()).fit(X, Y, sample_weight=weights)
    repeated = MultiOutputClassifier(GaussianNB()).fit(np.repeat(X, weights, axis=0), np.repeat(Y, weights, axis=0))
    assert_array_equal(weighted.predict(X), repeated.predict(X))


def test_bounds_count_rows_with_any_wrong_label_and_each_label(problem: tuple[np.ndarray, np.ndarray]) -> None:
    X, Y = problem
    model = MultiOutputClassifier(GaussianNB()).fit(X[:40], Y[:40])
    report = model.certify(X[40:], Y[40:], confidence=0.9)
    wrong = model.predict(X[40:]) != Y[40:]
    assert report["error"] == error_bound(int(wrong.any(axis=1).sum()), 40, confidence=0.9)
    for place in range(3):
        assert report[f"error of target {place}"].witness["errors"] == int(wrong[:, place].sum())
    assert report.check()


def test_what_cannot_be_is_said(problem: tuple[np.ndarray, np.ndarray]) -> None:
    X, Y = problem
    with pytest.raises(ValueError, match=r"at least two dimensions.*\n.*one column of labels per target"):
        MultiOutputClassifier().fit(X, Y[:, 0])
    with pytest.raises(ValueError, match="KNeighborsClassifierCV of 'estimator'"):
        MultiOutputClassifier(KNeighborsClassifierCV()).fit(X, Y, sample_weight=np.ones(len(X)))
    model = MultiOutputClassifier().fit(X, Y)
    with pytest.raises(ValueError, match="fit 3 and score 2 should be same"):
        model.score(X, Y[:, :2])
    with pytest.raises(ValueError, match="must be given loss='error'"):
        model.certify(X, Y, loss="squared")
    assert not hasattr(MultiOutputClassifier(LogisticRegression()), "decision_function")
