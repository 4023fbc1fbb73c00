"""Conformal sets around classifiers: coverage, scores, classes, groups, bare probabilities, bad input."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB

from certus.evaluation import CrossConformalClassifier, SplitConformalClassifier
from certus.evaluation.conformal.label_scores import LABEL_SCORES
from certus.guarantees import split_rank

LABELS = np.array(["ant", "bee", "cat"])


def make_data(rows, seed=0, shares=(0.6, 0.3, 0.1)):
    rng = np.random.default_rng(seed)
    codes = rng.choice(3, size=rows, p=shares)
    centers = np.array([[0.0, 0.0], [1.5, 0.0], [0.0, 1.5]])
    return centers[codes] + rng.normal(size=(rows, 2)), LABELS[codes]


X, Y = make_data(800)
X_NEW, Y_NEW = make_data(4000, seed=1)


def covered(sets, classes, y):
    return sets[np.arange(len(y)), np.searchsorted(classes, y)]


WRAPPERS = {
    "lac": SplitConformalClassifier(GaussianNB(), random_state=0),
    "aps": SplitConformalClassifier(GaussianNB(), score="aps", random_state=0),
    "decision values": SplitConformalClassifier(RidgeClassifier(), random_state=0),
    "cv+": CrossConformalClassifier(GaussianNB(), cv=5, random_state=0),
    "cv+ aps": CrossConformalClassifier(GaussianNB(), cv=5, score="aps", random_state=0),
    "cv-minmax": CrossConformalClassifier(GaussianNB(), cv=5, method="minmax", random_state=0),
}


@pytest.mark.parametrize("name", WRAPPERS)
def test_coverage_on_new_rows(name):
    """With 200 calibration rows coverage is Beta(181, 20): below 0.83 less than once in 1000."""
    model = clone(WRAPPERS[name]).fit(X, Y)
    sets = model.predict_set(X_NEW)
    assert sets.shape == (4000, 3)
    assert sets.dtype == bool
    assert covered(sets, model.classes_, Y_NEW).mean() > 0.83
    assert sets.sum(axis=1).mean() < 2.6
    assert set(model.predict(X_NEW)) <= set(LABELS)
    assert model.report_.check()
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_set(X_NEW[:50]), sets[:50])
    frame = clone(WRAPPERS[name]).fit(pd.DataFrame(X, columns=["a", "b"]), Y)
    np.testing.assert_array_equal(frame.predict_set(pd.DataFrame(X_NEW[:50], columns=["a", "b"])), sets[:50])


def test_lac_keeps_labels_of_sufficient_probability():
    fitted = GaussianNB().fit(X[:300], Y[:300])
    wrapper = SplitConformalClassifier(fitted, confidence=0.8).calibrate(X[300:], Y[300:])
    codes = np.searchsorted(fitted.classes_, Y[300:])
    own = np.sort(fitted.predict_proba(X[300:])[np.arange(500), codes])[::-1]
    least = own[split_rank(500, 0.8) - 1]
    np.testing.assert_array_equal(wrapper.predict_set(X_NEW), fitted.predict_proba(X_NEW) >= least)


def test_aps_score_by_hand():
    response = np.array([[0.5, 0.3, 0.2], [0.25, 0.5, 0.25], [1.0, 0.0, 0.0]])
    expected = [[0.5, 0.8, 1.0], [1.0, 0.5, 1.0], [1.0, 1.0, 1.0]]
    np.testing.assert_allclose(LABEL_SCORES["aps"](response), expected)


def test_aps_does_not_depend_on_the_order_of_classes():
    response = np.random.default_rng(0).integers(1, 5, size=(50, 4)) / 16
    order = [2, 0, 3, 1]
    np.testing.assert_allclose(LABEL_SCORES["aps"](response[:, order]), LABEL_SCORES["aps"](response)[:, order])


def test_per_class_coverage():
    """Without `per_class` the rare class is covered less; with it every class is."""
    fitted = LogisticRegression().fit(*make_data(1000, seed=5))
    X_cal, y_cal = make_data(4000, seed=6)
    together = SplitConformalClassifier(fitted).calibrate(X_cal, y_cal)
    apart = SplitConformalClassifier(fitted, per_class=True).calibrate(X_cal, y_cal)
    rare = Y_NEW == "cat"
    assert covered(together.predict_set(X_NEW), fitted.classes_, Y_NEW)[rare].mean() < 0.85
    sets = apart.predict_set(X_NEW)
    for label in LABELS:
        own = label == Y_NEW
        assert covered(sets[own], fitted.classes_, Y_NEW[own]).mean() > 0.86
    assert apart.report_["coverage of class cat"].value >= 0.9


def test_class_without_calibration_rows_is_always_in_the_set():
    fitted = GaussianNB().fit(X, Y)
    kept = Y != "cat"
    wrapper = SplitConformalClassifier(fitted, per_class=True).calibrate(X[kept], Y[kept])
    assert wrapper.predict_set(X_NEW)[:, 2].all()


def test_groups():
    fitted = GaussianNB().fit(X[:300], Y[:300])
    groups = np.where(X[:, 0] > 0, "east", "west")
    wrapper = SplitConformalClassifier(fitted).calibrate(X[300:], Y[300:], groups=groups[300:])
    sets = wrapper.predict_set(X_NEW, groups=np.where(X_NEW[:, 0] > 0, "east", "west"))
    assert covered(sets, fitted.classes_, Y_NEW).mean() > 0.83
    with pytest.raises(ValueError, match="groups: 'south' has no calibration rows"):
        wrapper.predict_set(X_NEW[:1], groups=["south"])


@pytest.mark.parametrize("name", ["lac", "cv+"])
def test_coverage_can_be_certified_on_new_rows(name):
    model = clone(WRAPPERS[name]).fit(X, Y)
    inside = covered(model.predict_set(X_NEW), model.classes_, Y_NEW).mean()
    measured = model.certify(X_NEW, Y_NEW, confidence=0.9)["coverage on new rows"]
    assert inside - 0.02 < measured.value < inside
    assert measured.confidence == 0.9


def test_bare_probabilities():
    fitted = GaussianNB().fit(X[:300], Y[:300])
    model = SplitConformalClassifier(fitted).calibrate(X[300:], Y[300:])
    bare = SplitConformalClassifier(classes=LABELS).calibrate(fitted.predict_proba(X[300:]), Y[300:])
    np.testing.assert_array_equal(bare.predict_set(fitted.predict_proba(X_NEW)), model.predict_set(X_NEW))
    np.testing.assert_array_equal(bare.predict(fitted.predict_proba(X_NEW)), model.predict(X_NEW))


def test_small_calibration_set_gives_all_labels():
    wrapper = SplitConformalClassifier(GaussianNB().fit(X, Y)).calibrate(X[:5], Y[:5])
    assert wrapper.predict_set(X_NEW).all()
    assert wrapper.report_[0].vacuous


def test_fold_without_a_class_still_works():
    X_few, y_few = X[:30], Y[:30].copy()
    y_few[:] = "ant"
    y_few[:10] = "bee"
    y_few[0] = "cat"
    model = CrossConformalClassifier(GaussianNB(), cv=5, random_state=0).fit(X_few, y_few)
    assert model.predict_set(X_NEW).shape == (4000, 3)


def test_cross_proven_level_is_reported():
    model = clone(WRAPPERS["cv+"]).fit(X, Y)
    assert 0.77 < model.report_["coverage"].value < 0.8
    assert "5-fold CV+" in model.report_["coverage"].claim


def test_bad_input():
    fitted = GaussianNB().fit(X, Y)
    with pytest.raises(ValueError, match=r"the label 'dog' \(row 1\), which the model does not know"):
        SplitConformalClassifier(fitted).calibrate(X[:3], ["ant", "dog", "bee"])
    with pytest.raises(ValueError, match="X holds no rows"):
        SplitConformalClassifier(fitted).calibrate(X[:0], Y[:0])
    with pytest.raises(ValueError, match="y must have one value for each of the 800 rows"):
        SplitConformalClassifier(fitted).calibrate(X, Y[:3])
    with pytest.raises(ValueError, match="classes must name the columns"):
        SplitConformalClassifier().calibrate([[0.5, 0.5]], [0])
    with pytest.raises(ValueError, match="one column for each of the 3 classes"):
        SplitConformalClassifier(classes=LABELS).calibrate([[0.5, 0.5]], ["ant"])
    with pytest.raises(ValueError, match="predictions must not be NaN; row 0 is"):
        SplitConformalClassifier(classes=[0, 1]).calibrate([[np.nan, 0.5]], [0])
    with pytest.raises(ValueError, match="the aps score needs probabilities"):
        SplitConformalClassifier(classes=[0, 1], score="aps").calibrate([[-1.0, 2.0]], [0])
    with pytest.raises(ValueError, match="RidgeClassifier must have predict_proba"):
        SplitConformalClassifier(RidgeClassifier().fit(X, Y), score="aps").calibrate(X, Y)
    with pytest.raises(ValueError, match="cannot be combined with per_class"):
        SplitConformalClassifier(fitted, per_class=True).calibrate(X, Y, groups=Y)
    with pytest.raises(ValueError, match="calibration was made per class"):
        SplitConformalClassifier(fitted, per_class=True).calibrate(X, Y).predict_set(X, groups=Y)
    with pytest.raises(ValueError, match="there is nothing to train"):
        SplitConformalClassifier(classes=LABELS).fit(X, Y)
    with pytest.raises(ValueError, match="'score' parameter of SplitConformalClassifier"):
        SplitConformalClassifier(fitted, score="margin").calibrate(X, Y)
