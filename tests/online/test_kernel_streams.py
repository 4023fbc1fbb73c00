"""Kernel learners of a stream: slow twins, bounds in terms of any function, expected mistakes, equal bits."""

import math

import numpy as np
import pytest

import certus
from certus.guarantees import CertificateError
from certus.kernels import AllSubsets, Gaussian
from certus.online import OnlineKernelPerceptron, RandomizedKernelOGD
from certus.online.evidence.kernel_lines import budget_line
from certus.online.online_kernel_perceptron import shrinkage_of

RNG = np.random.default_rng(0)
X = RNG.normal(size=(160, 2))
TARGETS = {
    "xor": (X[:, 0] * X[:, 1] > 0).astype(int),
    "noise": RNG.integers(0, 2, 160),
    "several": np.array(["a", "b", "c"])[np.digitize(X[:, 0] * X[:, 1], [-0.3, 0.3])],
    "late": np.concatenate([np.zeros(3, dtype=int), 5 - np.digitize(X[3:, 0], [-0.5, 0.5])]),
}
LEARNERS = {
    "all": OnlineKernelPerceptron(gamma=1.0),
    "budget": OnlineKernelPerceptron(gamma=1.0, budget=9),
    "one": OnlineKernelPerceptron(gamma=1.0, budget=1),
    "drawn": RandomizedKernelOGD(gamma=1.0, radius=4.0, horizon=160, max_norm=1.0, random_state=3),
    "usual": RandomizedKernelOGD(gamma=1.0, random_state=4),
}
GRAM = Gaussian(1.0).gram(X)


def fresh(name, **parameters):
    return type(LEARNERS[name])(**{**LEARNERS[name].get_params(deep=False), **parameters})


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", LEARNERS)
def test_the_account_is_that_of_the_slow_twin_and_below_its_bounds(name, target):
    y, learner = TARGETS[target], fresh(name)
    learner.run(X, y)
    ledger = learner.audit(X, y).ledger_
    assert ledger.lines
    assert all(line.regret <= line.bound for line in ledger.lines)
    assert ledger.check((GRAM, y))
    assert type(ledger).from_json(ledger.to_json()).check((GRAM, y))
    if name != "one":
        with pytest.raises(CertificateError):
            ledger.check((GRAM, y[::-1]))
    weights = np.random.default_rng(1).integers(0, 3, 160).astype(float)
    weighted, index = (
        fresh(name).partial_fit(X, y, sample_weight=weights),
        np.repeat(np.arange(160), weights.astype(int)),
    )
    repeated = fresh(name).partial_fit(X[index], y[index])
    assert np.array_equal(weighted.dual_coef_, repeated.dual_coef_)
    assert weighted.audit(X, y, weights).ledger_.check((GRAM, y, weights))


@pytest.mark.parametrize("name", LEARNERS)
def test_one_by_one_in_batches_saved_and_whole_are_equal_to_the_bit(name, tmp_path):
    y = TARGETS["late"]
    whole, parts, single = fresh(name), fresh(name), fresh(name)
    played = whole.run(X, y).tolist()
    found = parts.run(X[:70], y[:70]).tolist()
    certus.save(parts, tmp_path / "half.certus")
    parts = certus.load(tmp_path / "half.certus")
    found += parts.run(X[70:], y[70:]).tolist()
    assert found == played
    told = []
    for x, label in zip(X, y.tolist(), strict=True):
        told.append(single.predict_one(x))
        single.learn_one(x, label)
    assert told == played
    for other in (parts, single):
        assert np.array_equal(other.dual_coef_, whole.dual_coef_)
        assert np.array_equal(other.account_, whole.account_)
    assert parts.ledger_.to_json() == whole.ledger_.to_json()
    assert np.array_equal(parts.predict(X), whole.predict(X))
    assert (whole.mistakes_, whole.trials_) == (sum(a != b for a, b in zip(played, y.tolist(), strict=True)), 160)


@pytest.mark.parametrize("budget", [1, 4, 20, None])
@pytest.mark.parametrize("target", ["xor", "noise"])
def test_no_function_and_no_trial_breaks_the_bound_of_the_budget(budget, target):
    """For random functions, at every trial, and for an adversary that always says the other label."""
    y, rng = TARGETS[target], np.random.default_rng(2)
    functions = [rng.normal(size=160) * (rng.random(160) < 0.2) * scale for scale in (0.1, 0.5, 2.0) for _ in range(10)]
    for adversary in (False, True):
        learner, wrong, mutants = OnlineKernelPerceptron(gamma=1.0, budget=budget, classes=[0, 1]), [], 0
        for trial in range(160):
            place = learner.predict_one(X[trial])
            label = int(not place) if adversary else int(y[trial])
            learner.learn_one(X[trial], label)
            wrong += [(trial, 2 * label - 1)] if place != label else []
            numbers = {name: [learner._number(name)[1]] for name in ("square", "forgotten", "shrunk")}
            rows, signs = [at for at, _ in wrong], np.array([sign for _, sign in wrong])
            for coef in functions if trial % 5 == 4 else []:
                hinge = np.maximum(0.0, 1.0 - signs * (GRAM[rows] @ coef)).sum() if rows else 0.0
                part = {"hinge": float(hinge), "norm": math.sqrt(coef @ GRAM @ coef)}
                assert learner.mistakes_ <= budget_line(learner.mistakes_, [part], numbers, 0.0).bound
                without = {**numbers, "forgotten": [0.0], "shrunk": [0.0]}
                mutants += learner.mistakes_ > budget_line(learner.mistakes_, [part], without, 0.0).bound
        assert learner.mistakes_ == 160 or not adversary
        if budget in (1, 4) and target == "xor" and not adversary:
            assert mutants  # forgetting has its price
    assert learner.budget is None or len(learner.rows_) <= budget


def test_on_separable_rows_the_bound_is_that_of_the_margin():
    rng = np.random.default_rng(5)
    bits = rng.integers(0, 2, (400, 6)).astype(float)
    y = ((bits[:, 0] * bits[:, 1] + bits[:, 2]) > 0).astype(int)  # a monotone DNF
    learner = OnlineKernelPerceptron(AllSubsets())
    learner.run(bits, y)
    ledger = learner.audit(bits, y).ledger_
    assert ledger.mistakes <= ledger.mistake_bound <= (4 * 2 + 1) * 2**6
    assert shrinkage_of(1) == pytest.approx(2**-0.25)


@pytest.mark.parametrize("seed", range(5))
def test_expected_mistakes_of_interpolants(seed):
    """Where h interpolates, the expected number of mistakes is at most |h| X sqrt(T) / 2, on any order of rows."""
    rng = np.random.default_rng(seed)
    rows, kernel = rng.normal(size=(60, 3)), Gaussian(0.5)
    y = rng.integers(0, 2, 60)
    index = rng.integers(0, 60, 400)
    K, signs = kernel.gram(rows), 2.0 * y - 1.0
    norm = math.sqrt(signs @ np.linalg.solve(K, signs))
    learner = RandomizedKernelOGD(kernel, radius=norm, horizon=400, max_norm=1.0, random_state=seed, classes=[0, 1])
    expected = 0.0
    for i in index:
        value = (
            float(learner._with_kept(rows[i]) @ learner.dual_coef_[:, 1]) if learner.__dict__.get("trials_") else 0.0
        )
        expected += np.clip((1.0 - signs[i] * value) / 2.0, 0.0, 1.0)
        learner.learn_one(rows[i], int(y[i]))
    assert learner.expected_ == pytest.approx(expected, rel=1e-12)
    assert learner.expected_ <= 0.5 * math.sqrt(norm**2 * 400)


def test_mistakes_are_as_many_as_expected():
    y = TARGETS["several"]
    made = [
        RandomizedKernelOGD(gamma=1.0, random_state=seed).partial_fit(X, y, classes=["a", "b", "c"])
        for seed in range(40)
    ]
    expected = made[0].expected_
    assert {model.expected_ for model in made} == {expected}
    mean, error = np.mean([m.mistakes_ for m in made]), math.sqrt(expected / 40)
    assert abs(mean - expected) < 4 * error
    chances = made[0]._chances(np.array([0.5, -0.2, -3.0]))
    assert chances.tolist() == pytest.approx([0.75 / 1.15, 0.4 / 1.15, 0.0])


def test_a_step_of_half_the_length_breaks_the_bound_of_the_ball():
    """A mutant: the account of steps that were not made."""
    learner = fresh("drawn").partial_fit(X, TARGETS["noise"])
    line = learner.ledger_.line("regret of the linearized losses")
    assert line.regret <= line.bound
    halved = learner.set_params(eta=learner._eta() / 4.0).ledger_.line("regret of the linearized losses")
    assert halved.regret > halved.bound


@pytest.mark.parametrize(
    ("rows", "y", "message"),
    [
        ([[0.0, np.nan]], [1], "NaN"),
        ([[0.0, 1.0, 2.0]], [1], "features"),
        ([[0.0, 1.0]], [7], "row 0: the label 7 is not among"),
        ([[0.0, 1.0]], [1, 0], "inconsistent numbers"),
    ],
)
@pytest.mark.parametrize("name", ["budget", "drawn"])
def test_bad_rows_change_nothing(name, rows, y, message):
    learner = fresh(name, classes=[0, 1]).partial_fit(X, TARGETS["xor"])
    before = learner.ledger_.to_json()
    with pytest.raises(ValueError, match=message):
        learner.partial_fit(rows, y)
    with pytest.raises(ValueError, match="whole numbers"):
        learner.learn_one(X[0], 1, sample_weight=0.5)
    with pytest.raises(ValueError, match="not the stream that was learned"):
        learner.audit(X[:-1], TARGETS["xor"][:-1])
    assert learner.ledger_.to_json() == before
