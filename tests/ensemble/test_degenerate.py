"""Odd tables for every tree and ensemble of the catalogue: right behavior, or one clear error."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from sklearn.utils import get_tags

from certus.base import catalogue
from certus.base.catalogue import Entry
from certus.ensemble import HistGradientBoostingRegressor

ENTRIES = [pytest.param(entry, id=entry.name) for entry in catalogue.entries() if entry.family in ("trees", "ensemble")]
EVERY = pytest.mark.parametrize("entry", ENTRIES)
NEEDS_TWO_CLASSES = {"GradientBoostingClassifier"}
HISTOGRAMS = {"HistGradientBoostingClassifier", "HistGradientBoostingRegressor"}


def make(entry: Entry) -> Any:
    learner = entry.learner()
    few = {"n_estimators": 5, "max_iter": 5, "random_state": 0}
    return learner.set_params(**{name: value for name, value in few.items() if name in learner.get_params()})


def target(entry: Entry, rows: int) -> np.ndarray:
    return np.arange(rows) % 2 if "classification" in entry.tasks else np.linspace(0.0, 1.0, rows)


def table(rows: int = 40) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(rows, 3))


def answers(learner: Any, X: np.ndarray) -> np.ndarray:
    found = np.asarray(learner.predict(X))
    assert found.shape == (len(X),)
    assert np.isfinite(found).all()
    if hasattr(learner, "predict_proba"):
        np.testing.assert_allclose(learner.predict_proba(X).sum(axis=1), 1.0)
    return found


@EVERY
def test_all_missing_column(entry: Entry) -> None:
    X = table()
    X[:, 1] = np.nan
    learner, y = make(entry), target(entry, 40)
    if get_tags(learner).input_tags.allow_nan:
        answers(learner.fit(X, y), X)
        assert getattr(learner, "feature_importances_", np.zeros(2))[1] == 0.0
    else:
        with pytest.raises(ValueError, match=r"(?s)NaN: first at row 0, column 1.*Hint"):
            learner.fit(X, y)


@EVERY
def test_missing_only_in_new_rows(entry: Entry) -> None:
    learner = make(entry).fit(table(), target(entry, 40))
    X = table()
    X[3, 2] = np.nan
    if get_tags(learner).input_tags.allow_nan:
        answers(learner, X)
    else:
        with pytest.raises(ValueError, match=r"(?s)NaN: first at row 3, column 2"):
            learner.predict(X)


@EVERY
@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_infinity(entry: Entry, value: float) -> None:
    X, y = table(), target(entry, 40)
    X[4, 0] = value
    if entry.name in HISTOGRAMS:
        answers(make(entry).fit(X, y), X)
    else:
        with pytest.raises(ValueError, match=r"infinity.*row 4, column 0"):
            make(entry).fit(X, y)


@EVERY
def test_values_too_large_for_single_precision(entry: Entry) -> None:
    X, y = table(), target(entry, 40)
    X[4, 0] = 1e200
    try:
        answers(make(entry).fit(X, y), X)
    except ValueError as error:
        assert "row 4, column 0" in str(error)  # noqa: PT017  either is right


@EVERY
def test_constant_target(entry: Entry) -> None:
    labels = "classification" in entry.tasks
    y = np.full(40, 3) if labels else np.full(40, 2.5)
    if entry.name in NEEDS_TWO_CLASSES:
        with pytest.raises(ValueError, match=r"only one class, '3'"):
            make(entry).fit(table(), y)
    else:
        np.testing.assert_allclose(answers(make(entry).fit(table(), y), table()), y, rtol=1e-12)


@EVERY
def test_one_row(entry: Entry) -> None:
    y = np.array([7]) if "classification" in entry.tasks else np.array([7.0])
    if entry.name in NEEDS_TWO_CLASSES:
        with pytest.raises(ValueError, match="only one class"):
            make(entry).fit(table(1), y)
    else:
        np.testing.assert_allclose(answers(make(entry).fit(table(1), y), table(5)), 7.0, rtol=1e-12)


@EVERY
def test_constant_columns(entry: Entry) -> None:
    """Nothing to split on: every row gets the same answer."""
    X, y = np.ones((40, 2)), target(entry, 40)
    y[:25] = y[0]
    assert len(np.unique(answers(make(entry).fit(X, y), X))) == 1


@EVERY
def test_duplicated_rows_with_opposite_labels(entry: Entry) -> None:
    X = np.repeat(table(10), 2, axis=0)
    answers(make(entry).fit(X, target(entry, 20)), X)


@EVERY
def test_no_rows_and_no_columns(entry: Entry) -> None:
    for empty in (np.empty((0, 3)), np.empty((5, 0))):
        with pytest.raises(ValueError, match=r"0 (sample|feature)"):
            make(entry).fit(empty, target(entry, len(empty)))


def test_a_million_categories_are_refused_by_name() -> None:
    names = pl.Series("city", np.arange(1_000_000).astype(str)).cast(pl.Categorical)
    frame = pl.DataFrame({"city": names, "size": np.zeros(1_000_000)})
    with pytest.raises(ValueError, match=r"(?s)city.*255|255.*city"):
        HistGradientBoostingRegressor(max_iter=1).fit(frame, np.arange(1_000_000) % 2)
