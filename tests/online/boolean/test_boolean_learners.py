"""Learners of Boolean functions stay below their bounds on every function and order that is tried."""

import itertools
import math

import numpy as np
import pytest

import certus
from certus.guarantees import CertificateError
from certus.kernels import AllSubsets, KernelPerceptron, Linear
from certus.logic import monomials, parse
from certus.online import DisjunctionMajority, SubsetWinnow, TermElimination
from certus.online.boolean import (
    disjunction_comparator,
    disjunction_majority_bound,
    disjunction_perceptron_bound,
    dnf_perceptron_bound,
    rotation_bench,
)

CUBE = np.array(list(itertools.product((0, 1), repeat=4)))


def test_elimination_errs_at_most_n_plus_one_times():
    """Every term of four variables, in many orders; some reach n + 1."""
    rng, most = np.random.default_rng(0), 0
    for signs in itertools.product((None, True, False), repeat=4):
        chosen = [(place, value) for place, value in enumerate(signs) if value is not None]
        labels = np.array([all(row[place] == value for place, value in chosen) for row in CUBE], dtype=int)
        for _ in range(6):
            order = rng.permutation(16)
            model = TermElimination()
            model.run(CUBE[order], labels[order])
            assert model.ledger_.mistakes <= model.ledger_.mistake_bound == 5
            assert not model.ledger_.void
            assert model.ledger_.check((CUBE[order], labels[order]))
            most = max(most, model.mistakes_)
        model.run(CUBE, labels)
        assert (model.term_(CUBE) == labels.astype(bool)).all() or not labels.any()
    assert most <= 5
    model = TermElimination()
    model.run(np.vstack([np.zeros(4, dtype=int), np.eye(4, dtype=int)]), np.ones(5, dtype=int))
    assert model.ledger_.mistakes == 5  # the constant truth: n mistakes would be too few to promise


def test_elimination_notices_that_no_term_agrees(tmp_path):
    rows, labels = [[1, 1], [0, 0], [1, 0], [0, 0]], [1, 1, 0, 0]
    model = TermElimination()
    model.run(rows, labels)
    assert [(fallen.line, fallen.trial) for fallen in model.ledger_.void] == [("mistakes", 3)]
    assert model.ledger_.mistake_bound == math.inf
    assert model.ledger_.check((rows, labels))
    certus.save(model, tmp_path / "model.certus")
    assert certus.load(tmp_path / "model.certus").ledger_ == model.ledger_
    with pytest.raises(CertificateError):
        model.ledger_.check((rows, [1, 0, 0, 0]))


def test_majority_of_all_disjunctions_stays_below_its_bound():
    rng = np.random.default_rng(1)
    for noise in (0.0, 0.1):
        rows = (rng.random((200, 9)) < 0.3).astype(int)
        labels = rows[:, [1, 4, 7]].any(axis=1) ^ (rng.random(200) < noise)
        model = DisjunctionMajority(3)
        predictions = model.run(rows, labels.astype(int))
        fewest = int(model.expert_mistakes_.min())
        mistakes = int((predictions != labels).sum())
        assert mistakes == model.ledger_.mistakes <= model.ledger_.mistake_bound
        assert model.ledger_.mistake_bound <= disjunction_majority_bound(math.exp(-1), 9, 3, fewest)
        assert model.ledger_.check((rows, labels.astype(int)))
        if noise == 0.0:
            assert model.disjunctions_[int(model.expert_mistakes_.argmin())] == (1, 4, 7)
    with pytest.raises(ValueError, match="Winnow learns disjunctions"):
        DisjunctionMajority(10).learn_one(np.zeros(60), 0)
    with pytest.raises(ValueError, match="0 disjunctions of 5 among 3"):
        DisjunctionMajority(5).learn_one(np.zeros(3), 0)


def test_comparator_of_the_perceptron_by_enumeration():
    """min y u.(x, 1) over the cube is exactly 1, |u|^2 = 4k + 1, |(x, 1)|^2 <= n + 1."""
    rows = np.hstack([CUBE, np.ones((16, 1))])
    for size in range(1, 5):
        for chosen in itertools.combinations(range(4), size):
            u = disjunction_comparator(chosen, 4)
            y = np.where(CUBE[:, list(chosen)].any(axis=1), 1, -1)
            assert (y * (rows @ u)).min() == 1.0
            assert u @ u == 4 * size + 1
    assert (rows**2).sum(axis=1).max() == 5


def online_mistakes(rows, labels, kernel):
    return int(KernelPerceptron(kernel=kernel, max_iter=1).fit(rows, labels).mistakes_.sum())


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_perceptron_stays_below_its_bound():
    """(4k+1)(n+1); mistakes grow with n."""
    rng, made = np.random.default_rng(3), []
    for n in (10, 100):
        rows = (rng.random((3000, n)) < 0.2).astype(float)
        labels = np.where(rows[:, :3].any(axis=1), 1, -1)
        made.append(online_mistakes(rows, labels, Linear() + 1.0))
        assert made[-1] <= disjunction_perceptron_bound(n, 3)
    assert made[1] > 3 * made[0]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_kernel_perceptron_learns_formulas_below_its_bound():
    """A monotone DNF of k terms costs at most (4k+1) 2^n mistakes; the kernel is that of all products."""
    cube = np.array(list(itertools.product((0, 1), repeat=6)), dtype=float)
    formula = parse("x1 & x2 | x3 & x4 & x5")
    labels = np.where(formula(cube), 1, -1)
    rng = np.random.default_rng(4)
    rows = rng.integers(0, 64, 2000)
    mistakes = online_mistakes(cube[rows], labels[rows], AllSubsets())
    assert 0 < mistakes <= dnf_perceptron_bound(6, 2)
    products = monomials(cube.astype(int))[0]
    assert (products @ products.T == AllSubsets().gram(cube)).all()
    model = KernelPerceptron(kernel=AllSubsets(), max_iter=200).fit(cube, labels)
    assert (model.predict(cube) == labels).all()
    assert model.mistakes_.sum() <= dnf_perceptron_bound(6, 2)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_rotation_invariant_learners_err_linearly_often():
    """On orthogonal rows labelled by one column the perceptron errs in every trial, halving over columns lg n times."""
    for power in (2, 4, 6):
        rows, labels = rotation_bench(power)
        n = len(rows)
        assert online_mistakes(rows.astype(float), labels, Linear()) == n
        turned = np.linalg.qr(np.random.default_rng(power).normal(size=(n, n)))[0]
        gram = (rows @ turned) @ (rows @ turned).T
        assert np.allclose(gram, rows @ rows.T)  # no rotation changes what such a learner sees
        model = DisjunctionMajority(1, beta=0.01)
        model.run((rows + 1) // 2, (labels + 1) // 2)
        assert model.ledger_.mistakes <= 1.5 * power + 1


@pytest.mark.parametrize("make", [TermElimination, lambda: DisjunctionMajority(2)])
def test_one_by_one_and_whole_are_one_model(make, tmp_path):
    rng = np.random.default_rng(5)
    rows = rng.integers(0, 2, (40, 5))
    labels = rows[:, 0] & rows[:, 2]
    whole, ones = make(), make()
    predictions = whole.run(rows, labels)
    found = []
    for row, label in zip(rows[:20], labels[:20], strict=True):
        found.append(ones.predict_one(row))
        ones.learn_one(row, label)
    certus.save(ones, tmp_path / "half.certus")
    again = certus.load(tmp_path / "half.certus")
    assert [*found, *again.run(rows[20:], labels[20:])] == predictions.tolist()
    assert again.ledger_.to_json() == whole.ledger_.to_json()
    with pytest.raises(ValueError, match=r"advice of expert 1 in trial 41 must be 0 or 1, got 0\.5"):
        again.learn_one([0, 0.5, 0, 0, 1], 1)


def test_winnow_over_all_products_learns_monotone_dnf_with_few_mistakes(tmp_path):
    """Random formulas and orders; the kernel perceptron over the same products errs far more often."""
    rng, worst = np.random.default_rng(0), 0.0
    for _ in range(12):
        n, terms = int(rng.integers(2, 8)), int(rng.integers(1, 4))
        formula = parse(
            " | ".join(" & ".join(f"x{v + 1}" for v in rng.choice(n, min(n, 2), False)) for _ in range(terms))
        )
        rows = rng.integers(0, 2, (300, n))
        labels = np.asarray(formula(rows)).astype(int)
        model = SubsetWinnow()
        played = model.run(rows, labels)
        ledger = model.audit(rows, labels, formula).ledger_
        assert int((played != labels).sum()) == ledger.mistakes <= ledger.mistake_bound
        assert ledger.mistake_bound == 3 * len(formula.to_dnf().terms) * (n + 1) + 2
        assert model.audit(rows, labels).ledger_.mistake_bound <= ledger.mistake_bound
        assert ledger.check((rows, labels))
        worst = max(worst, ledger.mistakes / ledger.mistake_bound)
    assert worst > 0.25  # the bound is not far away
    certus.save(model, tmp_path / "model.certus")
    assert certus.load(tmp_path / "model.certus").ledger_ == model.ledger_
    with pytest.raises(CertificateError):
        ledger.check((rows, 1 - labels))
    with pytest.raises(ValueError, match="row 0: the formula"):
        SubsetWinnow().fit([[1, 0]], [1]).audit([[1, 0]], [1], parse("x2"))
    with pytest.raises(ValueError, match="no negations"):
        SubsetWinnow().fit([[1, 0]], [1]).audit([[1, 0]], [1], parse("~x2"))
    with pytest.raises(ValueError, match="no monotone DNF"):
        SubsetWinnow().fit([[1, 0], [1, 1]], [1, 0]).audit([[1, 0], [1, 1]], [1, 0])
    with pytest.raises(ValueError, match="at most 16 variables"):
        SubsetWinnow().learn_one(np.zeros(17), 0)


@pytest.mark.slow
def test_winnow_over_all_products_of_sixteen_variables():
    rng = np.random.default_rng(1)
    rows = (rng.random((2000, 16)) < 0.4).astype(int)
    labels = (rows[:, :2].all(axis=1) | rows[:, 5:8].all(axis=1)).astype(int)
    model = SubsetWinnow().fit(rows, labels)
    ledger = model.audit(rows, labels, parse("x1 & x2 | x6 & x7 & x8")).ledger_
    assert ledger.mistakes <= ledger.mistake_bound == 3 * 2 * 17 + 2 < dnf_perceptron_bound(16, 2)
