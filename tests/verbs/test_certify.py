"""certify works on any fitted model and on bare predictions, and refuses what cannot be promised."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import balanced_accuracy_score, f1_score, precision_score, recall_score, roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from certus.guarantees import Report, error_bound
from certus.guarantees.holdout import certify


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    X, y = X[order], y[order]
    return make_pipeline(StandardScaler(), LogisticRegression()).fit(X[:300], y[:300]), X[300:], y[300:]


def test_fitted_model(cancer):
    model, X, y = cancer
    report = certify(model, X, y)
    predicted = model.predict(X)
    assert report["error"].value == error_bound(int((predicted != y).sum()), len(y)).value
    assert report.check()
    assert Report.from_json(report.to_json()).check()
    # Every guarantee must be on the safe side of the estimate that others print.
    for quantity, estimate in {
        "recall of 1": recall_score(y, predicted),
        "recall of 0": recall_score(y, predicted, pos_label=0),
        "precision of 1": precision_score(y, predicted),
        "precision of 0": precision_score(y, predicted, pos_label=0),
        "balanced accuracy": balanced_accuracy_score(y, predicted),
        "F1 of 1": f1_score(y, predicted),
        "area under the ROC curve": roc_auc_score(y, model.predict_proba(X)[:, 1]),
    }.items():
        assert estimate - 0.15 < report[quantity].value < estimate
        assert report[quantity].kind == "probable"


def test_decision_function_and_the_other_positive_class(cancer):
    _, X, y = cancer
    model = make_pipeline(StandardScaler(), LinearSVC()).fit(X, y)
    one, other = (certify(model, X, y, positive=label) for label in (1, 0))
    assert one["area under the ROC curve"].value == other["area under the ROC curve"].value
    assert "F1 of 0" in other
    assert "F1 of 1" in one


def test_lightgbm_model(cancer):
    lightgbm = pytest.importorskip("lightgbm")
    _, X, y = cancer
    model = lightgbm.LGBMClassifier(verbose=-1, n_estimators=5).fit(X[:100], y[:100])
    assert certify(model, X[100:], y[100:]).check()


@pytest.mark.parametrize("container", [np.asarray, list, pd.Series, pl.Series, lambda v: np.asarray(v)[:, None]])
def test_bare_predictions_in_any_container(container):
    truth, predicted = ["yes", "no"] * 50, ["yes", "no"] * 49 + ["no", "no"]
    for report in (
        certify(y_true=container(truth), y_pred=container(predicted)),
        certify(container(predicted), y=container(truth)),
    ):
        assert report["error"].value == error_bound(1, 100).value
        assert "recall of yes" in report


def test_several_classes():
    X, y = load_iris(return_X_y=True)
    model = LogisticRegression(max_iter=1000).fit(X[::2], y[::2])
    report = certify(model, X[1::2], y[1::2])
    assert {"error", "balanced accuracy", "F1 of 2", "recall of 1", "precision of 0"} <= set(report.quantities)
    assert "area under the ROC curve" not in report
    assert report.check()


def test_jointly_splits_the_failure_probability():
    report = certify(y_true=[0, 1] * 100, y_pred=[0, 1] * 99 + [1, 1], jointly=True)
    assert 0.95 <= report.confidence < 0.96  # a share is kept for scores that were not given
    assert report["error"].confidence > 0.95


def test_a_class_that_is_never_predicted_or_never_seen():
    report = certify(y_true=[0, 0, 1], y_pred=[0, 0, 0])
    assert "precision of 1" not in report
    assert report["recall of 1"].vacuous
    report = certify(y_true=[0, 0, 0], y_pred=[0, 1, 0])
    assert "recall of 1" not in report
    assert report.check()


def test_rows_without_a_class_that_the_model_knows(cancer):
    model, X, y = cancer
    zeros = (y == 0) & (model.predict(X) == 0)
    report = certify(model, X[zeros], y[zeros])
    assert set(report.quantities) == {"error", "recall of 0", "precision of 0"}


def test_bounded_losses_of_a_regression():
    X, y = load_diabetes(return_X_y=True)
    model = LinearRegression().fit(X[:200], y[:200])
    report = certify(model, X[200:], y[200:], loss="absolute", loss_range=(0, 400))
    bound = report["mean absolute loss"]
    losses = np.abs(model.predict(X[200:]) - y[200:])
    assert losses.mean() < bound.value < losses.mean() + 10
    assert bound.check(losses)
    own = certify(model, X[200:], y[200:], loss=lambda t, p: np.abs(t - p), loss_range=(0, 400))
    assert own[0].value == bound.value


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"y_true": [0.5, 1.25], "y_pred": [1.0, 2.0]}, "(?s)real numbers.*certus.conformal"),
        ({"y_true": [0, 1], "y_pred": [1, 2], "loss": "squared"}, "(?s)no finite range.*certus.conformal"),
        ({"y_true": [0, 1], "y_pred": [9, 2], "loss": "absolute", "loss_range": (0, 5)}, "row 0 is 9 "),
        ({"y_true": [0, 1], "y_pred": [1, 2], "loss": "absolute", "loss_range": 5}, r"pair \(low, high\)"),
        ({"y_true": [0, 1], "y_pred": [1]}, "1 prediction for 2 labels"),
        ({"y_true": [], "y_pred": []}, "non-empty"),
        ({"y_true": [0, float("nan")], "y_pred": [0, 1]}, "row 1 is NaN"),
        ({"y_true": ["a", None], "y_pred": ["a", "b"]}, "row 1 is None"),
        ({"y_true": ["a", "b"], "y_pred": [0, 1]}, "can never be equal"),
        ({"y_true": [0, 1]}, "exactly one of model and y_pred must be given"),
        ({"y_pred": [0, 1]}, "exactly one of y and y_true must be given"),
        ({"y_true": [0, 1], "y": [0, 1], "y_pred": [0, 1]}, "exactly one of y and y_true must be given"),
        ({"model": [0, 1], "y_true": [0, 1], "y_pred": [0, 1]}, "exactly one of model and y_pred must be given"),
        ({"y_true": [0, 1], "y_pred": [0, 1], "loss": "zero"}, "loss must be one of"),
        ({"y_true": [0, 1], "y_pred": [0, 1], "confidence": 1.2}, "confidence must be"),
        ({"y_true": [0, 1], "y_pred": [0, 1], "positive": 7}, "positive must be one of"),
        ({"y_true": [0, 1], "y_pred": [0, 1], "y_score": [0.1]}, "y_score must have one number per row"),
        ({"model": LinearRegression, "y": [0, 1]}, "X is needed|must be a fitted model"),
    ],
)
def test_refusals(arguments, message):
    with pytest.raises(ValueError, match=message):
        certify(**arguments)
