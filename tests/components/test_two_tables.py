"""Learners of two tables: directions are those of the definitions, predictions those of least squares, tests exact."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import linalg
from sklearn import cross_decomposition as namesakes
from sklearn.linear_model import LinearRegression

from certus import components
from certus.components import CCA, PLSSVD, PLSCanonical, PLSRegression, canonical_test
from certus.guarantees import CertificateError

LEARNERS = (PLSRegression, PLSCanonical, CCA, PLSSVD)
PARTS = ("x_weights_", "y_weights_", "x_loadings_", "y_loadings_", "x_rotations_", "y_rotations_", "coef_")


def tables(seed: int = 0, rows: int = 60, width: int = 5, targets: int = 3) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, width)) @ rng.normal(size=(width, width)) + 3.0
    return X, X[:, :targets] + rng.normal(size=(rows, targets)) @ rng.normal(size=(targets, targets)) * 3.0


@pytest.mark.parametrize("name", ["PLSRegression", "PLSCanonical", "CCA", "PLSSVD"])
@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("scale", [True, False])
def test_parts_are_those_of_the_namesake_when_it_has_converged(name: str, count: int, scale: bool) -> None:
    X, Y = tables()
    exact = {} if name == "PLSSVD" else {"tol": 1e-18, "max_iter": 100_000}
    ours = getattr(components, name)(count, scale=scale).fit(X, Y)
    theirs = getattr(namesakes, name)(count, scale=scale, **exact).fit(X, Y)
    for part in PARTS:
        if hasattr(theirs, part):
            assert_allclose(getattr(ours, part), getattr(theirs, part), atol=1e-6, err_msg=part)
    for one, other in zip(ours.transform(X, Y), theirs.transform(X, Y), strict=True):
        assert_allclose(one, other, atol=1e-6)


def test_directions_maximize_covariance_and_correlation() -> None:
    X, Y = tables(1)
    A, B = X - X.mean(axis=0), Y - Y.mean(axis=0)
    pls, cca = PLSSVD(1, scale=False).fit(X, Y), CCA(1, scale=False).fit(X, Y)
    u, v = pls.transform(X, Y)
    assert_allclose(u[:, 0] @ v[:, 0], np.linalg.svd(A.T @ B)[1][0], rtol=1e-10)
    s, t = cca.transform(X, Y)
    assert_allclose(np.corrcoef(s[:, 0], t[:, 0])[0, 1], cca.correlations_[0], rtol=1e-10)
    best = 0.0
    for draw in np.random.default_rng(0).normal(size=(2000, 8)):
        w, z = A @ draw[:5], B @ draw[5:]
        best = max(best, abs(w @ z) / np.linalg.norm(w) / np.linalg.norm(z))
    assert best <= cca.correlations_[0]


@pytest.mark.parametrize("tau", [0.0, 0.3, 1.0])
def test_correlations_are_the_eigenvalues_of_the_definition(tau: float) -> None:
    X, Y = tables(2)
    A, B = X - X.mean(axis=0), Y - Y.mean(axis=0)
    n = len(X)
    xx, yy, xy = A.T @ A / n, B.T @ B / n, A.T @ B / n
    xx, yy = (1 - tau) * xx + tau * np.eye(5), (1 - tau) * yy + tau * np.eye(3)
    squares = linalg.eigh(xy @ np.linalg.solve(yy, xy.T), xx)[0][::-1][:3]
    found = CCA(3, scale=False, tau=tau).fit(X, Y)
    capped = np.minimum(np.sqrt(squares), 1.0)
    assert_allclose(found.correlations_, capped, rtol=1e-8)
    w = found.x_rotations_
    assert_allclose(xy @ np.linalg.solve(yy, xy.T) @ w, xx @ w * squares, atol=1e-8 * squares.max())


def test_full_rank_pls_is_least_squares() -> None:
    X, Y = tables(3)
    assert_allclose(PLSRegression(5).fit(X, Y).predict(X), LinearRegression().fit(X, Y).predict(X), rtol=1e-8)
    assert_allclose(
        PLSRegression(5).fit(X, Y[:, 0]).predict(X), LinearRegression().fit(X, Y[:, 0]).predict(X), rtol=1e-8
    )


def test_scores_are_uncorrelated_and_shares_add_up() -> None:
    X, Y = tables(4)
    model = PLSRegression(5, scale=False).fit(X, Y)
    T = model.transform(X)
    gram = T.T @ T
    assert_allclose(gram, np.diag(np.diag(gram)), atol=1e-8 * gram.max())
    assert_allclose(model.explained_variance_ratio_x_.sum(), 1.0)
    residual = ((Y - model.predict(X)) ** 2).sum() / ((Y - Y.mean(axis=0)) ** 2).sum()
    assert_allclose(model.explained_variance_ratio_y_.sum(), 1.0 - residual)
    canonical = CCA(3).fit(X, Y)
    assert_allclose(canonical.explained_variance_ratio_y_.sum(), 1.0)
    assert (np.diff(canonical.correlations_) <= 0.0).all()


@pytest.mark.parametrize("learner", LEARNERS)
def test_weights_are_repetitions(learner: type) -> None:
    X, Y = tables(5)
    weights = np.random.default_rng(5).integers(0, 3, len(X))
    one = learner(2).fit(X, Y, sample_weight=weights)
    other = learner(2).fit(np.repeat(X, weights, axis=0), np.repeat(Y, weights, axis=0))
    for part, expected in zip(one.transform(X, Y), other.transform(X, Y), strict=True):
        assert_allclose(part, expected, atol=1e-8)


def test_collinear_columns_and_equal_correlations() -> None:
    X, Y = tables(6)
    wide = np.hstack([X, X[:, :2]])
    model = CCA(3).fit(wide, Y)
    assert_allclose(model.correlations_, CCA(3).fit(X, Y).correlations_, rtol=1e-8)
    assert_allclose(CCA(2).fit(X[:4], Y[:4]).correlations_, 1.0)  # fewer rows than columns
    with pytest.warns(UserWarning, match="constant at iteration 1"):
        exhausted = PLSRegression(2).fit(X[:, [0, 0]], Y)
    assert_allclose(exhausted.predict(X[:, [0, 0]]), PLSRegression(1).fit(X[:, :1], Y).predict(X[:, :1]))


@pytest.mark.parametrize("scale", [1e-150, 1.0, 1e148])
def test_scales(scale: float) -> None:
    X, Y = tables(7)
    small = CCA(2).fit(X * scale, Y * scale)
    assert_allclose(small.correlations_, CCA(2).fit(X, Y).correlations_, rtol=1e-9)
    assert_allclose(
        PLSRegression(2).fit(X * scale, Y).predict(X * scale), PLSRegression(2).fit(X, Y).predict(X), rtol=1e-9
    )


def test_p_values_are_exact() -> None:
    rng = np.random.default_rng(8)
    found = []
    for _ in range(400):
        X = rng.standard_t(2, size=(12, 2))
        found.append(
            canonical_test(X, rng.exponential(size=(12, 2)), permutations=19, seed=int(rng.integers(10**6))).pvalue
        )
    for level in (0.05, 0.1, 0.3, 0.5):
        share = np.mean(np.array(found) <= level + 1e-12)
        assert abs(share - level) <= 4 * np.sqrt(level * (1 - level) / 400)


def test_the_statistic_is_pillais_trace_and_all_orders_give_its_law() -> None:
    X, Y = tables(9, rows=5, width=2, targets=1)
    result = canonical_test(X, Y, permutations=4999)
    assert_allclose(result.trace, (CCA(1).fit(X, Y).correlations_ ** 2).sum())
    traces = [(CCA(1).fit(X, Y[list(order)]).correlations_ ** 2).sum() for order in itertools.permutations(range(5))]
    exact = np.mean(np.array(traces) >= result.trace - 1e-9)
    assert abs(result.pvalue - exact) <= 4 * np.sqrt(exact * (1 - exact) / 5000) + 1 / 5000


def test_the_certificate_is_checked_on_the_tables() -> None:
    X, Y = tables(10)
    certificate = canonical_test(X, Y, permutations=99).report["p-value of no relation"]
    assert certificate.value == 0.01
    assert certificate.check((X, Y))
    with pytest.raises(CertificateError):
        certificate.check((X, Y[::-1]))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda X, Y: CCA(tau=1.5).fit(X, Y), "tau"),
        (lambda X, Y: CCA(4).fit(X, Y), "upper bound is 3"),
        (lambda X, Y: PLSRegression(6).fit(X, Y), "upper bound is 5"),
        (lambda X, Y: PLSSVD().fit(X, Y[:9]), "inconsistent"),
        (lambda X, Y: PLSSVD().fit(X, Y).transform(X, Y[:, :2]), "y must have 3 columns"),
        (lambda X, Y: canonical_test(X, Y[:9]), "inconsistent"),
        (lambda X, Y: canonical_test(X, Y, permutations=0), "permutations"),
    ],
)
def test_refusals(call: object, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call(*tables())
