"""The protocol: one by one, in batches, whole; dicts, vectors, sparse rows; new labels; files; bad input."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone

import certus
from certus.online import OGDClassifier, OGDRegressor, OnlinePerceptron, VovkAzouryWarmuth, Winnow
from tests.online.linear_problems import CLASSIFIERS, REGRESSORS, disjunctions, labels, numbers, rows

LEARNERS = {**CLASSIFIERS, **REGRESSORS}
every = pytest.mark.parametrize("name", LEARNERS)


def target(name: str, X: np.ndarray) -> np.ndarray:
    return labels(X) if name in CLASSIFIERS else numbers(X)


def same(one, two):
    for name in ("vectors", "numbers", "matrix"):
        np.testing.assert_array_equal(getattr(one.state_, name), getattr(two.state_, name))


@every
@pytest.mark.parametrize("form", ["dense", "sparse"])
def test_one_by_one_in_batches_and_whole_are_equal_to_the_bit(name, form):
    X = rows()
    y = target(name, X)
    table = sparse.csr_array(X) if form == "sparse" else X
    whole = clone(LEARNERS[name])
    played = whole.run(table, y)
    one, fitted, batches = (clone(LEARNERS[name]) for _ in range(3))
    predictions = []
    for i in range(len(y)):
        row = table[[i]] if form == "sparse" else X[i]
        predictions.append(one.predict_one(row))
        one.learn_one(row, y[i])
    for start, end in ((0, 1), (1, 33), (33, 200), (200, 300)):
        batches.partial_fit(table[start:end], y[start:end])
    for other in (one, batches, fitted.fit(table, y)):
        same(whole, other)
    np.testing.assert_array_equal(np.array(predictions, dtype=object), played.astype(object))
    np.testing.assert_array_equal(whole.predict(X[:20]), one.predict(X[:20]))


@every
def test_a_saved_learner_goes_on_to_the_bit(name, tmp_path):
    X = rows()
    y = target(name, X)
    straight = clone(LEARNERS[name])
    straight.run(X, y)
    half = clone(LEARNERS[name])
    half.run(X[:150], y[:150])
    certus.save(half, tmp_path / "half.certus")
    for again in (certus.load(tmp_path / "half.certus"), pickle.loads(pickle.dumps(half)), copy.deepcopy(half)):
        for x, told in zip(X[150:], y[150:], strict=True):
            again.learn_one(x, told)
        same(straight, again)


@every
def test_dicts_learn_what_rows_learn(name):
    X = rows(80)
    y = target(name, X)
    names = ["a", "b", "c", "d"]
    dicts = [dict(zip(names, map(float, x), strict=True)) for x in X]
    one = clone(LEARNERS[name])
    predictions = [(one.predict_one(x), one.learn_one(x, told))[0] for x, told in zip(dicts, y, strict=True)]
    batch = clone(LEARNERS[name])
    played = batch.run(dicts, y)
    same(one, batch)
    assert predictions == played.tolist()
    assert one.names_ == {"a": 0, "b": 1, "c": 2, "d": 3}
    assert one.ledger_.trials == 80
    grown = getattr(one, "geometry", ""), getattr(one, "divergence", "")
    if "entropy" not in grown:  # whose weights count columns that may come
        table = clone(LEARNERS[name])
        table.run(X, y)
        np.testing.assert_allclose(one.coef_, table.coef_, rtol=1e-9, atol=1e-12)
        assert one.ledger_.loss == pytest.approx(table.ledger_.loss)


def test_names_grow_and_texts_are_indicators():
    learner = OGDClassifier()
    for number in range(40):
        learner.learn_one({f"word{number}": 1, "color": "red" if number % 2 else "blue"}, number % 2)
    assert len(learner.names_) == 42
    assert learner.names_["color=blue"] == 1
    assert learner.predict_one({"color": "red"}) == 1
    assert learner.predict_one({"color": "red", "never seen": 3.0}) == 1
    assert learner.coef_.shape == (1, 42)


def test_hashed_names_use_constant_memory_and_colliding_names_share_a_weight():
    learner = OnlinePerceptron(hash_bits=3)
    for number in range(200):
        learner.learn_one({f"word{number}": 1.0, "bias": 0.5}, number % 3 == 0)
    assert learner.coef_.shape == (1, 8)
    assert learner.names_ == {}
    again = OnlinePerceptron(hash_bits=3)
    again.run([{f"word{number}": 1.0, "bias": 0.5} for number in range(200)], [n % 3 == 0 for n in range(200)])
    same(learner, again)


def test_a_new_label_grows_the_model_and_is_a_mistake():
    X = rows(200, 3)
    y = np.array(["cat", "dog"], dtype=object)[labels(X)]
    y[60:] = np.where(X[60:, 0] > 0.05, "bird", y[60:])
    learner = OnlinePerceptron()
    played = learner.run(X, y)
    assert learner.classes_.tolist() == ["bird", "cat", "dog"]
    assert learner.coef_.shape == (3, 3)
    assert learner.ledger_.mistakes == np.sum(played != y)
    one = OnlinePerceptron()
    for x, told in zip(X, y, strict=True):
        one.learn_one(x, told)
    same(learner, one)
    fixed = OnlinePerceptron(classes=["bird", "cat", "dog"])
    fixed.run(X, y)
    assert fixed.classes_.tolist() == ["bird", "cat", "dog"]
    assert OnlinePerceptron().predict_one({"a": 1.0}) is None


@pytest.mark.parametrize("labels_of_two", [(0, 1), (1, 0), ("b", "a")])
def test_the_order_of_two_labels_changes_no_mistake(labels_of_two):
    X = rows()
    learner = OnlinePerceptron(fit_intercept=False)
    y = np.array(labels_of_two)[labels(X)]
    played = learner.run(X, y)
    plain = OnlinePerceptron(fit_intercept=False)
    assert learner.ledger_.mistakes == np.sum(played != y)
    assert learner.ledger_.mistakes == (plain.run(X, labels(X)) != labels(X)).sum()


@pytest.mark.parametrize("learner", [OGDClassifier(), OGDRegressor(), OGDClassifier("hinge")])
def test_the_unit_of_a_column_changes_no_prediction(learner):
    X = rows(400)
    y = numbers(X) if isinstance(learner, OGDRegressor) else labels(X)
    scaled = X * 2.0 ** np.array([20, -20, 0, 3])
    one, other = clone(learner), clone(learner)
    np.testing.assert_array_equal(one.run(X, y), other.run(scaled, y))
    if isinstance(learner, OGDRegressor):
        np.testing.assert_array_equal(one.run(X, y) * 1024.0, clone(learner).fit(X, 1024.0 * y).run(X, 1024.0 * y))


def test_conservative_steps_make_the_mistakes_of_the_perceptron_for_every_eta():
    X = rows()
    y = labels(X)
    perceptron = OnlinePerceptron().run(X, y)
    for eta in (2.0**-7, 1.0, 64.0):
        learner = OGDClassifier("hinge", geometry="euclidean", eta=eta, conservative=True)
        np.testing.assert_array_equal(learner.run(X, y), perceptron)


def test_to_convergence_and_the_warning():
    X, y = disjunctions(20, count=500)
    learner = OnlinePerceptron(epochs=None).fit(X, y)
    assert learner.score(X, y) == 1.0
    assert learner.ledger_.mistakes <= (4 * 3 + 1) * 21
    with pytest.warns(UserWarning, match="made mistakes in each of 10000 passes"):
        OnlinePerceptron(epochs=None).fit([[1.0], [1.0]], [0, 1])


BAD_ROWS = [
    ({"a": float("nan")}, 1, r"field 'a' must be a number up to 1e\+50 or a text, got nan"),
    ({"a": None}, 1, r"field 'a' must be a number up to 1e\+50 or a text, got None.*Hint: leave a name out"),
    ({"a": [1]}, 1, r"field 'a' must be"),
    ({"a": 1.0}, None, "missing|NaN"),
    ([1.0, 2.0, 3.0, 4.0], 1, "learned from dicts"),
]


@pytest.mark.parametrize(("x", "y", "message"), BAD_ROWS)
def test_a_bad_row_is_named_and_changes_nothing(x, y, message):
    learner = OnlinePerceptron()
    learner.learn_one({"a": 1.0}, 1).learn_one({"b": 1.0}, 0)
    before = pickle.dumps((learner.state_.vectors, learner.state_.numbers, learner.names_))
    with pytest.raises(ValueError, match=f"(?s){message}"):
        learner.learn_one(x, y)
    assert pickle.dumps((learner.state_.vectors, learner.state_.numbers, learner.names_)) == before


def test_bad_batches_are_refused_before_anything_is_learned():
    X = rows(10)
    y = labels(X)
    learner = OnlinePerceptron().fit(X, y)
    before = learner.state_.vectors.copy()
    broken = X.copy()
    broken[7, 2] = np.nan
    with pytest.raises(ValueError, match="row 7, column 2"):
        learner.partial_fit(broken, y)
    with pytest.raises(ValueError, match="3 features"):
        learner.partial_fit(X[:, :3], y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        learner.run(X, y[:5])
    with pytest.raises(ValueError, match="learned from rows without names"):
        learner.learn_one({"a": 1.0}, 1)
    with pytest.raises(ValueError, match=r"row 1, field 'a' must be a number"):
        OnlinePerceptron().run([{"a": 1.0}, {"a": None}], [0, 1])
    fixed = OnlinePerceptron(classes=(0, 1))
    with pytest.raises(ValueError, match=r"row 2: the label 5 is not among classes=\[0, 1\].\nHint"):
        fixed.run(X[:3], [0, 1, 5])
    np.testing.assert_array_equal(learner.state_.vectors, before)
    with pytest.raises(ValueError, match="needs eta, or radius, horizon and max_norm"):
        OGDClassifier(geometry="euclidean").fit(X, y)
    with pytest.raises(ValueError, match="not the stream that was learned"):
        learner.audit(X[::-1], y[::-1])
    with pytest.raises(ValueError, match="needs its threshold"):
        Winnow().learn_one({"a": 1}, 1)
    with pytest.raises(ValueError, match="needs two labels"):
        Winnow(classes=None).fit(X, y)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.dictionaries(
                st.text(max_size=3),
                st.one_of(st.floats(), st.integers(-(10**40), 10**40), st.text(max_size=2), st.none(), st.booleans()),
                max_size=4,
            ),
            st.integers(0, 2),
        ),
        max_size=8,
    )
)
def test_any_dict_is_learned_or_refused_with_a_hint(stream):
    learner = OGDClassifier()
    for x, y in stream:
        fine = (isinstance(value, str) or (value is not None and abs(value) <= 1e50) for value in x.values())
        if all(fine):
            learner.learn_one(x, y)
        else:
            with pytest.raises(ValueError, match="Hint:"):
                learner.learn_one(x, y)
    if hasattr(learner, "state_"):
        assert np.isfinite(learner.state_.vector(0)).all()


def test_a_dict_learner_keeps_its_names_in_its_file(tmp_path):
    learner = VovkAzouryWarmuth()
    learner.run([{"a": 1.0, "b": 2.0}, {"b": 1.0, "kind": "x"}], [1.0, 2.0])
    certus.save(learner, tmp_path / "model.certus")
    again = certus.load(tmp_path / "model.certus")
    assert again.names_ == {"a": 0, "b": 1, "kind=x": 2}
    assert again.predict_one({"kind": "x"}) == learner.predict_one({"kind": "x"})


def test_labels_of_another_kind_and_targets_that_are_none_are_refused():
    learner = OnlinePerceptron().learn_one({"a": 1.0}, "yes")
    with pytest.raises(ValueError, match=r"the label 1 does not go with the known ones \['yes'\].*\n*Hint"):
        learner.learn_one({"a": 1.0}, 1)
    with pytest.raises(ValueError, match=r"y must be one label or number, got \[1\]"):
        learner.learn_one({"a": 1.0}, [1])
    with pytest.raises(ValueError, match="Hint: y must hold numbers"):
        OGDRegressor().learn_one({"a": 1.0}, "many")
    assert learner.ledger_.trials == 1


def test_a_nearly_singular_matrix_does_no_harm():
    X = np.random.default_rng(0).normal(size=(50, 3)) * 1e6
    learner = VovkAzouryWarmuth(1e-8)
    learner.run(X, np.ones(50))
    ledger = learner.ledger_
    assert 0.0 <= ledger.regret <= ledger.bound < 200.0


def test_streams_of_names_are_audited() -> None:
    stream = [{"a": 1.0}, {"a": 1.0, "b": 2.0}, {"b": 1.0, "a": 1.0}, {"a": -1.0}]
    learner = OnlinePerceptron()
    learner.run(stream, [1, 0, 1, 0])
    learner.audit(stream, [1, 0, 1, 0])
    assert learner.ledger_.check((stream, [1, 0, 1, 0]))


def test_positive_is_the_larger_class() -> None:
    with pytest.raises(ValueError, match="ascending"):
        Winnow(classes=("b", "a")).run(np.eye(2), ["a", "b"])
