"""What one pass says of rows to come: against the true error, which enumeration of all rows gives."""

import itertools
import math

import numpy as np
import pytest

import certus
from certus.online import DisjunctionMajority, OnlinePerceptron, OnlineToBatch, TermElimination

CUBE = np.array(list(itertools.product((0, 1), repeat=4)))
TRUTH = CUBE[:, 0] & CUBE[:, 2]


def draws(seed, rows, noise=0.0):
    rng = np.random.default_rng(seed)
    places = rng.integers(0, 16, rows)
    return CUBE[places], TRUTH[places] ^ (rng.random(rows) < noise)


def true_error(predictions, noise=0.0):
    wrong = (predictions != TRUTH).mean()
    return wrong * (1 - noise) + (1 - wrong) * noise


def test_mean_risk_of_all_hypotheses_is_bounded_with_confidence():
    failed = halved = 0
    for seed in range(25):
        X, y = draws(seed, 40, noise=0.2)
        model = OnlineToBatch(DisjunctionMajority(1), "average", confidence=0.8).fit(X, y)
        risk = np.mean(
            [true_error([hypothesis.predict_one(row) for row in CUBE], 0.2) for hypothesis in model.hypotheses_]
        )
        certificate = next(iter(model.report_))
        assert certificate.kind == "anytime"
        assert certificate.check()
        failed += risk > certificate.value
        halved += risk > 0.5 * certificate.value
        assert true_error(model.predict(CUBE), 0.2) <= 2 * risk
    assert failed <= 5
    assert halved > 5  # a bound half as large would not hold


def test_expected_error_of_the_random_stop_is_the_mean_number_of_mistakes():
    """E error = E M / m, so that it is at most B/m; over 500 draws within four standard errors."""
    errors, mistakes, rows = [], [], 12
    for seed in range(500):
        X, y = draws(seed, rows)
        model = OnlineToBatch(TermElimination(), "random-stop", mistake_bound=5, random_state=seed).fit(X, y)
        errors.append(true_error(model.predict(CUBE)))
        whole = TermElimination()
        whole.run(X, y)
        mistakes.append(whole.mistakes_ / rows)
    spread = math.sqrt((np.var(errors) + np.var(mistakes)) / 500)
    assert abs(np.mean(errors) - np.mean(mistakes)) <= 4 * spread
    certificate = model.report_["error"]
    assert np.mean(errors) <= certificate.value == 5 / 12
    assert (certificate.kind, certificate.check()) == ("expectation", True)


def test_error_of_the_longest_survivor_is_bounded_with_confidence():
    failed = tight = 0
    for seed in range(400):
        X, y = draws(seed, 25, noise=0.1)
        model = OnlineToBatch(TermElimination(), "longest-survivor", confidence=0.7).fit(X, y)
        error, bound = true_error(model.predict(CUBE), 0.1), model.report_["error"].value
        failed += error > bound
        tight += error > 0.4 * bound
        assert model.report_.check()
    assert failed <= 0.3 * 400
    assert tight > 0.3 * 400


def test_a_changing_learner_is_judged_by_the_copy_that_is_kept():
    """Majority changes with every row; the kept hypothesis was itself right on all rows of its run."""
    X, y = draws(3, 80, noise=0.1)
    model = OnlineToBatch(DisjunctionMajority(1), "longest-survivor").fit(X, y)
    witness = model.report_["error"].witness
    right = (model.hypotheses_[0].predict(X) == y).astype(int)
    runs = [len(list(group)) for value, group in itertools.groupby(right) if value]
    assert max(runs) >= witness["survived"] > 0


def test_saved_and_refused(tmp_path):
    X, y = draws(0, 40)
    model = OnlineToBatch(TermElimination(), "average").fit(X, y)
    certus.save(model, tmp_path / "model.certus")
    assert certus.load(tmp_path / "model.certus").predict(CUBE).tolist() == model.predict(CUBE).tolist()
    assert not OnlineToBatch(TermElimination(), "random-stop").fit(X, y).report_
    with pytest.raises(ValueError, match="loss must be 'error'"):
        OnlineToBatch(TermElimination(), "random-stop", loss="squared").fit(X, y)
    with pytest.raises(ValueError, match="one label per trial"):
        OnlineToBatch(TermElimination()).fit(X, y[:-1])
    with pytest.raises(ValueError, match="method"):
        OnlineToBatch(TermElimination(), "best").fit(X, y)
    with pytest.raises(ValueError, match="learner"):
        OnlineToBatch(3).fit(X, y)


def test_labels_that_hypotheses_cannot_say_are_refused():
    with pytest.raises(ValueError, match="vote 0 or 1"):
        OnlineToBatch(OnlinePerceptron(), "average").fit(np.ones((300, 1)), -np.ones(300))


@pytest.mark.parametrize("method", ["longest-survivor", "average"])
def test_what_answers_is_what_was_tested(method):
    told = OnlinePerceptron(fit_intercept=False, classes=[0, 1], average=True)
    told.run(np.ones((202, 1)), np.r_[np.zeros(201), 1])
    for _ in range(2):
        told.learn_one([1.0], 1)
    found = OnlineToBatch(told, method).fit(np.ones((300, 1)), np.ones(300))
    wrong = float((found.predict(np.ones((5, 1))) != 1).mean())
    votes = 2.0 if method == "average" else 1.0  # a vote that errs has half of the hypotheses err
    assert wrong <= votes * next(iter(found.report_)).value
