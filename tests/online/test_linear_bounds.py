"""Numbers of the theory, bounds at every trial of hostile streams, and mutants of the bounds that have to die."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from certus.guarantees import CertificateError, Ledger
from certus.linear import LinearSVC
from certus.losses import named_loss
from certus.online import (
    ALMA,
    ROMMA,
    MirrorDescent,
    OGDClassifier,
    OGDRegressor,
    OnlineNewtonStep,
    OnlinePerceptron,
    PassiveAggressiveClassifier,
    VovkAzouryWarmuth,
    Winnow,
)
from tests.online.linear_problems import CLASSIFIERS, REGRESSORS, WINNOW, disjunctions, labels, numbers, rows

LEARNERS = {**CLASSIFIERS, **REGRESSORS}


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("seed", [0, 1])
def test_the_account_is_that_of_the_slow_twin(name, seed):
    X = rows(seed=seed)
    y = labels(X, seed) if name in CLASSIFIERS else numbers(X, seed)
    learner = clone(LEARNERS[name])
    learner.run(X, y)
    ledger = learner.ledger_
    assert ledger.check((X, y))
    assert ledger.report().check()
    again = Ledger.from_json(ledger.to_json())
    assert again.check((X, y))
    assert json.loads(ledger.to_json())["trials"] == 300
    altered = y[::-1].copy()
    with pytest.raises(CertificateError):
        ledger.check((X, altered))


def test_mistakes_grow_with_the_logarithm_of_the_columns_or_with_their_number():
    rng = np.random.default_rng(3)
    found = {}
    for columns in (10, 100, 1000):
        X, y = disjunctions(columns, rng=rng)
        winnow, perceptron = Winnow(), OnlinePerceptron()
        assert (winnow.run(X, y) != y).sum() == winnow.ledger_.mistakes
        assert (perceptron.run(X, y) != y).sum() == perceptron.ledger_.mistakes
        found[columns] = winnow.ledger_.mistakes, perceptron.ledger_.mistakes
        known = [0, 1, 2] if columns > 10 else None
        bound = winnow.audit(X, y, variables=known).ledger_.mistake_bound
        assert bound == pytest.approx(9 * (np.log2(columns) + 1) + 2)
        assert perceptron.ledger_.mistakes <= 13 * (columns + 1)  # (4 k + 1)(n + 1)
    assert found == {10: (15, 26), 100: (34, 166), 1000: (57, 1339)}


def test_winnow_steps_of_the_proof_hold_along_the_way():
    X, y = disjunctions(30, count=2000)
    learner = Winnow()
    learner.run(X, y)
    assert learner.ledger_.check((X, y))  # the twin asserts every step
    state = learner.state_
    assert state.number("promoted")[0] <= 3 * (np.log2(30) + 1)
    assert state.number("weight")[0] == pytest.approx(state.vector(0)[:, :-1].sum())
    with pytest.raises(ValueError, match=r"the disjunction of the columns \[0, 1\] is wrong"):
        learner.audit(X, y, variables=[0, 1])
    noisy = Winnow()
    noisy.run(X[:50], 1 - y[:50])
    with pytest.raises(ValueError, match="no disjunction is right on every row"):
        noisy.audit(X[:50], 1 - y[:50])


def test_a_disjunction_is_a_separator_of_margin_one():
    """The comparator of (4 k + 1)(n + 1): 2 on the literals, -1 on the constant."""
    columns, relevant = 8, 3
    X = (np.arange(2**columns)[:, None] >> np.arange(columns)) & 1
    y = np.where(X[:, :relevant].any(axis=1), 1.0, -1.0)
    u = np.r_[np.full(relevant, 2.0), np.zeros(columns - relevant), -1.0]
    assert (y * (np.c_[X, np.ones(len(X))] @ u)).min() == 1.0
    assert u @ u == 4 * relevant + 1


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.lists(st.integers(-3, 3), min_size=2, max_size=2), st.booleans()), min_size=2, max_size=30)
)
def test_no_stream_exceeds_the_bound_on_mistakes(stream):
    X = np.array([x for x, _ in stream], dtype=float)
    y = np.array([label for _, label in stream])
    for learner in (OnlinePerceptron(), PassiveAggressiveClassifier(C=0.5), CLASSIFIERS["pa2"]):
        fitted = clone(learner)
        fitted.run(X, y)
        ledger = fitted.ledger_
        assert ledger.mistakes <= ledger.mistake_bound
        assert ledger.check((X, y))


def adversary(learner, trials, columns, seed=0):
    """Rows on the sphere, each with the label that the learner does not predict."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(trials, columns)), np.empty(trials)
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    for i in range(trials):
        y[i] = 0.0 if learner.predict_one(X[i]) == 1.0 else 1.0
        learner.learn_one(X[i], y[i])
        assert all(line.regret <= line.bound * (1 + 1e-12) + 1e-9 for line in learner.ledger_.lines)
    return X, y


@pytest.mark.parametrize("name", ["logistic", "hinge", "plain", "entropy", "tuned"])
def test_an_adaptive_adversary_exceeds_no_bound_at_any_trial(name):
    learner = clone(CLASSIFIERS[name]).set_params(classes=(0.0, 1.0))
    X, y = adversary(learner, 300, 3)
    ledger = learner.audit(X, y).ledger_
    assert ledger.lines[0].regret <= ledger.lines[0].bound
    assert ledger.mistakes == 300
    # Nobody in the class is better than the one that was found, as far as random ones tell.
    loss = named_loss(learner.loss)
    Z, signs = np.c_[X, np.ones(300)], 2 * y - 1
    rng, project = np.random.default_rng(0), learner._projection(0)
    for _ in range(300):
        u = project(rng.normal(size=4) * rng.exponential(3.0))
        assert loss.value(signs, Z @ u).sum() >= ledger.comparator - 1e-6 * ledger.loss
    assert ledger.comparator + ledger.regret == pytest.approx(ledger.loss)


def test_linear_regret_is_a_brute_force_sum_and_half_of_the_bound_is_too_little():
    """A stream that comes within a twentieth of the gradient bound: gradients of one sign, then of the other."""
    trials, radius = 400, 2.0
    learner = OGDClassifier(
        "perceptron", geometry="euclidean", radius=radius, horizon=trials, max_norm=1.0, fit_intercept=False,
        classes=(0, 1),
    )  # fmt: skip
    X, scores, slopes = np.ones((trials, 1)), [], []
    for t in range(trials):
        played = learner.decision_function([[1.0]])[0] if t else 0.0
        y = int(played <= 0.0)
        scores.append(played)
        slopes.append(-1.0 if y else 1.0)
        learner.learn_one([1.0], y)
    eta = radius / np.sqrt(trials)
    line = learner.ledger_.line("regret of the linearized losses")
    assert line.loss == pytest.approx(np.dot(scores, slopes))
    assert line.comparator == pytest.approx(-radius * abs(np.sum(slopes)))
    assert line.bound == pytest.approx(radius**2 / (2 * eta) + eta * trials / 2)
    one_sided = clone(learner).set_params(loss="hinge", max_norm=1.0, horizon=25, radius=5.0)
    one_sided.run(X[:25], np.ones(25))
    told = one_sided.ledger_.line("regret of the linearized losses")
    assert 0.5 * told.bound < told.regret <= told.bound
    certificate = next(c for c in one_sided.ledger_.report() if c.quantity == told.quantity)
    with pytest.raises(CertificateError):
        replace(certificate, value=certificate.value * 0.9).check()


def test_every_theorem_is_needed_in_full():
    """Mutants of the perceptron's bound, halved or without the competitor's loss, are exceeded."""
    exceeded = {"half": 0, "no loss": 0}
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = rng.choice([-1.0, 1.0], size=(12, 1))
        y = (X[:, 0] > 0) ^ (rng.random(12) < 0.4)
        learner = OnlinePerceptron(fit_intercept=False)
        learner.run(X, y)
        ledger, facts = learner.ledger_, learner.audited_["parts"][0] | learner.audited_
        assert ledger.mistakes <= ledger.mistake_bound
        exceeded["half"] += ledger.mistakes > ledger.mistake_bound / 2
        exceeded["no loss"] += ledger.mistakes > (facts["radius"] * facts["norm"]) ** 2 + facts["unknown"]
    assert min(exceeded.values()) > 0


@pytest.mark.parametrize("intercept", [False, True])
def test_forward_ridge_regret_is_exact_at_every_trial(intercept):
    X = rows(120, 3)
    y = numbers(X)
    learner = VovkAzouryWarmuth(0.7, fit_intercept=intercept)
    Z = np.c_[X, np.ones(120)] if intercept else X
    loss = 0.0
    for t in range(120):
        told = learner.predict_one(X[t])
        A = 0.7 * np.eye(Z.shape[1]) + Z[: t + 1].T @ Z[: t + 1]
        assert told == pytest.approx(Z[t] @ np.linalg.solve(A, Z[:t].T @ y[:t]), rel=1e-8, abs=1e-8)
        loss += (y[t] - told) ** 2
        learner.learn_one(X[t], y[t])
        u = np.linalg.solve(A, Z[: t + 1].T @ y[: t + 1])
        best = np.sum((y[: t + 1] - Z[: t + 1] @ u) ** 2) + 0.7 * u @ u
        ledger = learner.ledger_
        assert ledger.loss == pytest.approx(loss)
        assert ledger.comparator == pytest.approx(best, rel=1e-7, abs=1e-7)
        assert ledger.bound == pytest.approx(np.max(y[: t + 1] ** 2) * np.linalg.slogdet(A / 0.7)[1])
        assert ledger.regret <= ledger.bound
    np.testing.assert_allclose(np.r_[learner.coef_, [learner.intercept_] * intercept], u, rtol=1e-8)
    certificate = learner.ledger_.report()["regret"]
    assert certificate.check((Z, y, 0.7))


def test_the_passive_aggressive_step_is_the_optimum_in_all_three_cases():
    """argmin |v - w|^2 / 2 + C max(0, 1 - y v'x): nothing, all the way to the margin, or a step of length C."""
    rng = np.random.default_rng(0)
    cases = set()
    for _ in range(200):
        cost, x, w = rng.exponential(), rng.normal(size=2), rng.normal(size=2)
        learner = PassiveAggressiveClassifier(C=cost, fit_intercept=False, classes=(0, 1)).fit(np.eye(2), [0, 1])
        learner.state_.vector(0)[0, :2] = w
        learner.learn_one(x, 1)
        v = learner.coef_[0]
        tau = (v - w) @ x / (x @ x)
        cases.add("none" if tau < 1e-12 else "cost" if abs(tau - cost) < 1e-9 else "margin")
        np.testing.assert_allclose(v, w + tau * x, atol=1e-12)

        def objective(at, w=w, x=x, cost=cost):
            return 0.5 * np.sum((at - w) ** 2) + cost * max(0.0, 1.0 - at @ x)

        assert all(objective(v) <= objective(v + d) + 1e-12 for d in rng.normal(size=(50, 2)) * 0.01)
    assert cases == {"none", "cost", "margin"}


def test_regression_accounts_begin_anew_when_targets_grow():
    X = rows(200, 2)
    y = numbers(X)
    y[:20] /= 100.0
    learner = OGDRegressor()
    learner.run(X, y)
    line = learner.ledger_.line("regret of the linearized losses")
    assert line.since > 20
    assert line.regret <= line.bound
    assert learner.ledger_.regret <= learner.ledger_.bound


def test_regret_of_several_labels_is_that_against_one_competitor_per_label():
    X = rows(300, 3)
    y = labels(X) + 2 * (X[:, 0] > 0)
    learner = OGDClassifier()
    learner.run(X, y)
    line = learner.ledger_.line("regret of the linearized losses")
    assert line.regret <= line.bound
    ledger = learner.set_params(classes=[0, 1, 2, 3]).fit(X, y).audit(X, y).ledger_
    assert ledger.regret <= ledger.bound
    loss, Z, rng = named_loss("logistic"), np.c_[X, np.ones(300)], np.random.default_rng(0)
    for _ in range(200):
        paid = sum(
            float(
                np.sum(loss.value(np.where(y == label, 1.0, -1.0), Z @ learner._projection(label)(rng.normal(size=4))))
            )
            for label in range(4)
        )
        assert ledger.comparator <= paid + 1e-9


def test_the_average_predicts_better_on_noisy_rows():
    X = np.random.default_rng(0).normal(size=(3000, 5))
    y = (X @ np.ones(5) + 2 * np.random.default_rng(1).normal(size=3000) > 0).astype(int)
    last, average = OnlinePerceptron().fit(X[:2000], y[:2000]), OnlinePerceptron(average=True).fit(X[:2000], y[:2000])
    np.testing.assert_array_equal(last.state_.vectors, average.state_.vectors)
    assert average.score(X[2000:], y[2000:]) > last.score(X[2000:], y[2000:]) + 0.02
    w, total = np.zeros(6), np.zeros(6)
    for x, label in zip(np.c_[X, np.ones(3000)][:2000], 2.0 * y[:2000] - 1.0, strict=True):
        w += label * x * (label * (w @ x) <= 0)
        total += w
    np.testing.assert_allclose(average.coef_[0], total[:5] / 2000)


def test_winnow_alone_learns_bits():
    X, y = disjunctions(6, 2, 500)
    assert clone(WINNOW).fit(X, y).score(X, y) == 1.0


def separable(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows with a margin about a line, of different lengths."""
    X = np.random.default_rng(seed).normal(size=(count, 2))
    score = X @ [0.6, 0.8]
    kept = np.abs(score) > 0.2
    return X[kept], (score[kept] > 0).astype(int)


@pytest.mark.parametrize("learner", [ALMA(alpha=0.5), ALMA(alpha=1.0), ROMMA(), ROMMA(aggressive=True)], ids=str)
def test_seekers_of_the_widest_margin(learner):
    for seed in range(5):
        X, y = separable(60, seed)
        once = clone(learner).set_params(fit_intercept=False)
        once.run(X, y)
        ledger = once.ledger_
        assert ledger.mistakes <= ledger.mistake_bound < np.inf
        assert ledger.check((X, y))
        aggressive = getattr(learner, "aggressive", False)
        told = clone(once).set_params(epochs=1000 if aggressive else None).fit(X, y)
        signs, w = 2 * y - 1, told.coef_[0] / np.linalg.norm(told.coef_[0])
        margins = signs * (X @ w)
        assert margins.min() > 0
        wide = LinearSVC(C=1e6, loss="hinge", fit_intercept=False).fit(X, y).coef_[0]
        if isinstance(learner, ALMA):
            lengths = np.linalg.norm(X, axis=1)
            best = LinearSVC(C=1e6, loss="hinge", fit_intercept=False).fit(X / lengths[:, None], y).coef_[0]
            widest = np.min(signs * (X / lengths[:, None] @ best)) / np.linalg.norm(best)
            assert np.min(margins / lengths) >= (1 - learner.alpha) * widest - 1e-9
        elif aggressive:
            assert margins.min() >= 0.95 * np.min(signs * (X @ wide)) / np.linalg.norm(wide)


@pytest.mark.parametrize("divergence", ["squared", "entropy", "hypentropy"])
def test_mirror_descent_stays_below_its_bound_and_comes_near_it(divergence):
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(400, 3))
    y = X @ [0.2, 1.5, 0.0] + 0.1 * rng.normal(size=400)
    learner = MirrorDescent("absolute", divergence=divergence, eta=0.02, scale=0.5, fit_intercept=False)
    learner.run(X, y)
    ledger = learner.ledger_
    assert ledger.regret <= ledger.bound <= 4 * ledger.regret
    assert ledger.report().check()
    assert ledger.regret > ledger.bound / 4
    if divergence != "squared":
        dual = -0.02 * learner.state_.vector(1)[0]
        link = np.sinh if divergence == "hypentropy" else np.exp
        np.testing.assert_allclose(learner.coef_, 0.5 * link(dual)[:3], rtol=1e-12)


@pytest.mark.parametrize("loss", ["logistic", "squared_hinge"])
def test_newton_steps_stay_below_their_bound_and_regret_grows_like_a_logarithm(loss):
    X = np.random.default_rng(0).normal(size=(2000, 3)) @ np.array([[1, 1, 1], [0, 0.3, 1], [0, 0, 0.1]])
    y = (X[:, 0] - X[:, 1] + np.random.default_rng(1).logistic(size=2000) > 0).astype(int)
    regrets = []
    for trials in (500, 1000, 2000):
        learner = OnlineNewtonStep(loss, classes=(0, 1))
        learner.run(X[:trials], y[:trials])
        ledger = learner.ledger_
        assert 0 < ledger.regret <= ledger.bound < 20 * ledger.regret
        regrets.append(ledger.regret)
    assert regrets[2] - regrets[1] < regrets[0]  # a square root would add as much again
    adversary(OnlineNewtonStep(loss, classes=(0.0, 1.0)), 100, 2)
