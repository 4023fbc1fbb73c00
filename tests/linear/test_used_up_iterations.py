"""What ends iterations early is told truly: singular Hessians hand over, used-up sweeps warn, both with their gap."""

import warnings

import numpy as np
import pytest
from scipy.linalg import LinAlgWarning
from sklearn.exceptions import ConvergenceWarning

from certus.linear import Lasso, LogisticRegression


def copied_columns(rows: int = 40) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, 3))
    y = (X[:, 0] + 2.0 * rng.normal(size=rows) > 0).astype(int)
    return np.hstack([X, X]), y


def test_singular_start_falls_back_to_the_result_of_lbfgs() -> None:
    X, y = copied_columns()
    plain = LogisticRegression(C=np.inf).fit(X, y)
    with pytest.warns(LinAlgWarning, match="solver='lbfgs' is used instead"):
        fallen = LogisticRegression(C=np.inf, solver="newton-cholesky").fit(X, y)
    np.testing.assert_array_equal(fallen.coef_, plain.coef_)
    assert fallen.gap_ == plain.gap_
    assert fallen.converged_
    assert fallen.report_[0].check((X, y))


def test_regular_start_warns_of_nothing() -> None:
    X, y = copied_columns()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = LogisticRegression(C=np.inf, solver="newton-cholesky").fit(X[:, :3], y)
    assert model.converged_


def test_fallback_counts_as_an_iteration() -> None:
    X, y = copied_columns()
    learner = LogisticRegression(C=np.inf, solver="newton-cholesky", max_iter=2)
    with (
        pytest.warns(LinAlgWarning, match="counts as one of the max_iter"),
        pytest.warns(ConvergenceWarning, match=r"lbfgs failed to converge after 1 iteration\(s\) \(max_iter=2\)"),
    ):
        learner.fit(X, y)
    assert learner.n_iter_[0] == 1
    assert not learner.converged_


@pytest.mark.parametrize("precompute", [False, True])
def test_one_sweep_is_not_followed_by_an_exact_solution(precompute: bool) -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(50, 8)) + rng.normal(size=(50, 1))
    y = X @ np.arange(8.0)
    learner = Lasso(alpha=1e-6, max_iter=1, precompute=precompute)
    with pytest.warns(ConvergenceWarning, match="Objective did not converge"):
        learner.fit(X, y)
    assert learner.n_iter_ == 1
    learner.set_params(max_iter=1000).fit(X, y)
    assert learner.converged_
    assert learner.gap_ <= 1e-4 * np.var(y)
