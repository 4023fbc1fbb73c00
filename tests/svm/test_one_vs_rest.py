"""One machine per class against the rest: the same binary problems as SVC has, solved together."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from certus.svm import SVC, OneVsRestSVC


def three_classes(rows: int = 120, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, rows)
    return rng.normal(size=(rows, 4)) + 1.5 * np.eye(3, 4)[codes], np.array(["a", "b", "c"])[codes]


@pytest.mark.parametrize("cache_size", [200, 0.01])  # all kernel values at once, or each problem its own rows
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_every_class_is_solved_like_a_binary_machine(kernel: str, fit_intercept: bool, cache_size: float) -> None:
    X, y = three_classes()
    weights = np.random.default_rng(1).choice([0.0, 1.0, 3.0], len(y))
    params = {"kernel": kernel, "gamma": 0.3, "fit_intercept": fit_intercept, "tol": 1e-8}
    machine = OneVsRestSVC(cache_size=cache_size, **params).fit(X, y, sample_weight=weights)
    values = machine.decision_function(X)
    for place, label in enumerate(machine.classes_):
        alone = SVC(**params).fit(X, y == label, sample_weight=weights)
        assert_allclose(values[:, place], alone.decision_function(X), atol=1e-6)
    assert (machine.predict(X) == machine.classes_[values.argmax(axis=1)]).all()
    assert machine.report_["optimality gap"].check((X, y, weights))
    if kernel == "linear":
        assert_allclose(values, X @ machine.coef_.T + machine.intercept_, atol=1e-9)


def test_two_classes_are_one_problem() -> None:
    X, y = three_classes()
    y = np.where(y == "a", "a", "b")
    machine, pair = OneVsRestSVC(gamma=0.3).fit(X, y), SVC(gamma=0.3).fit(X, y)
    assert_allclose(machine.decision_function(X), pair.decision_function(X), atol=1e-7)
    assert machine.dual_coef_.shape[0] == 1
    assert machine.report_.quantities == pair.report_.quantities


def test_sparse_rows_give_the_same() -> None:
    X, y = three_classes()
    X[np.abs(X) < 0.7] = 0.0
    dense, thin = OneVsRestSVC().fit(X, y), OneVsRestSVC().fit(sparse.csr_array(X), y)
    assert_allclose(thin.decision_function(sparse.csr_array(X)), dense.decision_function(X), atol=1e-6)


def test_labels_that_are_certain_are_those_of_the_optimum() -> None:
    X, y = three_classes(200)
    exact = OneVsRestSVC(gamma=0.3, tol=1e-9).fit(X, y)
    with pytest.warns(ConvergenceWarning, match="terminated early"):
        rough = OneVsRestSVC(gamma=0.3, max_iter=60).fit(X, y)
    certain = rough.report_["labels of the exact optimum"].value
    assert (rough.predict(X) == exact.predict(X)).sum() >= certain
    assert exact.report_["labels of the exact optimum"].value == len(X)


def test_hard_margins_name_the_class_that_overlaps() -> None:
    X, y = three_classes()
    with pytest.warns(ConvergenceWarning, match="No function meets"):
        machine = OneVsRestSVC(kernel="linear", C=np.inf).fit(X, y)
    assert any("separates the class 'b' from all others" in certificate.claim for certificate in machine.report_)
    assert machine.report_.check((X, y))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert OneVsRestSVC(gamma=5.0, C=np.inf).fit(X, y).score(X, y) == 1.0
