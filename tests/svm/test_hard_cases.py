"""Inputs on which other solvers hang or answer wrongly."""

from __future__ import annotations

import time

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import ConvergenceWarning

from certus.svm import SVC, SVR, NuSVC, OneClassSVM, OneVsRestSVC


def labeled(rows: int = 60, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 3))
    return X, (X[:, 0] + rng.normal(size=rows) > 0).astype(int)


LIMIT = 3_000_000  # pair steps that no fit exceeds by itself


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_unscaled_columns_and_a_huge_cost_end(kernel: str, recwarn: pytest.WarningsRecorder) -> None:
    X, y = labeled(200)
    X = X * [1.0, 1e4, 1e7] + [0.0, 1e5, 1e8]
    machine = SVC(kernel=kernel, C=1e12 if kernel == "linear" else 1e6).fit(X, y)
    assert machine.n_iter_[0] <= LIMIT
    assert np.isfinite(machine.decision_function(X)).all()
    if not machine.converged_:
        assert "duality gap is" in str(recwarn.pop(ConvergenceWarning).message)


@pytest.mark.parametrize(("kernel", "C"), [("linear", 1.0), ("linear", 1e12), ("rbf", 1e12), ("poly", 1e12)])
def test_a_table_as_it_is_needs_few_steps(kernel: str, C: float) -> None:
    X, y = load_breast_cancer(return_X_y=True)  # columns from 1e-3 to 4e3; pair steps alone need many millions
    machine = SVC(kernel=kernel, C=C).fit(X, y)
    assert machine.converged_
    assert machine.n_iter_[0] <= 50_000
    assert C == 1.0 or (machine.predict(X) == y).all()  # with room enough the classes can be separated
    assert machine.report_.check()


def test_a_large_cost_is_solved_to_a_small_gap() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 8))
    y = X[:, 0] + np.sin(2.0 * X[:, 1]) + 0.5 * rng.normal(size=400) > 0
    machine = SVC(C=1e4, gamma=0.01, tol=1e-6).fit(X, y)
    assert machine.converged_
    assert machine.n_iter_[0] <= 200_000
    assert machine.report_["optimality gap"].value <= 1e-6 * 1e4 * 400


def test_cost_of_zero_and_gamma_of_zero() -> None:
    X, y = labeled()
    with pytest.raises(ValueError, match="'C' parameter of SVC must be a float in the range"):
        SVC(C=0).fit(X, y)
    machine = SVC(gamma=0.0).fit(X, y)  # all rows look alike: the larger class wins
    assert set(machine.predict(X)) == {np.bincount(y).argmax()}


def test_all_points_equal() -> None:
    X, y = np.ones((30, 2)), np.repeat([0, 1], [20, 10])
    assert set(SVC().fit(X, y).predict(X)) == {0}
    assert_allclose(SVR().fit(X, np.full(30, 7.0)).predict(X), 7.0, atol=0.11)
    assert set(OneClassSVM().fit(X).predict(X)) <= {-1, 1}
    with pytest.warns(ConvergenceWarning, match="margin between two classes is zero"):
        machine = NuSVC(nu=0.3).fit(X, y)
    assert len(set(machine.predict(X))) == 1


def test_infeasible_nu_is_named() -> None:
    X, _ = labeled()
    with pytest.raises(ValueError, match=r"specified nu is infeasible.*\n*Hint: use a smaller nu"):
        NuSVC(nu=0.9).fit(X, np.repeat([0, 1], [50, 10]))


def test_kernels_of_the_wrong_shape() -> None:
    X, y = labeled()
    with pytest.raises(ValueError, match="Input is a 60x3 matrix"):
        SVC(kernel="precomputed").fit(X, y)
    with pytest.raises(ValueError, match=r"shape \(60, 60\).*Got shape \(60, 3\)"):
        SVC(kernel=lambda a, _: a).fit(X, y)
    with pytest.raises(ValueError, match="returned nan for rows 0 and 0; it must be finite"):
        SVC(kernel=lambda a, b: np.full((len(a), len(b)), np.nan)).fit(X, y)


def test_a_kernel_that_is_not_positive_gets_no_gap_certificate() -> None:
    X, y = labeled()
    indefinite = SVC(kernel=lambda a, b: -np.asarray(a) @ np.asarray(b).T, C=0.5).fit(X, y)
    assert "optimality gap" not in [certificate.quantity for certificate in indefinite.report_]
    positive = SVC(kernel=lambda a, b: np.asarray(a) @ np.asarray(b).T).fit(X, y)
    assert "optimality gap" in [certificate.quantity for certificate in positive.report_]
    assert "optimality gap" not in [c.quantity for c in SVC(kernel="sigmoid").fit(X, y).report_]


def test_limit_on_steps_is_told_with_the_gap() -> None:
    X, y = labeled()
    with pytest.warns(ConvergenceWarning, match=r"terminated early \(max_iter=3\).*duality gap is"):
        machine = SVC(max_iter=3).fit(X, y)
    assert machine.n_iter_ == [3]
    assert not machine.converged_
    assert machine.gap_ > 1e-3


def test_weight_zero_of_a_class() -> None:
    X, _ = labeled()
    y = np.arange(60) % 3
    with pytest.raises(ValueError, match="All rows of class 2 have weight zero"):
        SVC().fit(X, y, sample_weight=(y < 2).astype(float))


def test_a_kernel_that_is_not_symmetric_is_refused() -> None:
    X, y = labeled()
    with pytest.raises(
        ValueError, match=r"kernel matrix of SVC must be symmetric: for rows \d+ and \d+ it has.*\nHint"
    ):
        SVC(kernel=lambda a, b: np.asarray(a) @ np.triu(np.ones((3, 3))) @ np.asarray(b).T).fit(X, y)
    gram = X @ X.T
    gram[3, 5] += 1.0
    with pytest.raises(ValueError, match="kernel matrix of SVR must be symmetric"):
        SVR(kernel="precomputed").fit(gram, y)


def test_one_class_is_refused() -> None:
    X, _ = labeled()
    for learner in (SVC, NuSVC, OneVsRestSVC):
        with pytest.raises(ValueError, match="data contains only one class"):
            learner().fit(X, np.zeros(60))


@pytest.mark.parametrize("learner", [SVC, SVR, OneVsRestSVC])
@pytest.mark.parametrize("table", ["zero", "equal", "unscaled", "indefinite"])
def test_hard_margins_end_on_tables_that_allow_none(learner: type, table: str) -> None:
    X, y = labeled(100)
    X = {"zero": np.zeros_like(X), "equal": np.ones_like(X), "unscaled": X * [1e-3, 1.0, 1e6], "indefinite": X}[table]
    kernel = "sigmoid" if table == "indefinite" else "linear"
    began = time.perf_counter()
    with pytest.warns(ConvergenceWarning, match="meets all constraints"):
        machine = learner(kernel=kernel, C=np.inf).fit(X, y)
    assert time.perf_counter() - began < 20
    assert np.isfinite(machine.predict(X)).all()
    assert machine.report_.check()


def test_lists_of_any_objects_with_a_function_of_them() -> None:
    def common_letters(left: list[str], right: list[str]) -> np.ndarray:
        return np.array([[float(len(set(a) & set(b))) for b in right] for a in left])

    words, labels = ["aab", "abc", "bba", "xyz", "zzy", "xxz"], [0, 0, 0, 1, 1, 1]
    machine = SVC(kernel=common_letters).fit(words, labels)
    assert machine.predict(["cab", "yyx"]).tolist() == [0, 1]
    assert OneVsRestSVC(kernel=common_letters).fit(words, labels).predict(["cab"]).tolist() == [0]
    assert_allclose(
        SVR(kernel=common_letters, epsilon=0.01, C=100.0).fit(words, labels).predict(words), labels, atol=0.02
    )
