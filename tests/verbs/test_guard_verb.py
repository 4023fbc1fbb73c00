"""`certus.guard`: thresholds for models and for bare scores."""

import pickle

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import RidgeClassifier
from sklearn.naive_bayes import GaussianNB

from certus.verbs.guarding import guard

X, Y = load_breast_cancer(return_X_y=True)
NAMES = np.where(Y == 1, "benign", "malignant")
MODEL = GaussianNB().fit(X[:200], Y[:200])


def test_model_and_scores_agree():
    scores = MODEL.predict_proba(X[200:])[:, 1]
    by_model = guard(MODEL, X[200:], Y[200:], recall=0.9)
    by_scores = guard(scores, Y[200:], recall=0.9)
    assert by_model == by_scores
    np.testing.assert_array_equal(by_model.flag(X[200:]), by_scores.flag(scores))
    assert by_model.report.check((scores, Y[200:] == 1))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(by_model)).flag(X), by_model.flag(X))


def test_positive_label_can_be_chosen():
    model = RidgeClassifier().fit(X[:200], NAMES[:200])
    result = guard(model, X[200:], NAMES[200:], recall=0.8, positive="malignant")
    assert result.feasible
    flagged = result.flag(X[200:])
    assert np.mean(flagged[NAMES[200:] == "malignant"]) > 0.8
    assert guard(model.decision_function(X[200:]), NAMES[200:], recall=0.8, positive="benign").feasible


def test_several_rates():
    result = guard(MODEL, X[200:], Y[200:], recall=0.85, precision=0.85, false_alarm=0.3, confidence=0.9)
    assert result.feasible
    assert len(result.report) == 3
    assert result.confidence == 0.9


def test_infeasible_is_a_result():
    result = guard(MODEL, X[200:230], Y[200:230], recall=0.99)
    assert not result.feasible
    assert result.rows_needed > 30
    assert "even with a perfect record" in str(result)


def test_given_thresholds():
    result = guard(MODEL, X[200:], Y[200:], recall=0.8, thresholds=[0.5, 0.6], procedure="fixed-sequence")
    assert result.threshold in (0.5, 0.6)


def test_bad_input():
    with pytest.raises(ValueError, match="y must be given"):
        guard(MODEL, X, recall=0.9)
    with pytest.raises(ValueError, match="y must not be missing; the label of row 1 is"):
        guard([0.1, 0.2], [1.0, np.nan], recall=0.9)
    with pytest.raises(ValueError, match="positive must name the positive label"):
        guard([0.1, 0.2], ["no", "yes"], recall=0.9)
    with pytest.raises(ValueError, match="positive='x' is not a class of the model"):
        guard(MODEL, X, Y, recall=0.9, positive="x")
    X_iris, y_iris = load_iris(return_X_y=True)
    many = GaussianNB().fit(X_iris, y_iris)
    with pytest.raises(ValueError, match="positive must name the class to be flagged, because the model has 3"):
        guard(many, X_iris, y_iris, recall=0.9)
    assert guard(many, X_iris, y_iris, recall=0.9, positive=2).feasible
    with pytest.raises(ValueError, match="at least one of recall"):
        guard(MODEL, X, Y)
    with pytest.raises(ValueError, match="one value for each of the 2 scores"):
        guard([0.1, 0.2], [1], recall=0.9)
