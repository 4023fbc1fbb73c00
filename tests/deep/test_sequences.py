"""Networks of sequences: lengths, padding, memory, answers per step, what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

torch = pytest.importorskip("torch")

import certus
from certus.neural.deep import SequenceClassifier, SequenceRegressor

CELLS = ["lstm", "gru", "rnn", "transformer"]
SMALL: dict[str, Any] = {"hidden_units": 8, "max_epochs": 2, "learning_rate": 0.01, "random_state": 0}
RNG = np.random.default_rng(0)
X = [RNG.normal(size=(length, 2)) for length in RNG.integers(1, 12, 90)]
Y = np.array([int(each[:, 0].sum() > 0) for each in X])


def marked(number: int, length: int, seed: int) -> tuple[list[np.ndarray], np.ndarray]:
    """Sequences of noise that follow one mark, which is the label."""
    rng = np.random.default_rng(seed)
    bits = rng.integers(0, 2, number)
    noise = [0.5 * rng.normal(size=rng.integers(length - 5, length + 5)) for _ in bits]
    return [np.r_[2.0 * bit - 1.0, each] for bit, each in zip(bits, noise, strict=True)], bits


def test_an_lstm_keeps_a_bit_where_an_rnn_fails() -> None:
    old, new = marked(300, 30, 0), marked(300, 30, 1)
    options = {**SMALL, "hidden_units": 12, "max_epochs": 25, "learning_rate": 0.02}
    assert SequenceClassifier("lstm", **options).fit(*old).score(*new) > 0.95
    assert SequenceClassifier("rnn", **options).fit(*old).score(*new) < 0.7


@pytest.mark.parametrize("cell", CELLS)
@pytest.mark.parametrize("bidirectional", [False, True], ids=["forward", "both ways"])
def test_company_and_padding_change_no_answer(cell: str, bidirectional: bool) -> None:
    model = SequenceClassifier(cell, layers=2, bidirectional=bidirectional, **SMALL).fit(X, Y)
    together = model.predict_proba(X)
    alone = np.vstack([model.predict_proba([each]) for each in X])
    assert_allclose(alone, together, rtol=1e-4, atol=1e-6)
    assert_array_equal(model.predict(X), model.classes_[together.argmax(axis=1)])


@pytest.mark.parametrize("cell", ["lstm", "gru", "rnn"])
def test_a_step_does_not_see_later_ones_unless_it_reads_both_ways(cell: str) -> None:
    steps = [(each[:, 0] > 0).astype(int) for each in X]
    for both in (False, True):
        model = SequenceClassifier(cell, per_step=True, bidirectional=both, **SMALL).fit(X, steps)
        long = max(X, key=len)
        changed = long.copy()
        changed[-1] += 3.0
        before, after = model.predict_proba([long])[0], model.predict_proba([changed])[0]
        assert np.allclose(before[:-1], after[:-1], atol=1e-7) is not both


@pytest.mark.parametrize("cell", CELLS)
def test_labels_of_steps(cell: str) -> None:
    """Each step is labelled by the sign of its first feature, in words."""
    y = [np.where(each[:, 0] > 0, "up", "down") for each in X]
    options = {**SMALL, "max_epochs": 30, "learning_rate": 0.02, "hidden_units": 16}
    model = SequenceClassifier(cell, per_step=True, **options).fit(X, y)
    assert model.score(X, y) > 0.85
    assert [len(each) for each in model.predict(X)] == [len(each) for each in X]
    assert all(np.allclose(each.sum(axis=1), 1.0) for each in model.predict_proba(X))
    right = sum((ours == theirs).sum() for ours, theirs in zip(model.predict(X), y, strict=True))
    assert model.score(X, y) == pytest.approx(right / sum(map(len, X)))
    weights = np.arange(90.0)
    assert 0.8 < model.score(X, y, sample_weight=weights) <= 1.0
    with pytest.raises(ValueError, match=r"steps of a sequence are not independent.*\nHint"):
        model.certify(X, y)


def test_numbers_of_sequences_and_steps() -> None:
    options = {**SMALL, "max_epochs": 40, "learning_rate": 0.02, "hidden_units": 16}
    mean = np.array([each[:, 0].mean() for each in X])
    assert SequenceRegressor("gru", **options).fit(X, 100.0 + 10.0 * mean).score(X, 100.0 + 10.0 * mean) > 0.9
    pair = np.column_stack([mean, 5.0 - mean])
    two = SequenceRegressor("lstm", **options).fit(X, pair)
    assert two.predict(X).shape == (90, 2)
    assert two.score(X, pair) > 0.8
    running = [1000.0 + np.cumsum(each[:, 0]) for each in X]
    each_step = SequenceRegressor("rnn", per_step=True, **options).fit(X, running)
    assert each_step.score(X, running) > 0.8
    assert [found.shape for found in each_step.predict(X)] == [(len(each),) for each in X]
    wide = SequenceRegressor("gru", per_step=True, **options).fit(X, [np.column_stack([r, r]) for r in running])
    assert [found.shape for found in wide.predict(X)] == [(len(each), 2) for each in X]
    held = SequenceRegressor("gru", per_step=True, loss="huber", **SMALL).fit(
        X[:60], running[:60], X_val=X[60:], y_val=running[60:]
    )
    assert len(held.validation_scores_) == 2
    report = (
        SequenceRegressor("gru", **SMALL)
        .fit(X[:60], mean[:60])
        .certify(X[60:], mean[60:], loss="absolute", loss_range=(0.0, 10.0))
    )
    assert all(certificate.check() for certificate in report)


def test_forms_of_sequences() -> None:
    table = np.random.default_rng(0).normal(size=(40, 6))
    y = (table.sum(axis=1) > 0).astype(int)
    model = SequenceClassifier("gru", **SMALL).fit(table, y)
    for given in (table[:, :, None], list(table), table.tolist(), table.astype(np.float32)):
        assert_array_equal(clone(model).fit(given, y).predict_proba(given), model.predict_proba(table))


def test_a_seed_decides_and_a_resumed_training_is_the_same(tmp_path: Path) -> None:
    learner = SequenceClassifier("lstm", layers=2, dropout=0.3, **{**SMALL, "max_epochs": 4, "schedule": "constant"})
    whole = clone(learner).fit(X, Y)
    clone(learner).set_params(max_epochs=2, checkpoint=tmp_path).fit(X, Y)
    resumed = clone(learner).set_params(checkpoint=tmp_path, resume=True).fit(X, Y)
    for name, weights in whole.weights_.items():
        assert_array_equal(weights, resumed.weights_[name])
    assert whole.loss_curve_ == resumed.loss_curve_


@pytest.mark.parametrize("cell", CELLS)
def test_saved_and_loaded(cell: str, tmp_path: Path) -> None:
    model = SequenceClassifier(cell, **SMALL).fit(X, Y)
    certus.save(model, tmp_path / "model.certus")
    again = certus.load(tmp_path / "model.certus")
    assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    numbers = SequenceRegressor(cell, per_step=True, **SMALL).fit(X, [each[:, 1] for each in X])
    certus.save(numbers, tmp_path / "model.certus")
    again = certus.load(tmp_path / "model.certus")
    for ours, theirs in zip(again.predict(X), numbers.predict(X), strict=True):
        assert_array_equal(ours, theirs)
    model.feature_mean_ = np.zeros(3)
    certus.save(model, tmp_path / "model.certus")
    with pytest.raises(certus.CertusFileError, match="does not fit together"):
        certus.load(tmp_path / "model.certus")


def test_sequences_are_recognized_and_certified() -> None:
    model = SequenceClassifier("gru", **SMALL).fit(X[:60], Y[:60])
    with pytest.raises(certus.TrainingRowsError):
        model.certify(X[:60], Y[:60])
    report = model.certify(X[60:], Y[60:])
    assert report["error"].check()
    assert np.mean(model.predict(X[60:]) != Y[60:]) < report["error"].value


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([*X[:89], np.empty((0, 2))], r"one step or more, but sequence 89 is empty.\nHint: leave it out"),
        ([*X[:89], np.ones((3, 4))], r"2 features per step, got 4 in sequence 89.\nHint"),
        ([*X[:88], np.array([[1.0, np.nan]]), X[0]], r"NaN or infinity: first in sequence 88, step 0.\nHint"),
        ([*X[:89], ["a", "b"]], r"sequences of numbers, got something else in sequence 89.\nHint"),
        ([*X[:89], np.ones((2, 2, 2))], r"got the shape \(2, 2, 2\) in sequence 89.\nHint"),
        ([], r"0 sample\(s\)"),
        (3.0, r"a list of sequences, got float.\nHint"),
        (X[:89], r"inconsistent numbers of samples: X has 89, y has 90"),
    ],
)
def test_sequences_that_cannot_be(given: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        SequenceClassifier("gru", **SMALL).fit(given, Y)


def test_targets_and_options_that_cannot_be() -> None:
    with pytest.raises(ValueError, match=r"one target per step: sequence 2 has \d+ steps, its targets the shape"):
        SequenceClassifier("gru", per_step=True, **SMALL).fit(X, [*[each[:, 0] > 0 for each in X[:2]], [], *Y[3:]])
    steps = [each[:, 0] > 0 for each in X]
    with pytest.raises(ValueError, match=r"class_weight needs one label per sequence.\nHint"):
        SequenceClassifier("gru", per_step=True, class_weight="balanced", **SMALL).fit(X, steps)
    with pytest.raises(ValueError, match=r"hidden_units must be a multiple of heads, got 8 and 3.\nHint"):
        SequenceClassifier("transformer", heads=3, **SMALL).fit(X, Y)
    model = SequenceClassifier("gru", **SMALL).fit(X, Y)
    with pytest.raises(ValueError, match="2 features per step, got 1 in sequence 0"):
        model.predict([np.ones(4)])
