"""Images and sequences go where tables go: conformal sets and intervals, guards, comparisons, searches, pickles."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.model_selection import GridSearchCV

torch = pytest.importorskip("torch")

import certus
from certus.neural.deep import ConvNetClassifier, SequenceClassifier, SequenceRegressor, TorchClassifier

RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, 420)
IMAGES = RNG.normal(size=(420, 6, 6)) + 0.7 * Y[:, None, None]
SERIES = [RNG.normal(size=(length, 2)) + 0.6 * label for length, label in zip(RNG.integers(3, 9, 420), Y, strict=True)]
OLD, NEW, FRESH = slice(0, 150), slice(150, 300), slice(300, 420)
CASES = {
    "images": (ConvNetClassifier((4,), hidden_units=8, max_epochs=10, learning_rate=0.02, random_state=0), IMAGES),
    "sequences": (SequenceClassifier("gru", hidden_units=8, max_epochs=6, learning_rate=0.02, random_state=0), SERIES),
}


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest) -> tuple[Any, Any]:
    learner, inputs = CASES[request.param]
    return copy.deepcopy(learner).fit(inputs[OLD], Y[OLD]), inputs


def test_sets_of_labels_hold_on_new_examples(case: tuple[Any, Any]) -> None:
    model, inputs = case
    sets = certus.conformal(model, inputs[NEW], Y[NEW], confidence=0.9).predict_set(inputs[FRESH])
    assert sets[np.arange(120), Y[FRESH]].mean() > 0.8
    with pytest.raises(certus.TrainingRowsError):
        certus.conformal(model, inputs[OLD], Y[OLD], confidence=0.9)


def test_guards_find_what_they_were_asked_for(case: tuple[Any, Any]) -> None:
    model, inputs = case
    flagged = certus.guard(model, inputs[NEW], Y[NEW], recall=0.7).flag(inputs[FRESH])
    assert flagged[Y[FRESH] == 1].mean() > 0.6


def test_a_model_is_not_better_than_itself(case: tuple[Any, Any]) -> None:
    model, inputs = case
    assert "cannot tell" in str(certus.compare(model, copy.deepcopy(model), X=inputs[NEW], y=Y[NEW]))


def test_searches_and_pickles(case: tuple[Any, Any]) -> None:
    model, inputs = case
    search = GridSearchCV(model, {"hidden_units": [2, 8]}, cv=2).fit(inputs[OLD], Y[OLD])
    assert search.best_score_ > 0.6
    again = pickle.loads(pickle.dumps(model))
    assert_array_equal(again.predict_proba(inputs[NEW]), model.predict_proba(inputs[NEW]))


def test_intervals_of_numbers_of_sequences() -> None:
    means = np.array([each.mean() for each in SERIES])
    model = SequenceRegressor("gru", hidden_units=8, max_epochs=6, random_state=0).fit(SERIES[OLD], means[OLD])
    low, high = certus.conformal(model, SERIES[NEW], means[NEW], confidence=0.9).predict_interval(SERIES[FRESH]).T
    assert np.mean((low <= means[FRESH]) & (means[FRESH] <= high)) > 0.8


def test_epochs_are_printed_when_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    TorchClassifier(max_epochs=12, verbose=2, random_state=0).fit(IMAGES[OLD], Y[OLD])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split()[:3] == ["Iter", "Loss", "Score"]
    assert len(lines) == 13
