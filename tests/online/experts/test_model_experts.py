"""Models as experts: the mixture is what products of probabilities say, whoever learns along, and never much worse."""

import math

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression, SGDClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

import certus
from certus.bayes import BernoulliNB
from certus.online import ExpertsClassifier, ExpertsRegressor

RNG = np.random.default_rng(0)
X = RNG.normal(size=(240, 3))
Y = np.array(["a", "b", "c"])[np.digitize(X[:, 0] + 0.3 * RNG.normal(size=240), [-0.5, 0.5])]
VALUES = np.clip(0.5 + 0.2 * X[:, 0] + 0.02 * RNG.normal(size=240), 0, 1)


def fitted():
    return [
        ("logistic", LogisticRegression().fit(X[:60], Y[:60])),
        ("neighbors", KNeighborsClassifier().fit(X[:60], Y[:60])),
        ("machine", LinearSVC().fit(X[:60], Y[:60])),  # has no probabilities
        ("bayes", GaussianNB()),  # learns along
    ]


def test_fitted_models_are_mixed_by_their_products():
    """Brute force: weights are products of smoothed probabilities of the labels; the regret is counted directly."""
    models = fitted()[:3]
    model = ExpertsClassifier(models, smoothing=0.05)
    predictions = model.run(X[60:], Y[60:])
    codes = np.searchsorted(["a", "b", "c"], Y[60:])
    tables = [m.predict_proba(X[60:]) if hasattr(m, "predict_proba") else None for _, m in models]
    tables[2] = (models[2][1].predict(X[60:])[:, None] == ["a", "b", "c"]).astype(float)
    tables = 0.95 * np.stack(tables) + 0.05 / 3
    given = tables[:, np.arange(180), codes]
    weights, paid, said = np.full(3, 1 / 3), 0.0, []
    for trial in range(180):
        said.append("abc"[(weights @ tables[:, trial]).argmax()])
        paid -= math.log(weights @ given[:, trial])
        weights = weights * given[:, trial] / (weights @ given[:, trial])
    assert predictions.tolist() == said
    assert model.ledger_.loss == pytest.approx(paid, rel=1e-10)
    assert model.ledger_.comparator == pytest.approx((-np.log(given).sum(axis=1)).min(), rel=1e-10)
    assert model.ledger_.regret <= model.ledger_.bound == pytest.approx(math.log(3))
    assert model.predict_proba(X[:5]).sum(axis=1) == pytest.approx(np.ones(5))
    assert model.report_.check()
    assert model.ledger_.check((given.T, np.ones(180)))


def test_models_learn_along_after_they_predicted():
    model = ExpertsClassifier(fitted()).partial_fit(X[60:], Y[60:], classes=["a", "b", "c"])
    learned = GaussianNB()
    learned.partial_fit(X[60:61], Y[60:61], classes=["a", "b", "c"])
    for trial in range(61, 240):
        learned.partial_fit(X[trial : trial + 1], Y[trial : trial + 1])
    assert model.experts_[3].predict(X).tolist() == learned.predict(X).tolist()
    assert not hasattr(model.experts[3][1], "class_count_")  # what was given is left alone
    assert model.ledger_.regret <= model.ledger_.bound
    fixed = ExpertsClassifier(fitted(), learn_along=False).fit(X[60:], Y[60:])
    assert not hasattr(fixed.experts_[3], "class_count_")  # it gave uninformed advice all the time


def test_in_parts_and_whole_are_one_model(tmp_path):
    models = [("one", BernoulliNB()), ("two", BernoulliNB(alpha=20.0))]
    rows = (X > 0).astype(int)
    whole, parts = (ExpertsClassifier(models, alpha=0.02) for _ in range(2))
    predictions = whole.run(rows, Y)
    found = parts.partial_fit(rows[:1], Y[:1], classes=np.unique(Y)).run(rows[1:50], Y[1:50]).tolist()
    certus.save(parts, tmp_path / "half.certus")
    parts = certus.load(tmp_path / "half.certus")
    found += parts.run(rows[50:], Y[50:]).tolist()
    assert found == predictions[1:].tolist()
    assert parts.ledger_.to_json() == whole.ledger_.to_json()


def test_regressors_stay_near_the_best_of_them():
    models = [
        ("right", LinearRegression().fit(X[:40], VALUES[:40])),
        ("flat", LinearRegression().fit(np.zeros_like(X[:40]), VALUES[:40])),
    ]
    model = ExpertsRegressor(models)
    predictions = model.run(X[40:], VALUES[40:])
    advice = np.column_stack([np.clip(m.predict(X[40:]), 0, 1) for _, m in models])
    losses = ((advice - VALUES[40:, None]) ** 2).sum(axis=0)
    assert model.ledger_.comparator == pytest.approx(losses.min())
    assert model.ledger_.loss == pytest.approx(((predictions - VALUES[40:]) ** 2).sum())
    assert model.ledger_.regret <= model.ledger_.bound == pytest.approx(0.5 * math.log(2))
    assert model.ledger_.check((advice, VALUES[40:]))
    model.partial_fit(X[:1], [7.0])
    assert model.ledger_.bound == math.inf
    assert model.ledger_.void[0].trial == 201


def test_a_share_follows_the_model_that_is_right_now():
    first = LogisticRegression().fit(X, Y)
    second = LogisticRegression().fit(X, Y[::-1])
    labels = np.concatenate([first.predict(X[:120]), second.predict(X[120:])])
    losses = [
        ExpertsClassifier([("one", first), ("two", second)], alpha=alpha).fit(X, labels).ledger_.loss
        for alpha in (0.0, 0.01)
    ]
    assert losses[1] < losses[0]


def test_bad_input():
    with pytest.raises(ValueError, match="experts"):
        ExpertsClassifier([("a", 3)]).fit(X, Y)
    with pytest.raises(ValueError, match="experts"):
        ExpertsClassifier([]).fit(X, Y)
    with pytest.raises(ValueError, match="experts"):
        ExpertsClassifier([("a", GaussianNB()), ("a", GaussianNB())]).fit(X, Y)
    model = ExpertsClassifier(fitted()).fit(X, Y)
    before = model.ledger_.to_json()
    with pytest.raises(ValueError, match="the label 'z' of row 1 is none of the classes"):
        model.partial_fit(X[:2], np.array(["a", "z"]))
    assert model.ledger_.to_json() == before
    with pytest.raises(ValueError, match="one label per row"):
        model.partial_fit(X[:2], Y[:1])
    with pytest.raises(ValueError, match="y of row 1 must be finite"):
        ExpertsRegressor([("a", LinearRegression())]).fit(X[:2], [0.1, np.nan])
    with pytest.raises(ValueError, match="value_range"):
        ExpertsRegressor([("a", LinearRegression())], value_range=(1, 0)).fit(X, VALUES)


def test_a_refused_row_leaves_everything_as_it_was():
    """Some models refuse a row only when it is their turn; rows before it in the same call are not learned either."""
    models = [("one", SGDClassifier(loss="log_loss", random_state=0)), ("two", GaussianNB())]
    model = ExpertsClassifier(models).partial_fit(X[:50], Y[:50], classes=["a", "b", "c"])
    before, said = model.ledger_.to_json(), model.predict_proba(X)
    for bad in (np.nan, np.inf):
        rows = X[50:60].copy()
        rows[6, 1] = bad
        for method in (model.partial_fit, model.run, model.fit):
            with pytest.raises(ValueError, match=r"NaN|infinity"):
                method(rows, Y[50:60])
        assert model.ledger_.to_json() == before
        assert np.array_equal(model.predict_proba(X), said)
    fresh = ExpertsClassifier(models)
    with pytest.raises(ValueError, match="infinity"):
        fresh.partial_fit(rows, Y[50:60], classes=["a", "b", "c"])
    assert not hasattr(fresh, "classes_")
    assert not hasattr(fresh, "ledger_")
