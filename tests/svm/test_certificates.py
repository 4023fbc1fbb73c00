"""The reports: what they say is true, what they cannot say they withhold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

from certus.guarantees import CertificateError, campi_garatti
from certus.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM


def noisy(rows: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    X = rng.normal(size=(rows, 2))
    return X, np.where(X[:, 0] + 0.4 * rng.normal(size=rows) > 0, 1, -1)


@pytest.mark.parametrize(
    "machine",
    [SVC(), SVC(kernel="poly", coef0=1.0), SVC(fit_intercept=False), NuSVC(nu=0.3), SVR(), NuSVR(), OneClassSVM()],
    ids=lambda machine: type(machine).__name__ + str(machine.kernel),
)
def test_gap_is_confirmed_from_the_data(machine: Any) -> None:
    X, y = noisy(80, np.random.default_rng(0))
    gap = machine.fit(X, y).report_["optimality gap"]
    assert gap.check((X, y))
    assert gap.value < 1e-6
    with pytest.raises(CertificateError, match=r"on these data the duality gap is|do not fit these data"):
        gap.check((3.0 * X, y))


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("size", [1e-9, 1.0, 1e12])
def test_the_gap_of_a_region_is_that_of_the_threshold_in_use(kernel: str, size: float) -> None:
    rng = np.random.default_rng(4)
    X, weights = rng.normal(size=(15, 40)) + 1e6, size * rng.integers(0, 3, 15)
    machine = OneClassSVM(kernel=kernel).fit(X, sample_weight=weights)
    assert machine.report_.check((X, None, weights))
    inside = OneClassSVM(kernel=kernel).fit(X, sample_weight=weights / size).predict(X)
    assert (machine.predict(X) == inside).all()


def test_training_rows_are_for_the_certificates_that_take_them() -> None:
    X, y = noisy(80, np.random.default_rng(0))
    report = SVC(gamma=0.5).fit(X, y).report_
    assert len({certificate.rule for certificate in report}) > 3
    assert report.check((X, y))
    with pytest.raises(CertificateError, match=r"on these data the duality gap is|do not fit these data"):
        report.check((3.0 * X, y))


def test_gap_certificate_of_three_classes_and_weights() -> None:
    rng = np.random.default_rng(1)
    X, weights = rng.normal(size=(90, 3)), rng.integers(0, 3, 90).astype(float)
    y = np.array(["a", "b", "c"])[rng.integers(0, 3, 90)]
    machine = SVC(class_weight={"a": 2.0}).fit(X, y, sample_weight=weights)
    assert machine.report_["optimality gap"].check((X, y, weights))


def test_an_early_stop_has_a_large_but_true_gap() -> None:
    X, y = noisy(200, np.random.default_rng(2))
    with pytest.warns(UserWarning, match="terminated early"):
        early = SVC(gamma=0.5, max_iter=20).fit(X, y)
    best = SVC(gamma=0.5).fit(X, y)

    def dual(machine: SVC) -> float:
        scores = machine.decision_function(X[machine.support_]) - machine.intercept_
        return float(np.abs(machine.dual_coef_).sum() - 0.5 * machine.dual_coef_[0] @ scores)

    assert dual(best) - dual(early) <= early.gap_
    assert early.report_["optimality gap"].value >= early.gap_


def test_rows_that_are_certain_have_the_label_of_the_optimum() -> None:
    for seed in range(5):
        X, y = noisy(150, np.random.default_rng(seed))
        exact = SVC(gamma=0.5, tol=1e-9).fit(X, y)
        with pytest.warns(UserWarning, match="terminated early"):
            rough = SVC(gamma=0.5, max_iter=40).fit(X, y)
        certain = rough.report_["labels of the exact optimum"].value
        assert (rough.predict(X) == exact.predict(X)).sum() >= certain
        assert exact.report_["labels of the exact optimum"].value == len(X)


def test_audit_counts_every_multiplier() -> None:
    X, y = noisy(100, np.random.default_rng(3))
    witness = SVC(gamma=0.5).fit(X, y).report_["KKT residual"].witness
    assert witness["outside"] + witness["margin"] + witness["bound"] == 100
    assert witness["failure"] < 1e-8


def test_audit_of_a_classifier_counts_rows_by_their_margin() -> None:
    X, y = noisy(150, np.random.default_rng(3))
    machine = SVC(kernel="linear", C=0.7, tol=1e-10).fit(X, y)
    margins = y * machine.decision_function(X)
    witness = machine.report_["KKT residual"].witness
    assert witness["outside"] == (margins > 1 + 1e-6).sum()
    assert witness["margin"] == (np.abs(margins - 1) <= 1e-6).sum() > 0
    assert witness["bound"] == (margins < 1 - 1e-6).sum()


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_audit_of_a_regression_counts_rows_by_their_place_in_the_tube(kernel: str) -> None:
    """Two multipliers a row: both are zero inside the tube, one is free on its edge, one at its bound outside."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(120, 2))
    y = np.sin(2 * X[:, 0]) + 0.3 * rng.normal(size=120)
    machine = SVR(kernel=kernel, C=0.8, epsilon=0.2, gamma=0.5, tol=1e-10).fit(X, y)
    distance = np.abs(y - machine.predict(X)) - 0.2
    inside, outside = distance < -1e-6, distance > 1e-6
    witness = machine.report_["KKT residual"].witness
    assert witness["bound"] == outside.sum() > 0
    assert witness["margin"] == (~inside & ~outside).sum() > 0
    assert witness["outside"] == 240 - (~inside).sum()
    assert witness["failure"] < 1e-8
    assert set(machine.support_) == set(np.flatnonzero(~inside))


@pytest.mark.parametrize(
    ("machine", "reason"),
    [
        (SVC(), 'gamma="scale" is computed from the training rows'),
        (SVC(gamma=0.5, class_weight="balanced"), 'class_weight="balanced" is computed'),
        (SVC(kernel=lambda a, b: a @ b.T), "not known to be fixed beforehand"),
        (SVC(kernel="sigmoid", gamma=0.1), "not proved to be positive semi-definite"),
        (SVC(gamma=0.5, C=np.inf), "not a soft margin with a finite"),
        (NuSVC(nu=0.3), "not a soft margin"),
        (OneClassSVM(gamma=0.5), "depend on the number of rows"),
    ],
    ids=lambda given: given if isinstance(given, str) else type(given).__name__,
)
def test_compression_bound_is_withheld_with_the_reason(machine: Any, reason: str) -> None:
    X, y = noisy(60, np.random.default_rng(4))
    y = np.where(X[:, 0] > 0, 1, -1)
    machine.fit(X, y)
    assert reason in machine.withheld_
    assert "error" not in machine.report_.quantities


def test_compression_bound_is_withheld_where_ties_leave_the_intercept_open() -> None:
    X = np.array([[-1.0], [1.0]])
    machine = SVC(kernel="linear", C=0.1).fit(X, [-1, 1])  # both at the bound: every intercept in between is as good
    assert "the intercept is not pinned down" in machine.withheld_


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("samples", [150, pytest.param(1000, marks=pytest.mark.slow)])
def test_compression_bound_is_true(kernel: str, fit_intercept: bool, samples: int) -> None:
    """In all samples the bound at 80% fails no more often than it may (false alarm in 1 of 1000 runs)."""
    rng = np.random.default_rng(5)
    fresh, labels = noisy(4000, rng)
    failures = printed = 0
    for _ in range(samples):
        X, y = noisy(60, rng)
        machine = SVC(kernel=kernel, gamma=0.5, C=1.0, fit_intercept=fit_intercept).fit(X, y)
        if machine.withheld_:
            continue
        printed += 1
        bound = machine.report_["error"]
        value = campi_garatti(bound.witness["support"], 60, 0.8).value
        margins = labels * machine.decision_function(fresh)
        failures += float((margins < 1.0).mean()) > value
        assert (margins < 0).mean() <= bound.value
    assert printed > 0.85 * samples
    assert failures <= stats.binom.ppf(0.999, printed, 0.2)


def test_tube_bound_is_true() -> None:
    rng = np.random.default_rng(6)
    fresh = rng.normal(size=(4000, 1))
    target = np.sin(2.0 * fresh[:, 0]) + 0.1 * rng.normal(size=4000)
    failures = 0
    for _ in range(100):
        X = rng.normal(size=(80, 1))
        machine = SVR(gamma=1.0, C=10.0, epsilon=0.25).fit(X, np.sin(2.0 * X[:, 0]) + 0.1 * rng.normal(size=80))
        bound = next(c for c in machine.report_ if str(c.quantity).startswith("share of rows off by more than"))
        failures += float((np.abs(target - machine.predict(fresh)) > 0.2501).mean()) > bound.value
    assert failures <= stats.binom.ppf(0.999, 100, 0.05)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("machine", [SVC(), SVC(fit_intercept=False), NuSVC(nu=0.45)], ids=str)
def test_margin_bound_is_true(machine: Any, kernel: str) -> None:
    """The bound at 95% fails in no more samples than it may (false alarm in 1 of 1000 runs), and says something."""
    rng = np.random.default_rng(7)
    fresh, labels = noisy(4000, rng)
    failures, values = 0, []
    for _ in range(40):
        X, y = noisy(400, rng)
        bound = machine.set_params(kernel=kernel, gamma=0.5).fit(X, y).report_["error (from the margins)"]
        failures += float((machine.predict(fresh) != labels).mean()) > bound.value
        values.append(bound.value)
    assert bound.check()
    assert failures <= stats.binom.ppf(0.999, 40, 0.05)
    assert max(values) < 0.9


def test_margin_bound_needs_a_kernel_that_was_fixed_beforehand() -> None:
    X, y = noisy(60, np.random.default_rng(8))
    quantity = "error (from the margins)"
    for machine in (SVC(), SVC(kernel="sigmoid", gamma=0.1), SVC(kernel=lambda a, b: a @ b.T)):
        assert quantity not in machine.fit(X, y).report_.quantities
    weights = np.linspace(0.5, 2.0, 60)
    assert quantity in SVC(gamma=0.5, class_weight="balanced").fit(X, y, sample_weight=weights).report_.quantities


def test_margin_bound_of_rows_of_length_zero_counts_them_as_undecided() -> None:
    X = np.array([[0.0], [0.0], [1.0], [-1.0]])
    machine = SVC(kernel="linear", fit_intercept=False).fit(X, [0, 1, 1, 0])
    assert machine.report_.check()
