"""Weights of rows along a stream, and audits of several labels, against trials that were written out."""

import numpy as np
import pytest
from sklearn.base import clone

import certus
from certus.losses import named_loss
from certus.online import MirrorDescent, OGDClassifier, OGDRegressor, OnlinePerceptron
from certus.online.learning.stream_weights import AT_ONCE
from tests.online.linear_problems import CLASSIFIERS, REGRESSORS, labels, numbers, rows

LEARNERS = {**CLASSIFIERS, **REGRESSORS}
every = pytest.mark.parametrize("name", LEARNERS)
COUNTS = np.random.default_rng(5).integers(0, 4, 60).astype(float)


def problem(name, several=False):
    X = rows(60)
    if name in REGRESSORS:
        return X, numbers(X)
    return X, np.digitize(X[:, 0] + 0.1 * X[:, 1], [-0.1, 0.1]) if several else labels(X)


def same(one, two):
    return all(np.array_equal(getattr(one.state_, name), getattr(two.state_, name)) for name in ("vectors", "numbers"))


@every
@pytest.mark.parametrize("several", [False, True])
def test_a_weight_repeats_its_row_and_zero_removes_it(name, several):
    X, y = problem(name, several)
    index = np.repeat(np.arange(60), COUNTS.astype(int))
    expected = clone(LEARNERS[name]).partial_fit(X[index], y[index])
    weighted = clone(LEARNERS[name]).partial_fit(X, y, sample_weight=COUNTS)
    one_by_one = clone(LEARNERS[name])
    for x, target, weight in zip(X, y.tolist(), COUNTS, strict=True):
        one_by_one.learn_one(x, target, sample_weight=weight)
    assert same(weighted, expected)
    assert same(one_by_one, expected)
    names = [{f"x{j}": value for j, value in enumerate(x)} for x in X.tolist()]
    dicts = clone(LEARNERS[name]).partial_fit(names, y, sample_weight=COUNTS)
    repeated = clone(LEARNERS[name]).partial_fit([names[i] for i in index], y[index])
    assert same(dicts, repeated)


@pytest.mark.parametrize("name", ["perceptron", "logistic", "squared", "forward"])
def test_run_predicts_every_row_before_it_is_told_also_those_without_weight(name):
    X, y = problem(name)
    learner, expected = clone(LEARNERS[name]), []
    for x, target, weight in zip(X, y.tolist(), COUNTS, strict=True):
        expected.append(learner.predict_one(x))
        for _ in range(int(weight)):
            learner.learn_one(x, target)
    assert clone(LEARNERS[name]).run(X, y, sample_weight=COUNTS).tolist() == expected


def test_many_trials_of_one_row_are_learned_in_pieces():
    X, y = rows(3), np.array([1, 0, 1])
    weights = np.array([2.0, AT_ONCE + 3.0, 1.0])
    learner = OGDClassifier().partial_fit(X, y, sample_weight=weights)
    index = np.repeat(np.arange(3), weights.astype(int))
    assert same(learner, OGDClassifier().partial_fit(X[index], y[index]))


@pytest.mark.parametrize(
    "learner",
    [
        OGDClassifier(),
        OGDClassifier(geometry="entropy", radius=5.0),
        OGDClassifier("hinge", geometry="euclidean", eta=0.05, radius=3.0),
        OGDRegressor(),
        MirrorDescent("absolute", eta=0.01),
        CLASSIFIERS["newton"],
    ],
    ids=lambda learner: type(learner).__name__ + "-" + str(getattr(learner, "geometry", "")),
)
def test_parts_of_a_row_count_a_part_of_its_loss(learner):
    """The account is that of the twin, and the regret that of the weighted losses, counted directly."""
    X = rows(80)
    y = numbers(X) if isinstance(learner, OGDRegressor | MirrorDescent) else labels(X)
    weights = np.random.default_rng(1).uniform(0.0, 2.5, 80)
    weights[::7] = 0.0
    learner = clone(learner)
    learner.run(X, y, sample_weight=weights)
    ledger = learner.audit(X, y, weights).ledger_
    assert ledger.lines[0].regret <= ledger.lines[0].bound
    assert ledger.check((X, y, weights))
    if isinstance(learner, OGDClassifier) and learner.geometry == "euclidean":
        w, paid = np.zeros(5), 0.0
        loss, Z, signs = named_loss(learner.loss), np.c_[X, np.ones(80)], 2.0 * y - 1.0
        for x, sign, weight in zip(Z, signs, weights, strict=True):
            for share in [1.0] * int(weight) + [weight - int(weight)]:
                paid += share * float(loss.value([sign], [x @ w])[0])
                w = w - 0.05 * share * float(loss.derivative([sign], [x @ w])[0]) * x
        assert ledger.loss == pytest.approx(paid, rel=1e-12)
        assert learner.coef_[0] == pytest.approx(w[:-1], rel=1e-9)


@pytest.mark.parametrize(
    ("learner", "weights", "message"),
    [
        (OnlinePerceptron(), [1.0, 0.5], "whole numbers in OnlinePerceptron, got 0.5 in row 1"),
        (OGDClassifier(), [1.0, 2e6], "at most 1e[+]06 in OGDClassifier, got 2e[+]06 in row 1"),
        (OGDClassifier(), [1.0, -1.0], "row 1 has -1"),
        (OGDClassifier(), [1.0, np.nan], "NaN"),
        (OGDClassifier(), [0.0, 0.0], "at least one non-zero"),
    ],
)
def test_weights_that_cannot_be_change_nothing(learner, weights, message):
    X, y = rows(2), np.array([0, 1])
    learner = clone(learner).partial_fit(X, y)
    before = learner.ledger_.to_json()
    with pytest.raises(ValueError, match=message):
        learner.partial_fit(X, y, sample_weight=weights)
    if weights[1] != 0.0:
        with pytest.raises(ValueError, match=r"sample_weight|Negative"):
            learner.learn_one(X[0], 1, sample_weight=weights[1])
    assert learner.ledger_.to_json() == before


SEVERAL = ["perceptron", "pa1", "pa2", "logistic", "hinge", "plain", "entropy", "alma", "romma", "newton"]


@pytest.mark.parametrize("known", ["joined", "classes", "told"])
@pytest.mark.parametrize("name", SEVERAL)
def test_several_labels_are_audited_and_replayed(name, known, tmp_path):
    X = rows(150)
    y = np.array(["b", "d", "a", "c"])[np.digitize(X[:, 0] + 0.05 * X[:, 2], [-0.1, 0.0, 0.1])]
    y[:40][y[:40] == "a"] = "b"  # which joins late
    learner = clone(CLASSIFIERS[name])
    if known == "classes":
        learner.set_params(classes=["a", "b", "c", "d"])
    learner.partial_fit(X[:1], y[:1], classes=["a", "b", "c", "d"] if known == "told" else None)
    learner.partial_fit(X[1:], y[1:])
    ledger = learner.audit(X, y).ledger_
    assert ledger.mistakes == learner.ledger_.mistakes
    for line in ledger.lines:
        assert line.regret <= line.bound
    assert ledger.check((X, y))
    certus.save(learner, tmp_path / "several.certus")
    assert certus.load(tmp_path / "several.certus").ledger_.to_json() == ledger.to_json()


@pytest.mark.parametrize("name", ["perceptron", "pa1"])
def test_the_bound_of_several_labels_is_the_sum_over_labels_against_the_rest(name):
    """A mistake of the whole is one of some label against the rest; learners of one label each have the same bounds."""
    X = rows(120)
    y = np.digitize(X[:, 0], [-0.1, 0.1])
    learner = clone(CLASSIFIERS[name]).set_params(classes=[0, 1, 2])
    learner.run(X, y)
    line = learner.ledger_.line("mistakes")
    alone = 0.0
    for label in range(3):
        part = clone(CLASSIFIERS[name]).set_params(classes=[0, 1])
        part.run(X, (y == label).astype(int))
        alone += part.ledger_.line("mistakes").bound
    assert line.bound == alone
    assert learner.ledger_.mistakes <= alone
