"""Bias and variance, double descent, the PAC experiment, learning rates, separability, error decomposition."""

import itertools

import numpy as np
import pytest
from scipy import special, stats

from certus.guarantees import cover, uniform_convergence
from certus.linear import Ridge
from certus.theory import (
    bias_variance,
    chance_to_miss,
    class_bounds,
    class_means,
    decompose_error,
    double_descent,
    fit_rate,
    gaussian_bayes_error,
    gaussian_pac_experiment,
    half_space_labelings,
    hard_distribution_error,
    learning_rates,
    linearly_separable,
    pac_experiment,
    polynomial_curve,
    separable_boolean_functions,
)


def ridge_laboratory(alpha, repeats=400):
    """One feature with fixed rows: bias and variance of ridge are known in closed form."""
    x = np.linspace(-1, 1, 9)[:, None]

    def draw(rng):
        return x, 2.0 * x[:, 0] + 0.5 * rng.normal(size=9)

    found = bias_variance(
        Ridge(alpha=alpha, fit_intercept=False), draw, lambda X: 2.0 * X[:, 0], [[1.0]], noise=0.25, repeats=repeats
    )
    mass = float(x[:, 0] @ x[:, 0])
    return found, (2.0 * alpha / (mass + alpha)) ** 2, 0.25 * mass / (mass + alpha) ** 2


@pytest.mark.parametrize("alpha", [0.1, 3.0])
def test_bias_and_variance_of_ridge(alpha):
    found, bias, variance = ridge_laboratory(alpha)
    assert found.variance[0] == pytest.approx(variance, rel=4 * np.sqrt(2 / 400))
    assert found.bias[0] == pytest.approx(bias, abs=4 * 2 * np.sqrt((bias + variance) * variance / 400))
    assert found.error == pytest.approx(0.25 + bias + variance, abs=4 * found.standard_error)
    assert "squared bias" in str(found)


def test_bias_is_not_inflated_by_few_training_sets():
    """The squared bias of an unbiased learner comes out as 0 on average, from three training sets each."""
    many = [
        bias_variance(
            lambda X, y: lambda new: np.full(len(new), y.mean()),
            lambda rng: (np.zeros((1, 1)), rng.normal(size=1)),
            lambda X: np.zeros(len(X)),
            [[0.0]],
            noise=1.0,
            repeats=3,
            seed=seed,
        ).bias[0]
        for seed in range(3000)
    ]
    assert np.mean(many) == pytest.approx(0.0, abs=4 * np.std(many) / np.sqrt(3000))


def test_capacity_trades_bias_for_variance():
    curve = polynomial_curve((0, 1, 3, 5, 9), repeats=200)
    biases = [float(part.bias.mean()) for part in curve.parts]
    variances = [float(part.variance.mean()) for part in curve.parts]
    assert biases[0] > biases[1] > biases[2]
    assert variances[0] < variances[2] < variances[3] < variances[4]
    assert curve.best == 3
    assert str(curve).count("\n") == 5


def test_double_descent():
    curve = double_descent((10, 20, 38, 40, 42, 100, 800), repeats=9)
    assert curve.peak in (38, 40, 42)
    assert curve.threshold == 40
    assert (curve.train[curve.features >= 40] < 1e-9).all()
    assert (curve.train[curve.features < 38] > 1e-3).all()
    assert curve.test[-1] < curve.test[0] < curve.test.max()
    assert curve.norm[-1] < curve.norm.max()
    again = double_descent((10, 20, 38, 40, 42, 100, 800), repeats=9)
    assert np.array_equal(curve.test, again.test)
    assert "test error" in str(curve)


def test_class_means_bisect_the_segment():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(30, 3)), rng.integers(0, 2, 30)
    w, b = class_means(x, y)
    ups, downs = x[y == 1].mean(axis=0), x[y == 0].mean(axis=0)
    assert w @ (ups + downs) / 2 == pytest.approx(b)
    new = rng.normal(size=(50, 3))
    nearer = np.linalg.norm(new - ups, axis=1) < np.linalg.norm(new - downs, axis=1)
    assert np.array_equal(new @ w > b, nearer)
    assert class_means(x, np.ones(30))[1] == -1.0


def test_error_distribution_of_the_pac_experiment():
    rng = np.random.default_rng(1)
    y = (rng.random(683) < 0.35).astype(int)
    x = rng.normal(size=(683, 9)) + 0.8 * y[:, None]
    found = pac_experiment(x, y, repeats=100)
    assert found.sizes == (342, 273, 205, 137, 68, 34, 27, 20, 14, 7)
    assert found.errors.shape == (10, 100)
    assert found.mean[-1] > found.mean[0]
    assert found.tail[-1] - found.tail[0] > 1.2 * (found.mean[-1] - found.mean[0])
    counts, edges = found.histogram(10)
    assert counts.sum(axis=1).tolist() == [100] * 10
    assert edges[0] == 0.0
    assert "quantile" in str(found)
    assert np.array_equal(found.errors, pac_experiment(x, y, repeats=100).errors)


def test_exact_errors_tend_to_the_bayes_error():
    found = gaussian_pac_experiment(2.0, 3, (4, 40, 4000), repeats=300)
    bayes = gaussian_bayes_error([-1, 0, 0], [1, 0, 0], np.eye(3))
    assert (found.errors >= bayes - 1e-12).all()
    assert found.mean[2] == pytest.approx(bayes, abs=1e-3)
    assert found.mean[0] > found.mean[1] > found.mean[2]


def test_probability_in_pac():
    assert chance_to_miss(0.1, 30) == pytest.approx(0.9**30)
    for vc, error in ((5, 0.1), (21, 0.05), (101, 0.01)):
        rows = int((vc - 1) / (8 * error)) - 1
        assert hard_distribution_error(vc, error, rows) >= error
        assert hard_distribution_error(vc, error, 100 * rows) < error
    rng, vc, error, rows = np.random.default_rng(2), 5, 0.1, 8
    chances = np.r_[1 - 4 * error, np.full(vc - 1, 4 * error / (vc - 1))]
    seen = rng.multinomial(rows, chances, 20_000) > 0
    found = 0.5 * (~seen[:, 1:] * chances[1:]).sum(axis=1)
    assert found.mean() == pytest.approx(
        hard_distribution_error(vc, error, rows), abs=4 * found.std() / np.sqrt(20_000)
    )


def test_learning_rate_of_least_squares_is_fast():
    """Excess risk of the mean of Gaussian targets is exactly 1/rows on average."""

    def draw(rng, rows):
        return np.zeros((rows, 1)), rng.normal(size=rows)

    curve = learning_rates(
        lambda X, y: lambda new: np.full(len(new), y.mean()),
        draw,
        lambda predict: 1.0 + float(predict(np.zeros((1, 1)))[0]) ** 2,
        (10, 40, 160, 640),
        best=1.0,
        repeats=300,
    )
    assert curve.rate.exponent == pytest.approx(1.0, abs=0.15)
    assert curve.mean[0] == pytest.approx(0.1, rel=0.35)
    level = stats.chi2.ppf(0.95, 1)
    assert curve.tail == pytest.approx(level / np.array(curve.sizes), rel=0.4)
    assert "exponent" in str(curve)


def test_rate_of_an_exact_power_law():
    found = fit_rate([2, 4, 8, 16], 3.0 / np.sqrt([2, 4, 8, 16]))
    assert (found.exponent, found.factor) == (pytest.approx(0.5), pytest.approx(3.0))
    assert found.standard_error < 1e-12


def test_separable_boolean_functions():
    assert [separable_boolean_functions(n).separable for n in (1, 2, 3)] == [4, 14, 104]
    assert separable_boolean_functions(3).functions == 256
    tables = {tuple(row) for row in separable_boolean_functions(2).tables.tolist()}
    assert set(itertools.product((0, 1), repeat=4)) - tables == {(0, 1, 1, 0), (1, 0, 0, 1)}


@pytest.mark.parametrize(("points", "features"), [(4, 2), (5, 2), (5, 3), (6, 2)])
def test_half_spaces_label_points_in_general_position_as_cover_counts(points, features):
    x = np.random.default_rng([points, features]).normal(size=(points, features))
    assert len(half_space_labelings(x)) == cover(points, features + 1)
    assert len(half_space_labelings(x, offset=False)) == cover(points, features)


def test_error_decomposition():
    rng = np.random.default_rng(3)
    joint = rng.dirichlet(np.ones(10)).reshape(5, 2)
    everything = np.array(list(itertools.product((0, 1), repeat=5)))
    steps = np.array([[int(x >= t) for x in range(5)] for t in range(6)])
    for seed in range(50):
        draws = np.random.default_rng(seed).choice(10, 12, p=joint.ravel())
        sample = np.c_[draws // 2, draws % 2]
        small, large = decompose_error(joint, steps, sample), decompose_error(joint, everything, sample)
        for found, answers in ((small, steps), (large, everything)):
            true = 1 - joint[np.arange(5), answers[found.picked]].sum()
            assert found.error == pytest.approx(true)
            assert 0 <= found.estimation + 1e-12 <= 2 * found.deviation + 2e-12
        assert large.approximation == pytest.approx(0.0, abs=1e-12)
        assert small.approximation >= -1e-12
        assert small.bayes == large.bayes
    assert "estimation" in str(small)


def test_deviation_stays_below_uniform_convergence():
    rng = np.random.default_rng(4)
    joint = rng.dirichlet(np.ones(10)).reshape(5, 2)
    steps = np.array([[int(x >= t) for x in range(5)] for t in range(6)])
    bound, above = uniform_convergence(6, 50, 0.9).value, 0
    for _ in range(400):
        draws = rng.choice(10, 50, p=joint.ravel())
        above += decompose_error(joint, steps, np.c_[draws // 2, draws % 2]).deviation > bound
    assert above / 400 <= 0.1


def test_normal_tail_is_the_bayes_error():
    assert gaussian_bayes_error([-1.0], [1.0], [[1.0]]) == pytest.approx(float(special.ndtr(-1.0)))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: linearly_separable([[0.0]], [0, 1]), "one label per row"),
        (lambda: linearly_separable([[0.0], [1.0], [2.0]], [0, 1, 2]), "at most two values, got 3"),
        (lambda: half_space_labelings(np.zeros((13, 2))), "points must be at most 12"),
        (lambda: separable_boolean_functions(4), "inputs must be at most 3"),
        (lambda: pac_experiment([[0.0], [1.0]], [0, 0]), "y must have two classes, got 1"),
        (lambda: pac_experiment([[0.0], [1.0]], [0, 1], [2]), "sizes must be below the number of rows"),
        (lambda: pac_experiment([[np.nan], [1.0]], [0, 1]), "X must be a finite table"),
        (lambda: gaussian_pac_experiment(0.0, 1, (5,)), "distance must be"),
        (lambda: chance_to_miss(2.0, 5), "share must lie between 0 and 1"),
        (lambda: hard_distribution_error(3, 0.5, 5), "error must lie between 0 and 1/4"),
        (lambda: fit_rate([10, 10], [0.1, 0.2]), "two different positive numbers"),
        (lambda: fit_rate([10, 20], [0.1, 0.0]), "entry 1 is .*\nHint: average over more repeats"),
        (lambda: learning_rates(3, lambda rng, n: (0, 0), float, (5,), best=0.0), "learner must be an estimator"),
        (lambda: decompose_error([[0.5, 0.5]], [[0], [2]], [[0, 0]]), "hypotheses must be"),
        (lambda: decompose_error([[0.5, 0.5]], [[0], [1]], [[5, 0]]), "sample must be"),
        (lambda: double_descent((0,)), "features must be"),
        (
            lambda: bias_variance(float, lambda rng: (0, 0), lambda X: X, [[0.0]], noise=-1.0),
            "noise must be a finite number of at least 0",
        ),
        (
            lambda: bias_variance(float, lambda rng: (0, 0), lambda X: X, [[0.0]], noise=1.0),
            "one target per row",
        ),
    ],
)
def test_error_names_the_argument(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_capacities_of_a_class():
    points = np.linspace(0, 1, 300)
    truth = points > 0.52
    found = class_bounds([points > t for t in np.linspace(0, 1, 33)], truth, vc=1)
    assert found.errors == int(np.sum((points > 0.52) != (points > 17 / 32)))
    assert found.shattered == 1
    assert all(item.value >= found.errors / found.rows for item in found.report)
    assert found.report.check()
    assert found.finite.value < found.rademacher.value < 1
    assert "Rademacher" in str(found)
    with pytest.raises(ValueError, match="table of labels"):
        class_bounds([[0, 1]], [0, 1, 1])
