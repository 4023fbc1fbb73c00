"""Stochastic gradient descent and the perceptron: against the plain rule, the spec's numbers, their bounds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import optimize, sparse

from certus.guarantees import CertificateError
from certus.linear import LinearSVC, LogisticRegression, Perceptron, SGDClassifier, SGDRegressor

LOSSES = {
    "hinge": lambda y, f: -y if y * f <= 1 else 0.0,
    "squared_hinge": lambda y, f: -2 * y * max(0.0, 1 - y * f),
    "perceptron": lambda y, f: -y if y * f <= 0 else 0.0,
    "log_loss": lambda y, f: -y / (1 + np.exp(y * f)),
    "modified_huber": lambda y, f: 0.0 if y * f >= 1 else (-2 * y * (1 - y * f) if y * f >= -1 else -4 * y),
    "squared_error": lambda y, f: f - y,
    "huber": lambda y, f: float(np.clip(f - y, -0.1, 0.1)),
    "epsilon_insensitive": lambda y, f: float(np.sign(f - y)) if abs(f - y) > 0.1 else 0.0,
    "squared_epsilon_insensitive": lambda y, f: 2 * np.sign(f - y) * max(0.0, abs(f - y) - 0.1),
}


def plain_rule(
    X: np.ndarray, y: np.ndarray, loss: str, *, alpha: float, eta: float, epochs: int, decay: float = 1.0
) -> tuple[np.ndarray, float, np.ndarray, float]:
    """Last and averaged coefficients of ridge-penalized descent with a constant step, row after row."""
    w, b = np.zeros(X.shape[1]), 0.0
    sum_w, sum_b, steps = np.zeros(X.shape[1]), 0.0, 0
    for _ in range(epochs):
        for row, target in zip(X, y, strict=True):
            slope = LOSSES[loss](target, row @ w + b)
            w = (1.0 - eta * alpha) * w - eta * slope * row
            b -= eta * slope * decay
            sum_w, sum_b, steps = sum_w + w, sum_b + b, steps + 1
    return w, b, sum_w / steps, sum_b / steps


def two_classes(seed: int, rows: int = 60, columns: int = 4) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns))
    y = np.where(X @ rng.normal(size=columns) + 0.5 * rng.normal(size=rows) > 0, 1, -1)
    y[:2] = [-1, 1]
    return X, y


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("average", [False, True])
@pytest.mark.parametrize("thin", [False, True])
def test_every_loss_follows_the_plain_rule(loss: str, average: bool, thin: bool) -> None:
    X, y = two_classes(0)
    X = np.where(np.abs(X) > 0.4, X, 0.0)
    rule = plain_rule(X, y, loss, alpha=0.05, eta=0.02, epochs=3, decay=0.01 if thin else 1.0)
    model = SGDClassifier(
        loss, alpha=0.05, eta0=0.02, learning_rate="constant", max_iter=3, tol=None, shuffle=False, average=average
    ).fit(sparse.csr_array(X) if thin else X, y)
    w, b = rule[2:] if average else rule[:2]
    assert_allclose(model.coef_[0], w, rtol=1e-9, atol=1e-12)
    assert_allclose(model.intercept_[0], b, rtol=1e-9, atol=1e-12)


def test_shrinking_to_zero_and_tiny_scales_keep_the_average() -> None:
    X, y = two_classes(3)
    for alpha, eta in ((5.0, 0.2), (4.9, 0.2)):  # the factor is 0, and 0.02 per step
        w, _, mean, _ = plain_rule(X, y, "squared_error", alpha=alpha, eta=eta, epochs=2)
        options = {"alpha": alpha, "eta0": eta, "learning_rate": "constant", "max_iter": 2, "tol": None}
        last = SGDRegressor(**options, shuffle=False).fit(X, y)
        averaged = SGDRegressor(**options, shuffle=False, average=True).fit(X, y)
        assert_allclose(last.coef_, w, rtol=1e-8, atol=1e-12)
        assert_allclose(averaged.coef_, mean, rtol=1e-8, atol=1e-12)


def test_partial_fits_are_one_fit_of_more_epochs() -> None:
    X, y = two_classes(1)
    options = {"alpha": 0.01, "average": True, "shuffle": False, "random_state": 0}
    whole = SGDClassifier(max_iter=4, tol=None, **options).fit(X, y)
    pieces = SGDClassifier(**options)
    for _ in range(4):
        pieces.partial_fit(X, y, classes=[-1, 1])
    assert_allclose(pieces.coef_, whole.coef_, rtol=1e-9)
    assert_allclose(pieces.intercept_, whole.intercept_, rtol=1e-9)
    assert pieces.t_ == whole.t_ == 241.0


def test_pegasos_reaches_the_gaps_of_the_literature() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 5))
    y = np.where(X @ [1.0, -1.0, 0.5, 0.0, 0.0] + 0.3 * rng.normal(size=200) > 0, 1, -1)
    best = LinearSVC(loss="hinge", C=1.0 / (0.1 * 200), fit_intercept=False).fit(X, y).coef_[0]

    def objective(w: np.ndarray) -> float:
        return float(0.05 * w @ w + np.maximum(0.0, 1.0 - y * (X @ w)).mean())

    for epochs, gap in ((5, 8.6e-4), (50, 1.5e-4), (500, 4.5e-5)):
        found = [
            SGDClassifier(
                alpha=0.1,
                learning_rate="pegasos",
                fit_intercept=False,
                average=True,
                max_iter=epochs,
                tol=None,
                random_state=seed,
            ).fit(X, y)
            for seed in range(5)
        ]
        excess = [objective(model.coef_[0]) - objective(best) for model in found]
        assert min(excess) >= -1e-12
        assert np.mean(excess) < 4.0 * gap
        assert all(model.gap_ >= value for model, value in zip(found, excess, strict=True))


@pytest.mark.parametrize("average", [False, True])
def test_pegasos_takes_the_steps_of_its_schedule(average: bool) -> None:
    X, y = two_classes(2)
    w, mean = np.zeros(4), np.zeros(4)
    for t, (row, target) in enumerate(list(zip(X, y, strict=True)) * 3, start=1):
        step = 1.0 / (0.1 * (t + 1))
        slope = LOSSES["hinge"](target, row @ w)
        w = (1.0 - step * 0.1) * w - step * slope * row
        mean += (w - mean) / t
    model = SGDClassifier(
        alpha=0.1,
        learning_rate="pegasos",
        fit_intercept=False,
        max_iter=3,
        tol=None,
        shuffle=False,
        average=average,
    ).fit(X, y)
    assert_allclose(model.coef_[0], mean if average else w, rtol=1e-9)


@pytest.mark.parametrize(("rule", "power"), [("pa1", 1), ("pa2", 2)])
def test_passive_aggressive_steps_are_proximal_ones(rule: str, power: int) -> None:
    """Each step minimizes |w - w_t|^2 / 2 + C hinge(w)^power, found here by a search along the row."""
    X, y = two_classes(4, rows=30)
    for cost in (0.05, 0.5):
        w = np.zeros(4)
        for row, target in zip(X, y, strict=True):

            def objective(size: float, at=w, row=row, target=target) -> float:
                moved = at + size * target * row
                return 0.5 * size**2 * (row @ row) + cost * max(0.0, 1.0 - target * (row @ moved)) ** power

            best = optimize.minimize_scalar(objective, bounds=(0.0, 50.0), method="bounded", options={"xatol": 1e-12})
            w = w + best.x * target * row if target * (row @ w) < 1 else w
        model = SGDClassifier(
            learning_rate=rule, eta0=cost, penalty=None, fit_intercept=False, max_iter=1, tol=None, shuffle=False
        ).fit(X, y)
        assert_allclose(model.coef_[0], w, atol=1e-6)


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 10_000),
    st.sampled_from(["hinge", "squared_hinge", "log_loss", "squared_error", "huber", "epsilon_insensitive"]),
    st.booleans(),
    st.sampled_from([0.0, 0.3]),
)
def test_the_certified_gap_is_above_what_a_longer_descent_gains(
    seed: int, loss: str, intercept: bool, l1_ratio: float
) -> None:
    X, y = two_classes(seed)
    options = {
        "loss": loss,
        "alpha": 0.05,
        "penalty": "elasticnet",
        "l1_ratio": l1_ratio,
        "fit_intercept": intercept,
        "tol": None,
        "average": True,
        "random_state": seed,
    }
    short = SGDClassifier(max_iter=5, **options).fit(X, y)
    longer = SGDClassifier(max_iter=400, **options).fit(X, y)
    short_gap, long_gap = short.report_["optimality gap"], longer.report_["optimality gap"]
    assert short_gap.check()
    assert short_gap.witness["objective"] - long_gap.witness["objective"] <= short.gap_
    assert long_gap.witness["dual"] - long_gap.witness["rounding"] <= short_gap.witness["objective"]


def test_logistic_descent_ends_near_the_optimum() -> None:
    X, y = two_classes(5, rows=400)
    exact = LogisticRegression(C=1.0 / (0.01 * 400)).fit(X, y)
    model = SGDClassifier(
        "log_loss",
        alpha=0.01,
        average=True,
        max_iter=300,
        tol=None,
        random_state=0,
        eta0=0.1,
        learning_rate="invscaling",
    ).fit(X, y)
    assert_allclose(model.coef_, exact.coef_, rtol=0.05, atol=0.02)
    assert model.gap_ < 5e-3


def test_zero_weights_are_removed_rows() -> None:
    X, y = two_classes(2)
    weights = np.random.default_rng(0).integers(0, 2, len(y)).astype(float)
    kept = weights > 0
    weighted = SGDClassifier(random_state=0).fit(X, y, sample_weight=weights)
    removed = SGDClassifier(random_state=0).fit(X[kept], y[kept])
    assert_allclose(weighted.coef_, removed.coef_)


def test_overflow_is_one_clear_error() -> None:
    X, y = two_classes(0)
    with pytest.raises(ValueError, match=r"Floating-point under-/overflow occurred at epoch #\d+(.|\n)*Hint"):
        SGDRegressor(learning_rate="constant", eta0=1e10, alpha=0.0, penalty=None).fit(X * 1e300, y)


def separable(seed: int, rows: int, columns: int, gap: float) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    direction = rng.normal(size=columns)
    direction /= np.linalg.norm(direction)
    X = rng.normal(size=(rows, columns))
    side = np.where(X @ direction > 0, 1.0, -1.0)
    side[:2] = [-1.0, 1.0]
    X += np.outer(side * gap, direction)
    keep = side * (X @ direction) > gap / 2
    return X[keep], side[keep].astype(int)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 8), st.sampled_from([0.2, 0.5, 2.0]), st.booleans(), st.booleans())
def test_the_perceptron_never_exceeds_its_mistake_bound(
    seed: int, columns: int, gap: float, intercept: bool, thin: bool
) -> None:
    X, y = separable(seed, 40, columns, gap)
    if len(np.unique(y)) < 2:
        return
    table = sparse.csr_array(X) if thin else X
    model = Perceptron(tol=None, max_iter=2000, fit_intercept=intercept, random_state=seed).fit(table, y)
    if len(model.report_) == 0:  # not separated within the epochs, or not through the origin
        assert (model.predict(X) != y).any()
        return
    bound = model.report_["mistakes"]
    assert bound.check((X, y))
    assert model.mistakes_[0] <= bound.value


def test_a_wrong_margin_does_not_pass() -> None:
    X, y = separable(0, 40, 3, 1.0)
    bound = Perceptron(tol=None, max_iter=500).fit(X, y).report_["mistakes"]
    with pytest.raises(CertificateError, match=r"nearer to the separator|longer than the radius"):
        bound.check((X * 0.1, y))
    with pytest.raises(CertificateError, match="longer than the radius"):
        bound.check((X * 10.0, y))


def test_xor_is_never_separated_and_gets_no_bound() -> None:
    X, y = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), [0, 1, 1, 0]
    model = Perceptron(tol=None, max_iter=200).fit(X, y)
    assert model.score(X, y) < 1.0
    assert len(model.report_) == 0


@pytest.mark.parametrize(("gate", "labels"), [("and", [0, 0, 0, 1]), ("or", [0, 1, 1, 1]), ("nand", [1, 1, 1, 0])])
def test_boolean_gates(gate: str, labels: list[int]) -> None:
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    model = Perceptron(tol=None, max_iter=200).fit(X, labels)
    assert model.predict(X).tolist() == labels, gate


def test_step_length_changes_no_sign() -> None:
    X, y = two_classes(4)
    one, ten = (Perceptron(eta0=eta, tol=None, max_iter=7).fit(X, y) for eta in (1.0, 10.0))
    assert_allclose(ten.coef_, 10.0 * one.coef_, rtol=1e-12)


def test_averaged_and_pocket_variants_beat_the_last_iterate_on_noisy_rows() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 10))
    y = np.where(X[:, 0] + 1.5 * rng.normal(size=2000) > 0, 1, -1)
    scores = {
        variant: Perceptron(variant=variant, tol=None, max_iter=20).fit(X, y).score(X, y)
        for variant in ("last", "averaged", "pocket")
    }
    assert scores["averaged"] > scores["last"]
    assert scores["pocket"] >= scores["last"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"learning_rate": "pegasos", "alpha": 0.0}, "alpha must be > 0"),
        ({"learning_rate": "pa1", "loss": "log_loss"}, "'pa1' only works with loss 'hinge'"),
        ({"penalty": "elasticnet", "l1_ratio": None}, "l1_ratio must be set"),
    ],
)
def test_combinations_that_cannot_be(options: dict[str, object], message: str) -> None:
    X, y = two_classes(0)
    with pytest.raises(ValueError, match=f"{message}(.|\n)*Hint"):
        SGDClassifier(**options).fit(X, y)  # type: ignore[arg-type]
