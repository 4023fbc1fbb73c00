"""`certus.conformal`: the right wrapper for the model at hand."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.linear_model import LinearRegression, QuantileRegressor
from sklearn.naive_bayes import GaussianNB

from certus.evaluation import (
    CrossConformalClassifier,
    CrossConformalRegressor,
    SplitConformalClassifier,
    SplitConformalRegressor,
)
from certus.verbs.conformal_prediction import conformal

X, Y = load_diabetes(return_X_y=True)
FITTED = LinearRegression().fit(X[:200], Y[:200])
X_CLASS, Y_CLASS = load_breast_cancer(return_X_y=True)
CLASSIFIER = GaussianNB().fit(X_CLASS[:200], Y_CLASS[:200])


def test_regressor():
    wrapped = conformal(FITTED, X[200:], Y[200:], confidence=0.8)
    assert isinstance(wrapped, SplitConformalRegressor)
    interval = wrapped.predict_interval(X[200:])
    inside = (interval[:, 0] <= Y[200:]) & (Y[200:] <= interval[:, 1])
    assert inside.sum() == wrapped.calibration_.rank.rank
    assert wrapped.report_.check(np.abs(Y[200:] - FITTED.predict(X[200:])))


def test_classifier():
    wrapped = conformal(CLASSIFIER, X_CLASS[200:], Y_CLASS[200:])
    assert isinstance(wrapped, SplitConformalClassifier)
    assert wrapped.score == "lac"
    apart = conformal(CLASSIFIER, X_CLASS[200:], Y_CLASS[200:], per_class=True, method="aps")
    assert set(apart.calibration_.by_group) == {0, 1}


def test_quantile_pair_and_scale():
    pair = [QuantileRegressor(quantile=q, alpha=0).fit(X[:200], Y[:200]) for q in (0.05, 0.95)]
    assert conformal(pair, X[200:], Y[200:], method="quantile").score == "quantile"
    scaled = conformal(FITTED, X[200:], Y[200:], method="normalized", scale=lambda rows: np.ones(len(rows)))
    plain = conformal(FITTED, X[200:], Y[200:])
    np.testing.assert_allclose(scaled.predict_interval(X), plain.predict_interval(X))


@pytest.mark.parametrize(
    ("method", "combine"), [("cv+", "plus"), ("jackknife+", "plus"), ("jackknife-minmax", "minmax")]
)
def test_cross_methods(method, combine):
    wrapped = conformal(LinearRegression(), X[:60], Y[:60], method=method, random_state=0)
    assert isinstance(wrapped, CrossConformalRegressor)
    assert wrapped.method == combine
    assert len(wrapped.estimators_) == (10 if method == "cv+" else 60)
    crossed = conformal(GaussianNB(), X_CLASS[:60], Y_CLASS[:60], method=method, cv=10)
    assert isinstance(crossed, CrossConformalClassifier)


def test_bare_predictions():
    wrapped = conformal(y_pred=FITTED.predict(X[200:]), y_cal=Y[200:])
    same = conformal(FITTED, X[200:], Y[200:])
    np.testing.assert_array_equal(wrapped.predict_interval(FITTED.predict(X)), same.predict_interval(X))
    sets = conformal(y_pred=CLASSIFIER.predict_proba(X_CLASS[200:]), y_cal=Y_CLASS[200:], classes=[0, 1])
    assert sets.predict_set(CLASSIFIER.predict_proba(X_CLASS)).shape == (569, 2)


def test_groups_and_assurance():
    wrapped = conformal(FITTED, X[200:], Y[200:], groups=X[200:, 1] > 0, assurance=0.95)
    assert set(wrapped.calibration_.by_group) == {False, True}
    assert all(part.floor >= 0.9 for part in wrapped.calibration_.by_group.values())


def test_lightgbm_models():
    lightgbm = pytest.importorskip("lightgbm")
    regressor = lightgbm.LGBMRegressor(n_estimators=20, n_jobs=1, verbose=-1).fit(X[:200], Y[:200])
    assert isinstance(conformal(regressor, X[200:], Y[200:]), SplitConformalRegressor)
    classifier = lightgbm.LGBMClassifier(n_estimators=20, n_jobs=1, verbose=-1).fit(X_CLASS[:200], Y_CLASS[:200])
    wrapped = conformal(classifier, X_CLASS[200:], Y_CLASS[200:])
    assert isinstance(wrapped, SplitConformalClassifier)


def test_bad_input():
    with pytest.raises(ValueError, match="exactly one of model and y_pred"):
        conformal(y_cal=Y)
    with pytest.raises(ValueError, match="exactly one of model and y_pred"):
        conformal(FITTED, X, Y, y_pred=Y)
    with pytest.raises(ValueError, match="y_cal must be given"):
        conformal(FITTED, X)
    with pytest.raises(ValueError, match="X_cal must be given"):
        conformal(FITTED, y_cal=Y)
    with pytest.raises(ValueError, match="method must be one of 'auto'"):
        conformal(FITTED, X, Y, method="bootstrap")
    with pytest.raises(ValueError, match=r"groups cannot be used with method='cv\+'"):
        conformal(LinearRegression(), X, Y, method="cv+", groups=X[:, 1])
    with pytest.raises(ValueError, match="per_class=True needs a classifier"):
        conformal(FITTED, X, Y, per_class=True)
    with pytest.raises(ValueError, match="X holds no rows"):
        conformal(FITTED, X[:0], Y[:0])
    with pytest.raises(ValueError, match="confidence must be a number strictly between 0 and 1, got 0"):
        conformal(FITTED, X, Y, confidence=0)
