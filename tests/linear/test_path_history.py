"""What lasso fits tell while they run: ``history_``, callbacks that watch and stop, Ctrl-C."""

import os
import signal
import threading

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from certus.base.callbacks import EarlyStopping, History
from certus.linear import ElasticNet, Lasso, LassoCV, MultiTaskLasso, lasso_path


def wide(seed: int = 0, rows: int = 60, columns: int = 400):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, columns))
    return X, X[:, :8] @ rng.standard_normal(8) + 0.5 * rng.standard_normal(rows)


def tall(seed: int = 0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((5000, 40))
    return X, X[:, :8] @ rng.standard_normal(8) + 0.5 * rng.standard_normal(5000)


@pytest.mark.parametrize("data", [wide, tall])
@pytest.mark.parametrize("positive", [False, True])
def test_history_falls_from_zero_coefficients_to_the_optimum(data, positive):
    X, y = data()
    model = ElasticNet(alpha=0.05, tol=1e-8, positive=positive).fit(X, y)
    assert model.history_[0] == pytest.approx(0.5 * np.var(y))
    assert np.all(np.diff(model.history_) <= 1e-12)
    objective = model.report_["optimality gap"].witness["objective"]
    assert model.history_[-1] == pytest.approx(objective, rel=1e-6)


def test_targets_fitted_apart_follow_each_other():
    X, y = wide()
    both = Lasso(alpha=0.1).fit(X, np.column_stack([y, -y]))
    assert len(both.history_) == 2 * len(Lasso(alpha=0.1).fit(X, y).history_)


def test_ridge_has_one_entry():
    X, y = wide()
    assert len(ElasticNet(alpha=0.1, l1_ratio=0.0).fit(X, y).history_) == 1


@pytest.mark.parametrize("data", [wide, tall])
def test_watched_fit_finds_the_same_optimum(data):
    X, y = data()
    watch = History()
    model = Lasso(alpha=0.02, tol=1e-10)
    model.set_callbacks(watch)
    model.fit(X, y)
    alone = Lasso(alpha=0.02, tol=1e-10).fit(X, y)
    np.testing.assert_allclose(model.coef_, alone.coef_, atol=1e-6)
    assert model.converged_
    assert [set(row) for row in watch.rows] == [{"objective", "gap"}] * len(model.history_)
    np.testing.assert_array_equal([row["objective"] for row in watch.rows], model.history_)
    assert watch.rows[-1]["gap"] <= 1e-10 * np.var(y)


def test_early_stopping_ends_the_fit_and_the_gap_says_so():
    X, y = wide()
    model = MultiTaskLasso(alpha=0.001, tol=1e-10)
    model.set_callbacks(EarlyStopping("gap", below=0.5))
    with pytest.warns(ConvergenceWarning, match="certified to be within"):
        model.fit(X, np.column_stack([y, y[::-1]]))
    assert not model.converged_
    assert 0.0 < model.gap_ <= 0.6
    assert model.report_.check()


def test_cross_validation_tells_its_folds():
    X, y = wide()
    watch = History()
    model = LassoCV(cv=3, alphas=10)
    model.set_callbacks(watch)
    model.fit(X, y)
    assert [row["fold"] for row in watch.rows] == [0, 1, 2]
    means = [row["mean_squared_error"] for row in watch.rows]
    np.testing.assert_allclose(means, model.mse_path_.min(axis=0))
    assert len(model.history_) >= 1


def test_interrupt_ends_a_long_path():
    rng = np.random.default_rng(0)
    X = np.asfortranarray(rng.standard_normal((600, 6000)))
    y = X[:, :300] @ rng.standard_normal(300)
    timer = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        lasso_path(X, y, alphas=300, eps=1e-4, tol=1e-12, max_iter=100_000)
    timer.cancel()
