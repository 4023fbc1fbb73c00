"""The path over C: optimal at every C, whatever ties and dependences the rows have."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

from certus.guarantees import CertificateError
from certus.svm import SVC, svm_path
from certus.svm.solvers import path_follower
from certus.svm.solvers.path_follower import DegenerateError, PathFollower


def problem(seed: int, largest: int = 40) -> tuple[np.ndarray, np.ndarray, dict[str, Any]]:
    rng = np.random.default_rng(seed)
    rows, columns = int(rng.integers(4, largest)), int(rng.integers(1, 4))
    X = rng.normal(size=(rows, columns))
    form = rng.integers(4)
    if form == 1:
        X = np.round(X)  # ties
    if form == 2:
        X = X[rng.integers(0, rows, rows)]  # duplicates, some with both labels
    y = np.where(X[:, 0] + (0.0 if form == 3 else 0.7) * rng.normal(size=rows) > 0, 1, -1)
    y[:2] = [1, -1]
    params: dict[str, Any] = {"kernel": ["linear", "rbf"][rng.integers(2)], "gamma": 0.5}
    params["fit_intercept"] = bool(rng.random() < 0.7)
    params["sample_weight"] = rng.choice([0.0, 1.0, 2.5], rows) if rng.random() < 0.3 else None
    if params["sample_weight"] is not None:
        params["sample_weight"][:2] = 1.0
    return X, y, params


def relative_gap(X: np.ndarray, y: np.ndarray, params: dict[str, Any], C: float, alpha: np.ndarray, b: float) -> float:
    """Primal minus dual objective from their definitions."""
    weights = np.ones(len(y)) if params["sample_weight"] is None else params["sample_weight"]
    squares = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    gram = X @ X.T if params["kernel"] == "linear" else np.exp(-0.5 * squares)
    assert (alpha >= 0).all()
    assert (alpha <= C * weights * (1 + 1e-12)).all()
    assert not params["fit_intercept"] or abs(y @ alpha) < 1e-9 * max(C, 1.0)
    scores = gram @ (y * alpha)
    losses = C * weights @ np.maximum(0.0, 1.0 - y * (scores + b))
    return float(0.5 * y * alpha @ scores + losses - alpha.sum() + 0.5 * y * alpha @ scores) / (C * weights.sum())


@pytest.mark.parametrize(
    "seeds", [range(60), pytest.param(range(60, 700), marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_every_point_of_the_path_is_optimal(seeds: range) -> None:
    restarts = short = 0
    for seed in seeds:
        X, y, params = problem(seed)
        path = svm_path(X, y, C_max=1e3, **params)
        restarts += len(path.restarts)
        short += not path.complete
        assert path.report.check()
        assert path.report[0].value < 1e-6
        last = path.C[-1] if path.rates is None else 1e3
        rng = np.random.default_rng(seed)
        for C in last * 10.0 ** rng.uniform(-5, 0, 5):
            alpha, b = path.at(C)
            assert -1e-11 <= relative_gap(X, y, params, C, alpha, b) < 1e-7
    assert short == 0
    assert restarts <= 0.05 * len(seeds)


def test_the_machine_of_a_point_is_the_one_that_is_fitted_there() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 3))
    y = np.where(X[:, 0] + 0.8 * rng.normal(size=90) > 0, "yes", "no")
    path = svm_path(X, y, gamma=0.5)
    for C in (0.3, 0.7, 20.0):
        fitted = SVC(gamma=0.5, C=C, tol=1e-9).fit(X, y)
        machine = path.machine(C)
        assert_allclose(machine.decision_function(X), fitted.decision_function(X), atol=1e-6)
        assert (machine.predict(X) == fitted.predict(X)).all()
        assert machine.report_.check()
        assert machine.report_["optimality gap"].check((X, y))
        assert machine.get_params() == fitted.set_params(tol=1e-3).get_params()


def test_norms_grow_and_losses_fall_along_the_path() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(50, 2))
    y = np.where(X[:, 0] + rng.normal(size=50) > 0, 1, -1)
    path = svm_path(X, y, kernel="linear")
    weights = (path.alphas * y) @ X
    losses = np.maximum(0.0, 1.0 - y * (weights @ X.T + path.intercepts[:, None])).sum(axis=1)
    assert (np.diff((weights**2).sum(axis=1)) > -1e-10).all()
    assert (np.diff(losses[1:]) < 1e-9).all()


def test_separable_rows_end_at_the_hard_margin() -> None:
    X = np.array([[1.0, 1.0], [2.0, 2.0], [2.0, 0.0], [0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    path = svm_path(X, [1, 1, 1, -1, -1, -1], kernel="linear")
    assert path.rates is not None
    assert_allclose(path.rates[0], 0.0, atol=1e-12)
    assert_allclose(path.machine(1e6).coef_, [[2.0, 2.0]], rtol=1e-9)
    assert_allclose(path.machine(1e6).intercept_, [-3.0], rtol=1e-9)


def test_given_sparse_and_computed_kernels_give_the_same_path() -> None:
    X, y, _ = problem(7)
    X[np.abs(X) < 0.5] = 0.0
    dense = svm_path(X, y, kernel="linear", C_max=10.0)
    for other in (
        svm_path(X @ X.T, y, kernel="precomputed", C_max=10.0),
        svm_path(sparse.csr_array(X), y, kernel="linear", C_max=10.0),
        svm_path(X, y, kernel=lambda a, b: np.asarray(a) @ np.asarray(b).T, C_max=10.0),
    ):
        assert_allclose(other.at(3.0)[0], dense.at(3.0)[0], atol=1e-8)


def test_certificate_is_confirmed_or_refuted_by_data() -> None:
    X, y, params = problem(3)
    certificate = svm_path(X, y, C_max=100.0, **params).report[0]
    assert certificate.check((X, y, params["sample_weight"]))
    with pytest.raises(CertificateError, match=r"at C = .* the gap is|do not fit these data"):
        certificate.check((2.0 * X, y, params["sample_weight"]))
    with pytest.raises(CertificateError, match="states"):
        replace(certificate, value=certificate.value / 2).check()


def test_an_unresolved_breakpoint_is_left_to_the_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    plain, failed = PathFollower._next, []

    def fails_once(self: PathFollower, first: bool) -> Any:
        if self.C > 0.5 and not failed:
            failed.append(self.C)
            raise DegenerateError
        return plain(self, first)

    monkeypatch.setattr(path_follower.PathFollower, "_next", fails_once)
    rng = np.random.default_rng(2)
    X = rng.normal(size=(60, 2))
    y = np.where(X[:, 0] + rng.normal(size=60) > 0, 1, -1)
    path = svm_path(X, y, gamma=0.5, C_max=50.0)
    assert len(path.restarts) == 1
    assert path.complete
    params = {"kernel": "rbf", "sample_weight": None, "fit_intercept": True}
    for C in (0.3, failed[0] * 1.0002, 5.0):
        assert relative_gap(X, y, params, C, *path.at(C)) <= path.report[0].value


def test_bad_input_is_named() -> None:
    X, y, _ = problem(0)
    with pytest.raises(ValueError, match="svm_path is for two classes, y has 3"):
        svm_path(X, np.arange(len(X)) % 3)
    with pytest.raises(ValueError, match="positive semi-definite"):
        svm_path(X, y, kernel="sigmoid")
    with pytest.raises(ValueError, match="'C_max' parameter of svm_path must be above 0"):
        svm_path(X, y, C_max=0.0)
    with pytest.raises(ValueError, match="'degree' parameter of svm_path"):
        svm_path(X, y, degree=-1)
    with pytest.raises(ValueError, match="within the path, that is at most 2"):
        svm_path(X, y, C_max=2.0).at(3.0)
