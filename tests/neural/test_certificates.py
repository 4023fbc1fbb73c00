"""What is certified about networks: gaps that are gaps, gradients, margins, and posteriors whose bound holds."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.preprocessing import scale

from certus.guarantees import Certificate, CertificateError
from certus.neural import MLPClassifier, MLPRegressor
from certus.neural.evidence.posterior import SCALES

QUIET: dict[str, Any] = {"tol": 1e9, "n_iter_no_change": 15, "random_state": 0}  # 17 epochs without a warning
RNG = np.random.default_rng(0)


def cancer() -> tuple[np.ndarray, np.ndarray]:
    X, y = load_breast_cancer(return_X_y=True)
    return scale(X), y


def iris_like(rows: int = 90) -> tuple[np.ndarray, np.ndarray]:
    y = np.arange(rows) % 3
    return RNG.normal(size=(rows, 4)) + 1.5 * np.eye(4)[y], y


PROBLEMS: list[tuple[str, Any, Any]] = [
    ("two classes", MLPClassifier, cancer()),
    ("three classes", MLPClassifier, iris_like()),
    ("numbers", MLPRegressor, (cancer()[0], cancer()[0] @ RNG.normal(size=(30, 2)) + RNG.normal(size=(569, 2)))),
]


@pytest.mark.parametrize(("kind", "rough"), [("two classes", True), ("three classes", True), ("numbers", False)])
def test_the_gap_bounds_how_much_better_the_optimum_is(kind: str, rough: bool) -> None:
    learner, (X, y) = next((entry[1], entry[2]) for entry in PROBLEMS if entry[0] == kind)
    best = learner(hidden_layer_sizes=(), alpha=1.0, solver="lbfgs", tol=1e-10, max_iter=5000, random_state=0).fit(X, y)
    for solver in ("adam", "lbfgs"):
        model = learner(hidden_layer_sizes=(), alpha=1.0, solver=solver, learning_rate_init=0.01, **QUIET).fit(X, y)
        certificate = model.report_["optimality gap"]
        excess = objective(model, X, y) - objective(best, X, y)
        assert excess <= certificate.value
        assert certificate.check()
        assert certificate.check((X, y))
    sharp = best.report_["optimality gap"].value
    assert sharp < (1e-4 if rough else 1e-6)


def objective(model: Any, X: np.ndarray, y: np.ndarray) -> float:
    penalty = 0.5 * sum(float((coef**2).sum()) for coef in model.coefs_) / len(X)
    if isinstance(model, MLPRegressor):
        return float(0.5 * ((model.predict(X) - y) ** 2).sum() / len(X)) + penalty
    return -float(model.predict_log_proba(X)[np.arange(len(X)), y].mean()) + penalty


def test_a_gap_on_other_data_or_a_smaller_one_is_refuted() -> None:
    X, y = cancer()
    model = MLPClassifier((), alpha=1.0, learning_rate_init=0.01, **QUIET).fit(X, y)
    certificate = model.report_["optimality gap"]
    with pytest.raises(CertificateError):
        certificate.check((X, 1 - y))
    record = certificate.to_dict()
    record["value"] = certificate.value / 2
    with pytest.raises(CertificateError):
        Certificate.from_dict(record).check()


def test_weights_and_sparse_tables_have_gaps() -> None:
    X, y = cancer()
    weights = RNG.integers(0, 3, len(y)).astype(float)
    model = MLPClassifier((), alpha=2.0, solver="lbfgs", random_state=0).fit(sparse.csr_array(X), y, weights)
    certificate = model.report_["optimality gap"]
    assert certificate.value < 0.01
    kept = weights > 0
    assert certificate.check((X[kept], y[kept], weights[kept]))


def test_the_gradient_norm_is_that_of_the_objective() -> None:
    X, y = cancer()
    model = MLPClassifier((5,), "tanh", alpha=1.0, **QUIET).fit(X, y)
    certificate = model.report_["length of the gradient"]
    assert "local" in certificate.claim
    slopes = []
    for part in (*model.coefs_, *model.intercepts_):
        for place in np.ndindex(part.shape):
            value, ends = part[place], []
            for step in (1e-6, -1e-6):
                part[place] = value + step
                ends.append(objective(model, X, y))
            part[place] = value
            slopes.append((ends[0] - ends[1]) / 2e-6)
    assert np.linalg.norm(slopes) == pytest.approx(certificate.value, rel=1e-6)
    assert certificate.check()
    with pytest.raises(CertificateError):
        certificate.check(np.array(slopes) * 1.1)


def test_what_is_random_in_training_has_no_gradient() -> None:
    X, y = cancer()
    for options in ({"dropout": 0.2}, {"l1": 0.1}, {"batch_norm": True}, {"solver": "adamw"}):
        model = MLPClassifier((5,), **QUIET).set_params(**options).fit(X, y)
        assert "length of the gradient" not in [str(certificate.quantity) for certificate in model.report_]


def test_the_spectral_margin_bound_is_a_vacuous_reference() -> None:
    X, y = cancer()
    model = MLPClassifier((8,), solver="lbfgs", alpha=1.0, max_iter=2000, random_state=0).fit(X, y)
    certificate = model.report_["error by spectral margins"]
    assert certificate.vacuous
    assert certificate.check()
    # It falls with the rows: the same inputs with far more of them say something.
    from certus.neural.evidence.spectral_margin import _bound

    numbers = dict(certificate.inputs) | {"length": 10.0**6}
    assert _bound(0.01, 10**15, numbers).certificate(0.95, 1).value < 0.1
    other = MLPClassifier((8,), "logistic", **QUIET).fit(X, y).report_
    assert "error by spectral margins" not in [str(certificate.quantity) for certificate in other]


def test_a_certified_posterior_and_its_draws() -> None:
    X, y = load_digits(return_X_y=True)
    model = MLPClassifier((32,), prior_fraction=0.5, learning_rate_init=0.01, **QUIET).fit(X / 16, y)
    bound, beside = model.report_["expected error"], model.report_["error of the prior network"]
    assert bound.value < 0.2
    assert beside.value < bound.value
    assert bound.check()
    assert beside.check()
    assert model.posterior_scale_ in SCALES
    first, again, other = model.draw(0), model.draw(0), model.draw(1)
    np.testing.assert_array_equal(first.coefs_[0], again.coefs_[0])
    assert not np.array_equal(first.coefs_[0], other.coefs_[0])
    moved = np.concatenate([(first.coefs_[k] - model.coefs_[k]).ravel() for k in range(2)])
    assert moved.std() == pytest.approx(model.posterior_scale_, rel=0.1)
    np.testing.assert_array_equal(model.predict(X / 16), model.predict(X / 16))
    assert not hasattr(MLPClassifier(), "draw")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"batch_norm": True}, "batch_norm"),
        ({"n_init": 2}, "n_init"),
        ({"warm_start": True}, "warm_start"),
        ({"pretraining": "layerwise"}, "pretraining"),
        ({"class_weight": "balanced"}, "class_weight"),
    ],
)
def test_posteriors_refuse_what_they_cannot_certify(options: dict[str, Any], words: str) -> None:
    X, y = cancer()
    with pytest.raises(ValueError, match=words):
        MLPClassifier((4,), prior_fraction=0.5, **options).fit(X, y)
    with pytest.raises(ValueError, match="rows that count equally"):
        MLPClassifier((4,), prior_fraction=0.5).fit(X, y, np.ones(len(y)))
    with pytest.raises(ValueError, match="fewer than two"):
        MLPClassifier((4,), prior_fraction=0.9).fit(X[:4], y[:4])


def coin_bound(seed: int, rows: int = 60) -> float:
    """The bound of a network of labels that coins decide: the expected error of every network is 1/2."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(rows, 3)), rng.integers(0, 2, rows)
    options: dict[str, Any] = {"tol": 1e9, "n_iter_no_change": 60, "learning_rate_init": 0.05, "random_state": seed}
    model = MLPClassifier((16,), prior_fraction=0.3, confidence=0.9, **options).fit(X, y)
    return float(model.report_["expected error"].value)


@pytest.mark.slow
def test_the_bound_of_a_posterior_holds_where_labels_are_coins() -> None:
    values = np.array([coin_bound(seed) for seed in range(60)])
    assert (values < 0.5).mean() <= 0.1 + 3 * (0.1 * 0.9 / 60) ** 0.5


def test_few_epochs_are_not_measured() -> None:
    X, y = cancer()
    for epochs, measured in ((7, False), (8, True)):  # two more than n_iter_no_change
        model = MLPClassifier((5,), tol=1e9, n_iter_no_change=epochs, random_state=0).fit(X, y)
        assert bool(len(model.report_)) == measured


@pytest.mark.slow
def test_a_prior_that_saw_the_rows_of_the_bound_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def every_row(data: Any, share: float, seed: int) -> Any:
        del share, seed
        return data, np.arange(data.count)

    monkeypatch.setattr("certus.neural.learning.certified_posterior.split_prior", every_row)
    values = np.array([coin_bound(seed) for seed in range(20)])
    assert (values < 0.5).mean() > 0.5


def test_rows_of_a_class_of_weight_zero_count_in_the_bound() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 400)
    X = np.eye(3)[y] * 6.0 + rng.standard_normal((len(y), 3))
    model = MLPClassifier((8,), class_weight={0: 1.0, 1: 1.0, 2: 0.0}, prior_fraction=0.5, **QUIET)
    bound = model.fit(X, y).report_["expected error"]
    assert bound.value > 1.0 / 3.0  # no row of class 2 is ever right


@pytest.mark.parametrize("offset", [1e6, 1e9, 1e12])
def test_the_gradient_norm_holds_where_targets_cancel(offset: float) -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30, 2))
    y = X @ [1.0, 2.0] + offset
    options: dict[str, Any] = {"solver": "lbfgs", "alpha": 0.0, "tol": 1e-14, "max_iter": 3000, "max_fun": 10**5}
    model = MLPRegressor(hidden_layer_sizes=(), random_state=0, **options).fit(X, y)
    stated = next(c for c in model.report_ if "gradient" in str(c.quantity)).value
    weights = [*map(Fraction, model.coefs_[0][:, 0].tolist()), Fraction(float(model.intercepts_[0][0]))]
    rows = [[*map(Fraction, row), Fraction(1)] for row in X.tolist()]
    left = [
        sum(w * x for w, x in zip(weights, row, strict=True)) - Fraction(t)
        for row, t in zip(rows, y.tolist(), strict=True)
    ]
    slopes = [sum(r * row[j] for r, row in zip(left, rows, strict=True)) / len(rows) for j in range(3)]
    assert float(sum(slope * slope for slope in slopes)) ** 0.5 <= stated


def test_the_gap_of_balanced_classes_is_checked_with_their_weights() -> None:
    X, y = iris_like()
    kept = np.flatnonzero((y != 2) | (np.arange(len(y)) % 2 == 0))
    model = MLPClassifier((), class_weight="balanced", solver="lbfgs", alpha=0.1, max_iter=500, random_state=0)
    model.fit(X[kept], y[kept])
    gap = next(c for c in model.report_ if "gap" in str(c.quantity))
    assert gap.check((X[kept], y[kept]))
