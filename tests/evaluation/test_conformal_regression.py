"""Conformal intervals around regressors: coverage, formulas, groups, bare predictions, bad input."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from joblib import parallel_config
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression, QuantileRegressor
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from certus.evaluation import CrossConformalRegressor, SplitConformalRegressor
from certus.guarantees import split_rank


def make_data(rows, seed=0, noise=0.5):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, size=(rows, 3))
    y = X[:, 0] + (noise + np.abs(X[:, 1])) * rng.normal(size=rows)
    return X, y


X, Y = make_data(600)
X_NEW, Y_NEW = make_data(4000, seed=1)


def coverage(interval, y):
    return np.mean((interval[:, 0] <= y) & (y <= interval[:, 1]))


WRAPPERS = {
    "absolute": SplitConformalRegressor(LinearRegression(), random_state=0),
    "normalized": SplitConformalRegressor(
        LinearRegression(), score="normalized", scale=KNeighborsRegressor(20), random_state=0
    ),
    "quantile": SplitConformalRegressor(
        (QuantileRegressor(quantile=0.05, alpha=0), QuantileRegressor(quantile=0.95, alpha=0)),
        score="quantile",
        random_state=0,
    ),
    "cv+": CrossConformalRegressor(LinearRegression(), random_state=0),
    "cv-minmax": CrossConformalRegressor(LinearRegression(), method="minmax", random_state=0),
    "jackknife+": CrossConformalRegressor(LinearRegression(), cv="leave-one-out"),
}


@pytest.mark.parametrize("name", WRAPPERS)
def test_coverage_on_new_rows(name):
    """With 150 calibration rows coverage is Beta(136, 15): below 0.83 or above 0.97 less than once in 1000."""
    model = clone(WRAPPERS[name]).fit(X, Y)
    assert 0.83 < coverage(model.predict_interval(X_NEW), Y_NEW) < 0.97
    assert model.predict(X_NEW).shape == (4000,)
    assert model.report_.check()
    assert model.report_.text() in str(model)


@pytest.mark.parametrize("name", WRAPPERS)
def test_same_result_after_pickling_and_from_data_frames(name):
    X_small, y_small = X[:120], Y[:120]
    first = clone(WRAPPERS[name]).fit(X_small, y_small)
    expected = first.predict_interval(X_NEW[:5])
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(first)).predict_interval(X_NEW[:5]), expected)
    columns = ["a", "b", "c"]
    for table in (pd.DataFrame, lambda data, columns: pl.DataFrame(data, schema=columns)):
        again = clone(WRAPPERS[name]).fit(table(X_small, columns=columns), y_small)
        np.testing.assert_allclose(again.predict_interval(table(X_NEW[:5], columns=columns)), expected)


def test_average_coverage_over_calibration_sets():
    """Many small calibrations: mean coverage is k / (n + 1) = 18 / 20 exactly for continuous residuals."""
    rng = np.random.default_rng(2)
    repeats, total = 2000, 0.0
    for _ in range(repeats):
        wrapper = SplitConformalRegressor(score="absolute").calibrate(np.zeros(19), rng.uniform(-1, 1, size=19))
        low, high = wrapper.predict_interval(np.zeros(1))[0]
        total += (high - low) / 2  # coverage of [low, high] under the uniform law
    assert total / repeats == pytest.approx(0.9, abs=4 * 0.066 / np.sqrt(repeats))


def test_absolute_interval_is_prediction_plus_minus_the_ranked_residual():
    fitted = LinearRegression().fit(X[:100], Y[:100])
    wrapper = SplitConformalRegressor(fitted, confidence=0.8).calibrate(X[100:200], Y[100:200])
    residuals = np.sort(np.abs(Y[100:200] - fitted.predict(X[100:200])))
    radius = residuals[split_rank(100, 0.8) - 1]
    assert wrapper.calibration_.threshold == radius
    expected = fitted.predict(X_NEW)[:, None] + np.array([-radius, radius])
    np.testing.assert_allclose(wrapper.predict_interval(X_NEW), expected, rtol=1e-12, atol=1e-13)


def test_normalized_width_follows_the_scale():
    wrapper = SplitConformalRegressor(
        DummyRegressor().fit(X, Y), score="normalized", scale=lambda rows: 1.0 + np.abs(rows[:, 1])
    ).calibrate(X, Y)
    width = np.diff(wrapper.predict_interval(X_NEW), axis=1)[:, 0]
    np.testing.assert_allclose(width / (1.0 + np.abs(X_NEW[:, 1])), 2 * wrapper.calibration_.threshold, rtol=1e-9)


def test_quantile_score_by_hand():
    ends = np.column_stack([np.zeros(9), np.ones(9)])
    y = np.linspace(-0.4, 1.2, 9)
    wrapper = SplitConformalRegressor(score="quantile", confidence=0.9).calibrate(ends, y)
    assert wrapper.calibration_.threshold == pytest.approx(0.4)
    np.testing.assert_allclose(wrapper.predict_interval([[2.0, 3.0]]), [[1.6, 3.4]])
    np.testing.assert_allclose(wrapper.predict([[2.0, 3.0]]), [2.5])


def test_crossed_quantiles_shrink_to_a_point():
    wrapper = SplitConformalRegressor(score="quantile", confidence=0.5).calibrate([[0.0, 10.0]] * 9, [5.0] * 9)
    assert wrapper.calibration_.threshold == -5.0
    np.testing.assert_allclose(wrapper.predict_interval([[0.0, 4.0]]), [[2.0, 2.0]])


def test_rounding_never_drops_a_value_that_was_counted_as_covered():
    """Decimals with ties: every calibration row within the threshold is inside its own interval."""
    rng = np.random.default_rng(4)
    prediction, y = rng.integers(-50, 50, 3000) / 10, rng.integers(-50, 50, 3000) / 10
    scale = rng.integers(1, 9, 3000) / 10
    for score, response in {
        "absolute": prediction,
        "normalized": np.column_stack([prediction, scale]),
        "quantile": np.column_stack([prediction, prediction + scale]),
    }.items():
        for level in (0.3, 0.5, 0.7, 0.9):
            wrapper = SplitConformalRegressor(score=score, confidence=level).calibrate(response, y)
            interval = wrapper.predict_interval(response)
            inside = (interval[:, 0] <= y) & (y <= interval[:, 1])
            assert inside.sum() >= wrapper.calibration_.rank.rank
    shifted = SplitConformalRegressor(confidence=0.5).calibrate(np.full(3, -1e6), np.array([0.3, 0.3, 0.3]))
    low, high = shifted.predict_interval([-1e6])[0]
    assert low <= 0.3 <= high


def test_groups_hold_one_by_one():
    group, group_new = X[:, 1] > 0, X_NEW[:, 1] > 1
    wrapper = SplitConformalRegressor(LinearRegression().fit(X[:100], Y[:100]))
    wrapper.calibrate(X[100:], Y[100:], groups=group[100:])
    assert len(wrapper.report_) == 4
    interval = wrapper.predict_interval(X_NEW, groups=group_new)
    widths = np.diff(interval, axis=1)[:, 0]
    assert len(np.unique(widths.round(9))) == 2
    fitted = clone(WRAPPERS["absolute"]).fit(X, Y, groups=np.where(group, "up", "down"))
    assert set(fitted.calibration_.by_group) == {"up", "down"}


def test_small_calibration_set_gives_the_whole_line():
    wrapper = SplitConformalRegressor(confidence=0.9).calibrate(np.zeros(8), np.arange(8.0))
    np.testing.assert_array_equal(wrapper.predict_interval([0.0]), [[-np.inf, np.inf]])
    assert "about 9 rows would help" in wrapper.report_.text()
    cross = CrossConformalRegressor(DummyRegressor(), confidence=0.9, cv=2).fit(X[:8], Y[:8])
    assert np.isinf(cross.predict_interval(X[:2])).all()
    assert "8 rows cannot support 90%" in cross.report_[0].claim


def test_assurance_widens():
    plain = SplitConformalRegressor().calibrate(np.zeros(100), Y[:100])
    assured = SplitConformalRegressor(assurance=0.95).calibrate(np.zeros(100), Y[:100])
    assert assured.calibration_.threshold > plain.calibration_.threshold
    assert assured.calibration_.rank.rank == 96


def test_cross_folds_and_residuals():
    model = CrossConformalRegressor(LinearRegression(), cv=7, random_state=3).fit(X[:100], Y[:100])
    assert sorted(np.bincount(model.fold_of_row_)) == [14, 14, 14, 14, 14, 15, 15]
    for fold, part in enumerate(model.estimators_):
        own = model.fold_of_row_ == fold
        alone = LinearRegression().fit(X[:100][~own], Y[:100][~own])
        np.testing.assert_allclose(part.coef_, alone.coef_)
        np.testing.assert_allclose(model.residuals_[own], np.abs(Y[:100][own] - alone.predict(X[:100][own])))
    np.testing.assert_allclose(model.predict(X_NEW), LinearRegression().fit(X[:100], Y[:100]).predict(X_NEW))


def test_parallel_folds_give_the_same_intervals():
    one = CrossConformalRegressor(LinearRegression(), random_state=0).fit(X, Y)
    with parallel_config(backend="threading"):
        two = CrossConformalRegressor(LinearRegression(), random_state=0, n_jobs=2).fit(X, Y)
    np.testing.assert_array_equal(one.predict_interval(X_NEW), two.predict_interval(X_NEW))


def test_jackknife_report_states_both_levels():
    claim = clone(WRAPPERS["jackknife+"]).fit(X[:50], Y[:50]).report_["coverage"].claim
    assert "nominal level 90%, which is not what is proven" in claim
    assert "jackknife+ on 50 rows" in claim


@pytest.mark.parametrize("name", ["absolute", "cv+"])
def test_coverage_can_be_certified_on_new_rows(name):
    model = clone(WRAPPERS[name]).fit(X, Y)
    report = model.certify(X_NEW, Y_NEW)
    inside = coverage(model.predict_interval(X_NEW), Y_NEW)
    measured = report["coverage on new rows"]
    assert inside - 0.02 < measured.value < inside
    assert measured.check()
    assert len(report) == len(model.report_) + 1
    with pytest.raises(ValueError, match="y must have one value for each of the 4000 rows"):
        model.certify(X_NEW, Y_NEW[:5])


def test_grouped_coverage_can_be_certified():
    model = SplitConformalRegressor().calibrate(np.zeros(600), Y, groups=np.arange(600) % 2)
    report = model.certify(np.zeros(4000), Y_NEW, groups=np.arange(4000) % 2)
    assert report["coverage on new rows"].value > 0.8


def test_pipelines_work():
    model = SplitConformalRegressor(make_pipeline(StandardScaler(), LinearRegression()), random_state=0)
    assert coverage(model.fit(X, Y).predict_interval(X_NEW), Y_NEW) > 0.83


def test_bad_input():
    fitted = LinearRegression().fit(X, Y)
    with pytest.raises(ValueError, match="X holds no rows"):
        SplitConformalRegressor(fitted).calibrate(X[:0], Y[:0])
    with pytest.raises(ValueError, match="y must have one value for each of the 600 rows of X, got 599"):
        SplitConformalRegressor(fitted).calibrate(X, Y[:-1])
    with pytest.raises(ValueError, match="groups must have one value for each of the 600 rows of X, got 2"):
        SplitConformalRegressor(fitted).calibrate(X, Y, groups=["a", "b"])
    with pytest.raises(ValueError, match="confidence must be a number strictly between 0 and 1, got 1"):
        SplitConformalRegressor(fitted, confidence=1.0).calibrate(X, Y)
    with pytest.raises(ValueError, match="'score' parameter of SplitConformalRegressor"):
        SplitConformalRegressor(fitted, score="squared").calibrate(X, Y)
    with pytest.raises(ValueError, match="y must be finite; row 3 is nan"):
        SplitConformalRegressor(fitted).calibrate(X[:5], [0, 1, 2, np.nan, 4])
    with pytest.raises(ValueError, match="y must be one-dimensional"):
        SplitConformalRegressor(fitted).calibrate(X[:5], np.zeros((5, 2)))
    with pytest.raises(ValueError, match="there is nothing to train"):
        SplitConformalRegressor().fit(X, Y)
    with pytest.raises(ValueError, match="scale must be a regressor or a function"):
        SplitConformalRegressor(fitted, score="normalized").calibrate(X, Y)
    with pytest.raises(ValueError, match="scale must be greater than 0; row 0 has 0"):
        SplitConformalRegressor(fitted, score="normalized", scale=lambda rows: np.zeros(len(rows))).calibrate(X, Y)
    with pytest.raises(ValueError, match=r"a pair \(lower, upper\) for score='quantile', got 3 models"):
        SplitConformalRegressor((fitted,) * 3, score="quantile").calibrate(X, Y)
    with pytest.raises(ValueError, match="needs predictions with the columns lower, upper"):
        SplitConformalRegressor(fitted, score="quantile").calibrate(X, Y)
    with pytest.raises(ValueError, match="predictions must not be NaN; row 1 is"):
        SplitConformalRegressor().calibrate([0.0, np.nan], [0.0, 1.0])
    with pytest.raises(ValueError, match="cv must be between 2 and the number of rows, 5"):
        CrossConformalRegressor(LinearRegression(), cv=6).fit(X[:5], Y[:5])
    with pytest.raises(ValueError, match="'method' parameter of CrossConformalRegressor"):
        CrossConformalRegressor(LinearRegression(), method="naive").fit(X, Y)


def test_groups_at_prediction():
    fitted = LinearRegression().fit(X, Y)
    plain = SplitConformalRegressor(fitted).calibrate(X, Y)
    grouped = SplitConformalRegressor(fitted).calibrate(X, Y, groups=np.arange(600) % 2)
    with pytest.raises(ValueError, match="the calibration did not use groups"):
        plain.predict_interval(X, groups=np.zeros(600))
    with pytest.raises(ValueError, match="groups must be given for every row"):
        grouped.predict_interval(X)
    with pytest.raises(ValueError, match="one label for each of the 600 rows"):
        grouped.predict_interval(X, groups=[0])
    with pytest.raises(ValueError, match="groups: 5 has no calibration rows"):
        grouped.predict_interval(X[:1], groups=[5])


class Forgetful(RegressorMixin, BaseEstimator):
    """A foreign regressor with nothing but fit and predict."""

    def fit(self, X, y):
        self.mean_ = float(np.mean(y))
        return self

    def predict(self, X):
        return [self.mean_] * len(X)


def test_foreign_models_need_only_fit_and_predict():
    assert coverage(SplitConformalRegressor(Forgetful(), random_state=0).fit(X, Y).predict_interval(X_NEW), Y_NEW) > 0.8
