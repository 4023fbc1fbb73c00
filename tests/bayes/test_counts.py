"""Naive Bayes of counts and categories against their formulas and against scikit-learn's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn import naive_bayes as peer

from certus import bayes
from certus.bayes import _native_calls

NAMES = ["BernoulliNB", "MultinomialNB", "ComplementNB"]


def word_table(rows: int = 200, words: int = 30, classes: int = 4, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    topics = generator.dirichlet(np.full(words, 0.3), size=classes)
    y = generator.integers(0, classes, rows)
    return np.array([generator.multinomial(12, topics[c]) for c in y]).astype(float), y


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("form", ["dense", "csr", "csr64", "float32"])
def test_equal_to_the_namesake(name: str, form: str) -> None:
    X, y = word_table()
    weights = np.random.default_rng(1).random(len(y))
    table: Any = X if form == "dense" else sparse.csr_matrix(X)
    if form == "float32":
        table = table.astype(np.float32)
    if form == "csr64":
        table.indices, table.indptr = table.indices.astype(np.int64), table.indptr.astype(np.int64)
    ours = getattr(bayes, name)(alpha=0.7).fit(table, y, weights)
    theirs = getattr(peer, name)(alpha=0.7).fit(X, y, weights)
    np.testing.assert_allclose(ours.feature_log_prob_, theirs.feature_log_prob_, rtol=1e-6)
    np.testing.assert_allclose(ours.predict_proba(table), theirs.predict_proba(X), rtol=1e-5, atol=1e-12)
    np.testing.assert_array_equal(ours.predict(table), theirs.predict(X))


@pytest.mark.parametrize("name", [*NAMES, "CategoricalNB"])
def test_batches_give_the_same_counts_as_one_fit(name: str) -> None:
    X, y = word_table()
    options = {"min_categories": 13} if name == "CategoricalNB" else {}
    whole = getattr(bayes, name)(**options).fit(X, y)
    parts = getattr(bayes, name)(**options)
    for first in range(0, 200, 50):
        parts.partial_fit(X[first : first + 50], y[first : first + 50], classes=[0, 1, 2, 3])
    np.testing.assert_array_equal(parts.predict_proba(X), whole.predict_proba(X))


@pytest.mark.parametrize("name", ["BernoulliNB", "MultinomialNB"])
def test_without_smoothing_impossible_is_impossible_and_nothing_is_nan(name: str) -> None:
    X, y = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 1.0, 1.0]]), np.array([0, 1, 1])
    for table in (X, sparse.csr_matrix(X)):
        model = getattr(bayes, name)(alpha=0).fit(table, y)
        np.testing.assert_allclose(model.predict_proba(table), [[1, 0], [0, 1], [0, 1]], atol=1e-12)
    # A row that no class can have: the classes stay equally probable instead of NaN.
    model = getattr(bayes, name)(alpha=0).fit(X, y)
    np.testing.assert_allclose(model.predict_proba([[1.0, 1.0, 1.0]]).sum(), 1)


def test_weights_without_smoothing_are_infinite_for_what_other_classes_never_had() -> None:
    model = bayes.ComplementNB(alpha=0.0).fit([[2, 0, 1], [0, 1, 1], [0, 0, 1]], ["a", "b", "c"])
    np.testing.assert_allclose(
        model.predict_proba([[1, 0, 0], [0, 1, 0], [1, 1, 0]]), [[1, 0, 0], [0, 1, 0], [0.5, 0.5, 0]]
    )
    assert not np.isnan(model.predict_log_proba([[1, 1, 1], [0, 0, 0]])).any()


def test_entries_of_the_same_place_are_added() -> None:
    twice = sparse.csr_array((np.ones(3), [0, 0, 1], [0, 2, 3]), shape=(2, 2))
    once = bayes.BernoulliNB(binarize=1.5).fit(twice.toarray(), [0, 1])
    model = bayes.BernoulliNB(binarize=1.5).fit(twice, [0, 1])
    np.testing.assert_array_equal(model.feature_count_, once.feature_count_)
    np.testing.assert_array_equal(model.predict_proba(twice), once.predict_proba(twice.toarray()))
    assert twice.nnz == 3  # the caller's table is left alone


@pytest.mark.parametrize("name", NAMES)
def test_priors_and_smoothing_that_cannot_be(name: str) -> None:
    kind = getattr(bayes, name)
    for options, message in (
        ({}, "allows magnitudes up to"),
        ({"class_prior": [0.7, 0.7]}, "class_prior must sum to 1"),
        ({"class_prior": [np.nan, 0.7]}, "class_prior must hold finite"),
        ({"alpha": np.inf}, "alpha must be"),
        ({"alpha": [1.0, np.nan]}, "alpha must be"),
    ):
        with pytest.raises(ValueError, match=message):
            kind(**options).fit([[1, 0], [0, 1 if options else 1e200]], [0, 1])


def test_multinomial_is_the_formula_and_linear_in_the_counts() -> None:
    X, y = word_table(60, 5, 2)
    model = bayes.MultinomialNB().fit(X, y)
    theta = np.array([(X[y == c].sum(axis=0) + 1) / (X[y == c].sum() + 5) for c in (0, 1)])
    joint = np.log([(y == c).mean() for c in (0, 1)]) + X @ np.log(theta).T
    np.testing.assert_allclose(model.predict_joint_log_proba(X), joint)
    linear = bayes.BayesClassifier("multinomial", estimation="map").fit(X, y).to_linear()
    np.testing.assert_allclose(joint[:, 1] - joint[:, 0], X @ linear.coef[0] + linear.intercept[0])
    np.testing.assert_array_equal(
        bayes.BayesClassifier("multinomial", estimation="map").fit(X, y).predict(X), model.predict(X)
    )


@pytest.mark.parametrize("weighted", [False, True])
def test_categories_equal_the_namesake(weighted: bool) -> None:
    generator = np.random.default_rng(0)
    X, y = generator.integers(0, [2, 5, 9], size=(9000, 3)), generator.integers(0, 3, 9000)
    weights = generator.random(9000) if weighted else None
    ours, theirs = bayes.CategoricalNB().fit(X, y, weights), peer.CategoricalNB().fit(X, y, weights)
    for mine, other in zip(ours.feature_log_prob_, theirs.feature_log_prob_, strict=True):
        np.testing.assert_allclose(mine, other)
    np.testing.assert_allclose(ours.predict_log_proba(X), theirs.predict_log_proba(X))


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: bayes.MultinomialNB().fit([[-1.0], [1.0]], [0, 1]), ValueError, "Negative values"),
        (lambda: bayes.CategoricalNB().fit([[-1], [1]], [0, 1]), ValueError, "Negative values"),
        (lambda: bayes.CategoricalNB().fit([[10**12], [1]], [0, 1]), ValueError, "more categories than memory"),
        (lambda: bayes.CategoricalNB().fit([[0], [1]], [0, 1]).predict([[2]]), IndexError, "Hint: set min_categories"),
        (lambda: bayes.MultinomialNB(class_prior=[0.5]).fit([[1], [1]], [0, 1]), ValueError, "Number of priors"),
        (lambda: bayes.MultinomialNB(class_prior=[-0.5, 1.5]).fit([[1], [1]], [0, 1]), ValueError, "class_prior must"),
        (lambda: bayes.BernoulliNB().partial_fit([[1]], [0]), ValueError, "classes must be passed"),
        (lambda: bayes.BernoulliNB().partial_fit([[1]], [2], classes=[0, 1]), ValueError, "do not exist"),
        (lambda: bayes.MultinomialNB(alpha=[1.0, 2.0]).fit([[1], [1]], [0, 1]), ValueError, "alpha is an array"),
    ],
)
def test_bad_input(make: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make()


@pytest.mark.parametrize("classes", [2, 4])
def test_multinomial_has_a_linear_and_for_two_classes_a_logistic_form(classes):
    rng = np.random.default_rng(0)
    X = sparse.random(60, 30, 0.3, random_state=0, data_rvs=lambda n: rng.integers(1, 5, n)).tocsr()
    y = rng.integers(0, classes, 60)
    model = bayes.MultinomialNB(alpha=0.5).fit(X, y)
    linear = model.to_linear()
    scores = X @ linear.coef.T + linear.intercept
    if classes == 2:
        assert linear.coef.shape == (1, 30)
        np.testing.assert_allclose(1 / (1 + np.exp(-scores.ravel())), model.predict_proba(X)[:, 1], rtol=1e-10)
    else:
        np.testing.assert_allclose(scores, model.predict_joint_log_proba(X), rtol=1e-12)


def test_equal_scores_far_from_zero_are_equal_shares() -> None:
    """Beside logarithms of 1e19 the one of 2 rounds away, and each of two equal classes would be certain."""
    model = bayes.ComplementNB().fit([[5.0, 1.0], [5.0, 1.0], [1.0, 5.0]], [0, 1, 2])
    model.feature_log_prob_ = model.feature_log_prob_ * 1e19
    shares = model.predict_proba([[9.0, 1.0]])
    np.testing.assert_allclose(shares, [[0.5, 0.5, 0.0]])


@pytest.mark.parametrize("alpha", [1.0, 0.25, 0.0, "by feature"])
@pytest.mark.parametrize("complement", [False, True])
def test_logarithms_of_shares_are_those_of_the_formula(alpha: Any, complement: bool) -> None:
    """Small whole counts come from a table, others from the function itself: no difference may show between them."""
    rng = np.random.default_rng(0)
    counts = rng.integers(0, 700, (3, 1300)).astype(float)
    counts[:, ::5] = rng.random((3, 260)) * 1000.0
    counts[1, 7] = 0.0
    pseudo: Any = rng.random(1300) if alpha == "by feature" else alpha
    others = counts.sum(axis=0) if complement else None
    above = (others - counts if others is not None else counts) + pseudo
    with np.errstate(divide="ignore"):
        wanted = np.log(above) - np.log(above.sum(axis=1, keepdims=True))
    assert_allclose(_native_calls.log_shares(counts, pseudo, others=others), wanted, rtol=1e-12)
    below = np.array([1e4, 2e4, 3e4])
    with np.errstate(divide="ignore"):
        given = np.log(above) - np.log(below)[:, None]
    assert_allclose(_native_calls.log_shares(counts, pseudo, others=others, below=below), given, rtol=1e-12)
