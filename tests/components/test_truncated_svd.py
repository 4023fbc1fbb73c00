"""Singular vectors without centering, and the block Krylov space behind them."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.utils.extmath import randomized_svd as subspace_iteration

from certus.components import TruncatedSVD, randomized_svd
from certus.components.solvers.null_directions import axes_outside
from certus.components.solvers.row_products import RowProducts, in_order


def slow_spectrum(rows: int, columns: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(rows, columns)) * np.linspace(1.3, 1.0, columns)


@pytest.mark.parametrize("shape", [(500, 300), (300, 500)])
def test_krylov_space_is_far_closer_than_subspace_iteration_at_equal_products(shape: tuple[int, int]) -> None:
    for seed in range(3):
        table = slow_spectrum(*shape, seed)
        exact = np.linalg.svd(table, compute_uv=False)[:10]
        _, ours, _ = randomized_svd(table, 10, n_iter=4, random_state=seed)
        _, theirs, _ = subspace_iteration(table, 10, n_iter=4, random_state=seed)
        assert (ours <= exact + 1e-9).all()  # both approach from below
        assert np.abs(ours - exact).sum() < 0.4 * np.abs(theirs - exact).sum()


@pytest.mark.parametrize("shape", [(60, 25), (25, 60), (5, 5), (1, 4), (4, 1)])
def test_factors_are_orthonormal_and_multiply_to_the_best_approximation(shape: tuple[int, int]) -> None:
    table = np.random.default_rng(0).normal(size=shape)
    count = min(3, *shape)
    u, s, vh = randomized_svd(table, 3, random_state=0)
    assert_allclose(u.T @ u, np.eye(count), atol=1e-12)
    assert_allclose(vh @ vh.T, np.eye(count), atol=1e-12)
    exact = np.linalg.svd(table, compute_uv=False)
    assert_allclose(s, exact[:count])
    assert np.linalg.norm(table - (u * s) @ vh) ** 2 == pytest.approx((exact[count:] ** 2).sum(), abs=1e-12)
    assert (u[np.abs(u).argmax(axis=0), np.arange(count)] > 0).all()


def test_rank_below_the_number_of_components() -> None:
    u, s, vh = randomized_svd(np.outer(np.arange(1.0, 7.0), np.ones(5)), 3, random_state=0)
    assert_allclose(s, [np.sqrt(91 * 5), 0, 0], atol=1e-7)
    assert_allclose(u.T @ u, np.eye(3), atol=1e-10)
    assert_allclose(vh @ vh.T, np.eye(3), atol=1e-10)


@pytest.mark.parametrize("algorithm", ["arpack", "randomized"])
@pytest.mark.parametrize("scale", [1e-150, 1.0, 1e150])
def test_interval_contains_the_exact_share(algorithm: str, scale: float) -> None:
    table = slow_spectrum(120, 90, 3)
    table = table / np.abs(table).max() * scale
    share = np.linalg.svd(table / scale, compute_uv=False) ** 2
    model = TruncatedSVD(4, algorithm=algorithm, n_iter=0, random_state=0).fit(table)
    found = model.report_["explained share of the squares"]
    low, high = found.value  # type: ignore[misc]
    assert low <= share[:4].sum() / share.sum() <= high
    assert (high - low < 1e-9) == (algorithm == "arpack")
    assert found.check(table)
    assert_allclose(np.linalg.norm(model.transform(table) / scale, axis=0), model.singular_values_ / scale)


def test_weights_are_repetitions() -> None:
    rng = np.random.default_rng(4)
    table, times = rng.normal(size=(50, 8)) + 1.0, rng.integers(0, 4, 50)
    weighted = TruncatedSVD(3, random_state=0).fit(table, sample_weight=times)
    repeated = TruncatedSVD(3, random_state=0).fit(np.repeat(table, times, axis=0))
    for name in ("components_", "explained_variance_", "explained_variance_ratio_", "singular_values_"):
        assert_allclose(getattr(weighted, name), getattr(repeated, name))
    assert weighted.report_["explained share of the squares"].check((table, times))


def test_sparse_tables_are_dense_ones() -> None:
    table = sparse.random_array((300, 500), density=0.05, rng=np.random.default_rng(5), format="csc")
    ours = TruncatedSVD(5, random_state=0).fit(table)
    dense = TruncatedSVD(5, random_state=0).fit(table.toarray())
    assert_allclose(ours.components_, dense.components_, atol=1e-9)
    assert_allclose(ours.explained_variance_ratio_, dense.explained_variance_ratio_)
    assert_allclose(ours.transform(table), dense.transform(table.toarray()), atol=1e-9)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("centered", [False, True])
@pytest.mark.parametrize("shape", [(90, 40), (40, 90)])
def test_products_are_those_of_the_whole_matrix(form, weighted: bool, centered: bool, shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(6)
    table = sparse.random_array(shape, density=0.3, rng=rng).toarray()
    weights = rng.uniform(0.5, 3.0, shape[0]) if weighted else None
    roots = np.ones(shape[0]) if weights is None else np.sqrt(weights)
    mean = np.average(table, axis=0, weights=weights) if centered else 0.0
    whole = (table - mean) * roots[:, None]
    products = RowProducts(form(table), weights, centered=centered, threads=2)
    right, left = rng.normal(size=(shape[1], 3)), rng.normal(size=(shape[0], 3))
    assert_allclose(products.whole(), whole, atol=1e-12)
    assert_allclose(products.scatter(), whole.T @ whole, atol=1e-11)
    assert_allclose(products.gram(), whole @ whole.T, atol=1e-11)
    assert_allclose(products.times(right), whole @ right, atol=1e-11)
    assert_allclose(products.transposed_times(left), whole.T @ left, atol=1e-11)
    assert products.trace() == pytest.approx((whole**2).sum())
    if shape[0] > shape[1]:
        triangle = products.triangle()
        assert_allclose(triangle.T @ triangle, whole.T @ whole, atol=1e-11)


def test_blocks_come_in_order_whatever_the_threads() -> None:
    for threads in (1, 2, 5):
        assert list(in_order(lambda x: x * x, range(40), threads)) == [x * x for x in range(40)]


def test_axes_outside_a_span_depend_on_the_span_alone() -> None:
    rng = np.random.default_rng(7)
    for width, known in ((6, 2), (6, 5), (3, 0), (9, 4)):
        span = np.linalg.qr(rng.normal(size=(width, known)))[0].T
        turned = np.linalg.qr(rng.normal(size=(known, known)))[0] @ span if known else span
        found = axes_outside(span, width - known)
        assert_allclose(found @ found.T, np.eye(width - known), atol=1e-12)
        assert_allclose(found @ span.T, 0.0, atol=1e-12)
        assert_allclose(axes_outside(turned, width - known), found, atol=1e-10)


def test_refusals_and_empty_tables() -> None:
    with pytest.raises(ValueError, match="must be <= n_features"):
        TruncatedSVD(5).fit(np.ones((9, 4)))
    with pytest.raises(ValueError, match="less than min"):
        TruncatedSVD(4, algorithm="arpack").fit(np.ones((9, 4)))
    with pytest.raises(ValueError, match="n_components"):
        randomized_svd(np.ones((3, 3)), 0)
    model = TruncatedSVD(2).fit(np.zeros((4, 3)))
    assert not model.report_
    assert not model.singular_values_.any()
