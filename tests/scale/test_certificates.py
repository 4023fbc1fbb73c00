"""Certificates from rows in blocks are those of the whole table, and `check` recounts them over the blocks."""

from __future__ import annotations

import numpy as np
import pytest

import certus
from certus.base.blocks import BlockError
from certus.bayes import GaussianNB
from certus.linear import LogisticRegression, Ridge
from tests.scale.pieces import classes_table, cut, every_cut, numbers_table


def same(one, two):
    assert [item.to_dict() for item in one] == [item.to_dict() for item in two]


@every_cut
@pytest.mark.parametrize("classes", [2, 3])
def test_certify(classes, cuts):
    model = GaussianNB().fit(*classes_table(classes=classes, rows=500))
    X, y = classes_table(seed=7, classes=classes)
    blocks = cut((X, y), cuts)
    same(certus.certify(model, *blocks), certus.certify(model, X, y))
    same(model.certify(*blocks, confidence=0.9), model.certify(X, y, confidence=0.9))


def test_bounded_losses_bet_in_the_order_of_the_rows():
    model = Ridge().fit(*numbers_table())
    X, y = numbers_table(seed=5)
    options = {"loss": "absolute", "loss_range": (0.0, 30.0), "seed": 3}
    same(certus.certify(model, *cut((X, y), 3), **options), certus.certify(model, X, y, **options))


def test_check_recounts_by_a_second_pass():
    model = LogisticRegression().fit(*cut(classes_table(rows=500, classes=2), 3))
    X, y = classes_table(seed=9, classes=2)
    model.report_ = model.certify(*cut((X, y), 7))
    found = certus.check(model, cut((X, y), 2))
    assert found
    assert found.level == "recounted"
    assert found.to_dict() == certus.check(model, (X, y)).to_dict()
    wrong = certus.check(model, cut((X, 1 - y), 2))
    assert not wrong


def test_training_rows_are_refused_in_blocks_as_well():
    X, y = classes_table(rows=400)
    model = GaussianNB().fit(*cut((X, y), 3))
    with pytest.raises(certus.TrainingRowsError):
        certus.certify(model, *cut((X, y), 2))
    with pytest.raises(certus.TrainingRowsError):
        model.certify(X[:100], y[:100])
    estimate = certus.certify(model, *cut((X, y), 2), allow_training_rows=True)
    assert estimate.training_overlap.recognized
    assert {item.kind for item in estimate} == {"estimate"}


def test_looks_know_the_rows(tmp_path):
    model = GaussianNB().fit(*classes_table(rows=400))
    X, y = classes_table(seed=5)
    store = tmp_path / "looks.sqlite"
    first = certus.certify(model, *cut((X, y), 3), looks=store)
    assert first.look.number == 1
    other = GaussianNB(var_smoothing=0.5).fit(*classes_table(rows=400))
    assert certus.certify(other, X[50:], y[50:], looks=store).look.number == 2


def test_the_truth_gate_on_blocks():
    """Errors of a fixed model on fresh rows exceed the certified bound in at most 5 % of the draws."""
    generator = np.random.default_rng(0)

    class Fixed:
        def predict(self, X):
            return np.zeros(len(X), dtype=int)

    rate, draws, failed, halved = 0.2, 400, 0, 0
    for _ in range(draws):
        y = (generator.random(60) < rate).astype(int)
        X = generator.normal(size=(60, 1))
        bound = certus.certify(Fixed(), *cut((X, y), [7, 7, 40]))["error"].value
        failed += bound < rate
        halved += 0.6 * bound < rate  # a mutant
    assert failed <= 0.05 * draws + 3 * np.sqrt(0.05 * 0.95 * draws)
    assert halved > 0.1 * draws


def test_models_are_compared_and_chosen_on_blocks():
    X, y = classes_table(seed=7, rows=400, classes=2)
    models = {
        "good": LogisticRegression().fit(*classes_table(rows=500, classes=2)),
        "rough": GaussianNB(var_smoothing=50.0).fit(*classes_table(seed=3, rows=300, classes=2)),
    }
    blocks = cut((X, y), 3)
    ours, theirs = certus.compare(models, X=blocks[0], y=blocks[1]), certus.compare(models, X=X, y=y)
    assert ours.verdict == theirs.verdict
    same(ours.report, theirs.report)
    ours, theirs = certus.select(models, *blocks), certus.select(models, X, y)
    assert ours.winner == theirs.winner
    assert ours.certificate.to_dict() == theirs.certificate.to_dict()


@pytest.mark.parametrize("classes", [2, 3])
def test_thresholds_are_those_of_the_whole_table(classes):
    model = GaussianNB().fit(*classes_table(rows=500, classes=classes))
    X, y = classes_table(seed=8, rows=600, classes=classes)
    ours = certus.guard(model, *cut((X, y), 7), recall=0.9, positive=1)
    theirs = certus.guard(model, X, y, recall=0.9, positive=1)
    assert ours.threshold == theirs.threshold
    assert ours.feasible
    same(ours.report, theirs.report)
    assert (ours.flag(X) == theirs.flag(X)).all()
    with pytest.raises(certus.TrainingRowsError):
        certus.guard(model, *cut(classes_table(rows=500, classes=classes), 2), recall=0.9, positive=1)


@pytest.mark.parametrize("method", ["auto", "aps"])
def test_conformal_sets(method):
    model = GaussianNB().fit(*classes_table(rows=500))
    X, y = classes_table(seed=8, rows=600)
    ours = certus.conformal(model, *cut((X, y), 7), method=method)
    theirs = certus.conformal(model, X, y, method=method)
    assert ours.calibration_.threshold == theirs.calibration_.threshold
    assert ours.estimator_ is model
    same(ours.report_, theirs.report_)
    assert (ours.predict_set(X[:9]) == theirs.predict_set(X[:9])).all()
    with pytest.raises(certus.TrainingRowsError):
        certus.conformal(model, *cut(classes_table(rows=500), 2))


def test_conformal_intervals():
    model = Ridge().fit(*numbers_table())
    X, y = numbers_table(seed=8, rows=300)
    ours, theirs = certus.conformal(model, *cut((X, y), 3)), certus.conformal(model, X, y)
    np.testing.assert_allclose(ours.predict_interval(X[:5]), theirs.predict_interval(X[:5]), rtol=1e-12)
    with pytest.raises(ValueError, match="without groups"):
        certus.conformal(model, *cut((X, y), 3), groups=y > 0)


@pytest.mark.parametrize(
    "change", [lambda X, y: (X[::-1], y), lambda X, y: (X, y[::-1]), lambda X, y: (X[:-1], y[:-1])]
)
def test_models_are_not_compared_on_different_rows(change):
    models = {"a": GaussianNB().fit(*classes_table(rows=300)), "b": LogisticRegression().fit(*classes_table(rows=300))}
    X, y = classes_table(seed=8)
    calls = []

    def pieces():
        calls.append(0)
        return iter([(X, y) if len(calls) == 1 else change(X, y)])

    with pytest.raises(BlockError, match="Every pass must read the same rows"):
        certus.compare(models, None, *certus.scale.blocks(pieces).xy())


def test_truths_of_words_and_numbers_are_not_joined():
    model = GaussianNB().fit(*classes_table(rows=300))
    X, y = classes_table(seed=8)
    with pytest.raises(BlockError, match="one kind"):
        model.certify(*certus.scale.blocks([(X, y), (X + 1.0, y.astype(str))]).xy())
