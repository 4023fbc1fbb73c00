"""Gradient boosting with exact trees."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import sklearn.ensemble
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_classification, make_friedman1
from sklearn.inspection import partial_dependence
from sklearn.linear_model import LinearRegression as ForeignStart
from sklearn.pipeline import make_pipeline

import certus
from certus.base.callbacks import EarlyStopping, History
from certus.ensemble import GradientBoostingClassifier, GradientBoostingRegressor
from certus.ensemble.boosting.stage_losses import leaf_quantiles
from certus.linear import Ridge
from certus.trees import DecisionTreeRegressor

NUMBERS = {"squared_error": 0.5, "absolute_error": 0.5, "huber": 0.5, "quantile": 0.9}
Model = GradientBoostingClassifier | GradientBoostingRegressor


def numbers(rows: int = 201) -> tuple[np.ndarray, np.ndarray]:
    return make_friedman1(rows, 6, noise=1.0, random_state=0)


def labels(classes: int, rows: int = 200) -> tuple[np.ndarray, np.ndarray]:
    return make_classification(rows, 6, n_informative=5, n_redundant=0, n_classes=classes, random_state=3)


def models() -> list[tuple[Model, tuple[np.ndarray, np.ndarray]]]:
    small = {"n_estimators": 12, "random_state": 0}
    found: list[tuple[Model, tuple[np.ndarray, np.ndarray]]] = [
        (GradientBoostingRegressor(loss=loss, **small), numbers()) for loss in NUMBERS
    ]
    found += [(GradientBoostingClassifier(**small), labels(classes)) for classes in (2, 3)]
    return [*found, (GradientBoostingClassifier(loss="exponential", **small), labels(2))]


EVERY = pytest.mark.parametrize(("model", "data"), [pytest.param(*each, id=str(each[0].loss)) for each in models()])


def raw(model: Model, X: np.ndarray) -> np.ndarray:
    return model.predict(X) if isinstance(model, GradientBoostingRegressor) else model.decision_function(X)


@pytest.mark.parametrize("leaves", [None, 5])
def test_numbers_equal_those_of_scikit_learn(leaves: int | None) -> None:
    X, y = numbers()
    options = {"n_estimators": 15, "max_leaf_nodes": leaves, "random_state": 0}
    theirs = sklearn.ensemble.GradientBoostingRegressor(**options).fit(X, y)
    ours = GradientBoostingRegressor(**options).fit(X, y)
    assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-9)
    assert_allclose(ours.train_score_, theirs.train_score_, rtol=1e-9)
    assert_allclose(ours.feature_importances_, theirs.feature_importances_, rtol=1e-9)
    assert_array_equal(ours.apply(X), theirs.apply(X))
    dependence = [partial_dependence(each, X, [1], kind="average", method="auto") for each in (ours, theirs)]
    assert_allclose(dependence[0]["average"], dependence[1]["average"], rtol=1e-9)


@pytest.mark.parametrize("loss", ["log_loss", "exponential"])
def test_training_loss_equals_that_of_scikit_learn(loss: str) -> None:
    X, y = labels(2)
    options = {"loss": loss, "n_estimators": 10, "random_state": 0}
    theirs = sklearn.ensemble.GradientBoostingClassifier(**options).fit(X, y)
    ours = GradientBoostingClassifier(**options).fit(X, y)
    assert_allclose(ours.train_score_, theirs.train_score_, rtol=1e-9)
    assert_allclose(ours.predict_proba(X).sum(axis=1), 1.0)


def plain_leaf(model: Model, y: np.ndarray, before: np.ndarray, residuals: np.ndarray) -> float:
    """The value of one leaf, by definition."""
    rest = y - before
    if model.loss == "squared_error":
        return float(rest.mean())
    if model.loss in ("absolute_error", "quantile"):
        return float(np.quantile(rest, NUMBERS[model.loss], method="inverted_cdf"))
    if model.loss == "huber":
        median, delta = np.quantile(rest, 0.5, method="inverted_cdf"), model._loss.delta  # type: ignore[attr-defined]
        return float(median + np.clip(rest - median, -delta, delta).mean())
    shares = y - residuals
    curvature = np.abs(residuals) if model.loss == "exponential" else shares * (1 - shares)
    return float(residuals.sum() / curvature.sum())


@EVERY
def test_rounds_equal_a_plain_loop(model: Model, data: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = data
    model = clone(model).fit(X, y)
    target, outputs = model._encode_target(y, None), model.n_trees_per_iteration_
    plain = model._raw_start(X.astype(np.float32))
    for found in model._staged_raw_predict(X):
        model._loss.prepare(target, plain, None)
        residuals = model._loss.residuals(target, plain)
        for k in range(outputs):
            own = target if outputs == 1 else (target == k).astype(float)
            leaves = DecisionTreeRegressor(max_depth=3).fit(X, residuals[k]).apply(X)
            for leaf in np.unique(leaves):
                rows = leaves == leaf
                step = plain_leaf(model, own[rows], plain[k, rows], residuals[k, rows])
                plain[k, rows] += 0.1 * step * ((outputs - 1) / outputs if outputs > 1 else 1.0)
        assert_allclose(found, plain, rtol=1e-9, atol=1e-9)


@EVERY
def test_no_leaf_can_be_moved_to_lower_the_loss_of_its_rows(model: Model, data: tuple[np.ndarray, np.ndarray]) -> None:
    """Exactly for the losses with a closed form; a Newton step at least lowers it, as long as it is not the last."""
    X, y = data
    model = clone(model)
    model = model.set_params(n_estimators=3, learning_rate=1.0).fit(X, y)
    loss, target = model._loss, model._encode_target(y, None)
    before, after = [*model._staged_raw_predict(X)][-2:]
    if isinstance(model, GradientBoostingRegressor) and model.loss != "huber":
        leaves = model.apply(X)[:, -1]
        for leaf in np.unique(leaves):
            rows = leaves == leaf
            best = loss.each(target[rows], after[:, rows]).sum()
            for step in (-1e-3, 1e-3):
                assert loss.each(target[rows], after[:, rows] + step).sum() >= best - 1e-9
    loss.prepare(target, before, None)
    assert loss.score(target, after, None) < loss.score(target, before, None)


@EVERY
def test_negative_gradients_are_those_of_the_loss(model: Model, data: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = data
    model = clone(model)
    model = model.set_params(n_estimators=2).fit(X, y)
    loss, target = model._loss, model._encode_target(y, None)
    at, step = np.random.RandomState(0).normal(size=(loss.outputs, len(y))), 1e-6
    for output, found in enumerate(loss.residuals(target, at)):
        high, low = at.copy(), at.copy()
        high[output] += step
        low[output] -= step
        slope = (loss.each(target, high) - loss.each(target, low)) / (2 * step)
        assert_allclose(found, -slope, atol=1e-5)


@EVERY
def test_whole_weights_are_repeated_rows_and_zero_removes(
    model: Model, data: tuple[np.ndarray, np.ndarray], tmp_path: Path
) -> None:
    X, y = data
    model = clone(model)
    weights = np.random.RandomState(0).randint(0, 3, size=len(y))
    weighted = model.set_params(n_estimators=8).fit(X, y, sample_weight=weights.astype(float))
    found = raw(weighted, X)
    again = model.fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert_allclose(found, raw(again, X), rtol=1e-7, atol=1e-9)


@EVERY
def test_warm_start_saved_or_not_gives_the_same_bits(
    model: Model, data: tuple[np.ndarray, np.ndarray], tmp_path: Path
) -> None:
    X, y = data
    model = clone(model)
    options = {"subsample": 0.7, "max_features": 3, "n_estimators": 12}
    whole = raw(model.set_params(**options).fit(X, y), X)
    begun = clone(model).set_params(n_estimators=5, warm_start=True).fit(X, y)
    certus.save(begun, tmp_path / "begun.certus")
    for each in (certus.load(tmp_path / "begun.certus"), begun):
        assert_array_equal(raw(each.set_params(n_estimators=12).fit(X, y), X), whole)
        assert len(each.estimators_) == len(each.train_score_) == 12


@EVERY
def test_sparse_equals_dense_and_stages_end_at_the_prediction(
    model: Model, data: tuple[np.ndarray, np.ndarray]
) -> None:
    X, y = data
    model = clone(model)
    X = np.where(np.abs(X) < 0.5, 0.0, X)
    dense = model.set_params(subsample=0.8).fit(X, y)
    answers = raw(dense, X)
    last = [*dense._staged_raw_predict(X)][-1].T
    assert_allclose(last.reshape(answers.shape), answers, rtol=1e-9, atol=1e-9)
    assert_allclose(raw(model.fit(sparse.csr_array(X), y), sparse.csc_array(X)), answers, rtol=1e-9, atol=1e-9)


@EVERY
def test_rows_outside_the_sample_equal_an_independent_recomputation(
    model: Model, data: tuple[np.ndarray, np.ndarray]
) -> None:
    X, y = data
    model = clone(model)
    seen = []
    model.set_params(subsample=0.5, n_estimators=6)
    model.fit(X, y, monitor=lambda number, learner, facts: seen.append(facts["sample_mask"].copy()))
    target = model._encode_target(y, None)
    stages = [model._raw_start(X.astype(np.float32)), *model._staged_raw_predict(X)]
    for number, mask in enumerate(seen):
        assert mask.sum() == len(y) // 2
        model._loss.prepare(target, stages[number], None)
        scores = [model._loss.score(target[rows], stages[number + 1][:, rows], None) for rows in (mask, ~mask)]
        assert_allclose([model.train_score_[number], model.oob_scores_[number]], scores, rtol=1e-9)
    assert_allclose(model.oob_improvement_[1:], -np.diff(model.oob_scores_))
    assert model.oob_score_ == model.oob_scores_[-1]
    assert not hasattr(model.set_params(subsample=1.0).fit(X, y), "oob_score_")


def test_quantiles_of_leaves_against_the_definition() -> None:
    random = np.random.RandomState(1)
    for weighted in (False, True):
        leaves, values = random.randint(0, 4, size=60) * 2, random.randint(0, 9, size=60).astype(float)
        weights = random.randint(1, 4, size=60).astype(float) if weighted else None
        for share in (0.1, 0.5, 0.9):
            found = leaf_quantiles(leaves, 8, values, weights, share)
            for leaf in (0, 2, 4, 6):
                rows = np.flatnonzero(leaves == leaf)
                own = values[rows] if weights is None else np.repeat(values[rows], weights[rows].astype(int))
                assert found[leaf] == np.quantile(own, share, method="inverted_cdf")


def test_huber_fits_a_table_without_noise_completely() -> None:
    y = np.arange(10.0)
    X = np.c_[np.minimum(y, 5), np.minimum(-y, -5)]
    model = GradientBoostingRegressor(loss="huber", alpha=0.8).fit(X, y)
    assert model._loss.delta < 2e-4  # type: ignore[attr-defined]
    assert_allclose(model.predict(X), y, atol=0.01)


@pytest.mark.parametrize("start", ["zero", Ridge(), ForeignStart()])
def test_starts(start: object) -> None:
    X, y = numbers()
    model = GradientBoostingRegressor(init=start, n_estimators=40).fit(X, y)
    first = 0.0 if start == "zero" else model.init_.predict(X)
    assert_allclose(model._raw_start(X)[0], first)
    assert np.mean((model.predict(X) - y) ** 2) < 0.3 * y.var()


def test_missing_values_learn_their_side() -> None:
    X, y = numbers()
    X[y > np.median(y), 2] = np.nan
    model = GradientBoostingRegressor(n_estimators=5).fit(X, y)
    assert model.feature_importances_[2] > 0.5


def test_callbacks_and_held_out_rows_stop() -> None:
    X, y = numbers()
    history = History()
    model = GradientBoostingRegressor(n_estimators=50)
    model.set_callbacks(history, EarlyStopping("objective", below=5.0))
    model.fit(X, y)
    assert model.n_estimators_ == len(history.rows) == len(model.train_score_) < 50
    assert history.rows[-1]["objective"] <= 5.0 < history.rows[-2]["objective"]
    stopped = GradientBoostingRegressor(n_estimators=300, n_iter_no_change=3, tol=0.1, random_state=0).fit(X, y)
    assert stopped.n_estimators_ < 300


def test_one_row_and_constant_targets() -> None:
    for rows in (1, 7):
        X = np.arange(2.0 * rows).reshape(rows, 2)
        for options in ({}, {"subsample": 0.5}):
            model = GradientBoostingRegressor(n_estimators=3, **options).fit(X, np.full(rows, 4.5))
            assert_array_equal(model.predict(X), np.full(rows, 4.5))


def test_refusals() -> None:
    X, y = numbers()
    with pytest.raises(ValueError, match=r"(?s)initial estimator .* does not support sample weights.*Hint"):
        GradientBoostingRegressor(init=make_pipeline(Ridge())).fit(X, y, sample_weight=np.ones(len(y)))
    with pytest.raises(ValueError, match="object implementing 'fit' and 'predict'"):
        GradientBoostingRegressor(init=3).fit(X, y)
    with pytest.raises(ValueError, match="only one class, 'a'"):
        GradientBoostingClassifier().fit(X, ["a"] * len(y))
    with pytest.raises(ValueError, match="only suitable for a binary"):
        GradientBoostingClassifier(loss="exponential").fit(*labels(3))
    with pytest.warns(FutureWarning, match="criterion"):
        GradientBoostingRegressor(n_estimators=1, criterion="friedman_mse").fit(X, y)


def test_forged_files_are_refused() -> None:
    X, y = labels(3)
    model = GradientBoostingClassifier(n_estimators=2).fit(X, y)
    model._restored()
    model.forests_ = model.forests_[:2]
    with pytest.raises(ValueError, match="one forest per output"):
        model._restored()
