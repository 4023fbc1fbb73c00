"""Truth gate of cross-conformal sets: the proven level holds for every learner, and cannot be raised.

Coverage is exact: all samples of a small finite distribution are enumerated for learners that are arbitrary
functions of the training rows, and the bounds are attained by tournaments among the rows of a finite population
(rows drawn without replacement are exchangeable, and a learner can tell from the rest which two are missing).
"""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from certus.guarantees import CertificateError, Report, cross_certificate, split_rank
from certus.guarantees.conformal.cross_conformal import cross_interval, cross_set, proven_miscoverage
from tests.guarantees.conformal_gate import circle, tournament_coverage

VALUES = 3
CASES = [
    ((0, 1, 2, 3), "0.6"),
    ((0, 1, 2, 3), "0.4"),
    ((0, 0, 1, 1), "0.6"),
    ((0, 0, 0, 1, 1), "0.8"),
]


def arbitrary_learner(seed):
    """A prediction for every multiset of training values, drawn at random: as unstable as can be."""
    rng, memory = np.random.default_rng(seed), {}

    def fit(train):
        return memory.setdefault(tuple(sorted(train)), float(rng.uniform(-1.5, VALUES + 0.5)))

    return fit


def exact_coverage(fit, folds, interval):
    """Coverage over all samples of n + 1 values, each value equally likely; `interval(y, predictions)`."""
    folds = np.array(folds)
    hits = total = 0
    for sample in itertools.product(range(VALUES), repeat=len(folds) + 1):
        y = np.array(sample[:-1], dtype=float)
        predictions = np.array([fit(y[folds != fold]) for fold in range(folds.max() + 1)])
        low, high = interval(y, predictions)
        hits += low <= sample[-1] <= high
        total += 1
    return hits / total


@pytest.mark.parametrize("method", ["plus", "minmax"])
@pytest.mark.parametrize(("folds", "level"), CASES)
def test_proven_level_holds_for_arbitrary_learners(folds, level, method):
    folds = np.array(folds)
    rank = split_rank(len(folds), level)
    proven = cross_certificate(np.bincount(folds), confidence=level, method=method).value

    def interval(y, predictions):
        return cross_interval(predictions[None], np.abs(y - predictions[folds]), folds, rank, method)[0]

    coverage = [exact_coverage(arbitrary_learner(seed), folds, interval) for seed in range(5)]
    assert min(coverage) >= proven


@pytest.mark.parametrize(("rows", "level"), [(9, "0.7"), (20, "0.9"), (50, "0.9")])
def test_jackknife_plus_bound_is_attained(rows, level):
    """2 u + 1 strong rows beat all others and, in a circle, half of each other."""
    rank = split_rank(rows, level)
    beats = circle(2 * (rows - rank) + 1)
    bound, argument = proven_miscoverage(rank, [1] * rows, "plus")
    assert argument == "tournament"
    assert 1 - tournament_coverage(rows, rank, beats) == bound
    assert 1 - bound < Fraction(level)


@pytest.mark.parametrize(("rows", "level"), [(9, "0.7"), (20, "0.9"), (50, "0.9")])
def test_jackknife_minmax_bound_is_attained(rows, level):
    rank = split_rank(rows, level)
    strong = rows - rank + 1
    bound, _ = proven_miscoverage(rank, [1] * rows, "minmax")
    assert 1 - tournament_coverage(rows, rank, lambda a, b: a < strong, "minmax") == bound
    assert 1 - bound >= Fraction(level)


def test_known_levels():
    jackknife = cross_certificate([1] * 100, confidence=0.9)
    assert 0.8 <= jackknife.value < 0.83
    for folds, rows in [(5, 100), (10, 1000), (20, 1000)]:
        alpha = 0.1
        paper = 1 - 2 * alpha - min(2 * (1 - 1 / folds) / (rows / folds + 1), (1 - folds / rows) / (folds + 1))
        value = cross_certificate([rows // folds] * folds, confidence=0.9).value
        assert paper <= value <= paper + 2.5 / rows + 0.02
    assert cross_certificate([1] * 100, confidence=0.9, method="minmax").value >= 0.9
    # Unequal folds lose only the tournament argument.
    unequal = cross_certificate([101, 100, 100], confidence=0.9)
    assert "symmetric-learner" not in unequal.assumptions
    assert "symmetric-learner" in jackknife.assumptions


def slow_interval(predictions, residuals, folds, rank, method):
    """Sorted lists, one point at a time."""
    result = []
    for row in predictions:
        centers = [row[fold] for fold in folds]
        if method == "minmax":
            radius = sorted(residuals)[rank - 1]
            result.append((min(centers) - radius, max(centers) + radius))
        else:
            upper = sorted(c + r for c, r in zip(centers, residuals, strict=True))[rank - 1]
            lower = sorted(c - r for c, r in zip(centers, residuals, strict=True))[len(folds) - rank]
            result.append((lower, upper))
    return np.array(result)


@pytest.mark.parametrize("method", ["plus", "minmax"])
def test_interval_agrees_with_slow_twin(method):
    rng = np.random.default_rng(3)
    folds = rng.permutation(np.repeat(np.arange(5), 7))
    predictions, residuals = rng.normal(size=(11, 5)), np.abs(rng.normal(size=35))
    for level in ("0.5", "0.8", "0.95"):
        rank = split_rank(35, level)
        ours = cross_interval(predictions, residuals, folds, rank, method)
        np.testing.assert_allclose(ours, slow_interval(predictions, residuals, folds, rank, method), rtol=1e-12)
    assert np.isinf(cross_interval(predictions, residuals, folds, 36, method)).all()


def test_large_samples_agree_with_slow_twin():
    """Many rows per fold take the way by bisection; decimals make ties."""
    rng = np.random.default_rng(6)
    folds = rng.permutation(np.repeat(np.arange(4), 100))
    predictions, residuals = rng.integers(-20, 20, size=(30, 4)) / 10, rng.integers(0, 30, size=400) / 10
    for level in ("0.01", "0.5", "0.9", "0.995"):
        rank = split_rank(400, level)
        ours = cross_interval(predictions, residuals, folds, rank)
        twin = slow_interval(predictions, residuals, folds, rank, "plus")
        np.testing.assert_allclose(ours, twin, rtol=1e-12, atol=1e-13)
        assert (ours[:, 0] <= twin[:, 0]).all()
        assert (ours[:, 1] >= twin[:, 1]).all()


@pytest.mark.parametrize("method", ["plus", "minmax"])
def test_sets_agree_with_slow_twin(method):
    rng = np.random.default_rng(4)
    folds = rng.permutation(np.repeat(np.arange(4), 6))
    scores = rng.integers(0, 5, size=24).astype(float)
    candidates = rng.integers(0, 5, size=(30, 3, 4)).astype(float)
    rank = split_rank(24, "0.8")
    ours = cross_set(candidates, scores, folds, rank, method)
    for point, label in itertools.product(range(30), range(3)):
        own = candidates[point, label]
        against = own[folds] if method == "plus" else np.full(24, own.min())
        assert ours[point, label] == (np.sum(scores < against) < rank)
    assert cross_set(candidates, scores, folds, 25, method).all()


def test_jackknife_plus_by_simulation():
    """Least squares, 10 000 samples of 30 rows: coverage near nominal, far above proven. Closed-form folds."""
    rng = np.random.default_rng(5)
    rows, columns, repeats, level = 30, 4, 10_000, "0.9"
    rank = split_rank(rows, level)
    covered = 0
    for _ in range(repeats):
        X, y = rng.normal(size=(rows + 1, columns)), rng.standard_t(3, size=rows + 1)
        inverse = np.linalg.inv(X[:-1].T @ X[:-1])
        weights = inverse @ (X[:-1].T @ y[:-1])
        influence = X[:-1] @ inverse
        leverage = np.einsum("ij,ij->i", influence, X[:-1])
        leave_one_out = (y[:-1] - X[:-1] @ weights) / (1 - leverage)
        predictions = X[-1] @ weights - (influence @ X[-1]) * leave_one_out
        low, high = cross_interval(predictions[None], np.abs(leave_one_out), np.arange(rows), rank)[0]
        covered += low <= y[-1] <= high
    proven = cross_certificate([1] * rows, confidence=level).value
    assert covered / repeats >= proven
    assert 0.88 <= covered / repeats <= 0.94


@pytest.mark.parametrize("sizes", [[1] * 50, [10] * 10, [11, 10, 10], [1] * 5, [2, 2]])
@pytest.mark.parametrize("method", ["plus", "minmax"])
@pytest.mark.parametrize("level", ["0.5", "0.8", "0.9"])
def test_certificates_check_and_survive_json(sizes, method, level):
    certificate = cross_certificate(sizes, confidence=level, method=method, subject="interval")
    assert certificate.check()
    report = Report.from_json(Report([certificate]).to_json())
    assert report.check(np.zeros(sum(sizes)))
    assert certificate.vacuous == (split_rank(sum(sizes), level) > sum(sizes) or certificate.value == 0.0)


@pytest.mark.parametrize(
    "change",
    [
        lambda r: r.update(value=r["value"] + 1e-6),
        lambda r: r["witness"].update(rank=r["witness"]["rank"] + 1),
        lambda r: r["witness"].update(folds=[[1, 60]]),
        lambda r: r["inputs"].update(level="19/20"),
        lambda r: r["inputs"].update(method="minmax"),
        lambda r: r.update(assumptions=["exchangeable"]),
        lambda r: r.update(claim="Everything is fine."),
    ],
)
def test_tampered_certificates_fail(change):
    certificate = cross_certificate([1] * 50, confidence=0.9)
    record = certificate.to_dict()
    change(record)
    with pytest.raises(CertificateError, match="coverage"):
        type(certificate).from_dict(record).check()


def test_wrong_data_fails():
    with pytest.raises(CertificateError, match="49 out-of-fold scores"):
        cross_certificate([1] * 50).check(np.zeros(49))


def test_bad_arguments():
    with pytest.raises(ValueError, match="fold_sizes must name at least two folds"):
        cross_certificate([10])
    with pytest.raises(ValueError, match="method must be one of 'plus', 'minmax'"):
        cross_certificate([5, 5], method="jackknife")
    with pytest.raises(ValueError, match="confidence must be a number strictly between 0 and 1"):
        cross_certificate([5, 5], confidence=1.2)
