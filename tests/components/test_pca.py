"""Principal components: exact intervals for what they explain, and everything a covariance matrix says of them."""

from __future__ import annotations

import dataclasses
import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.datasets import load_digits, load_iris

from certus.components import PCA
from certus.components.evidence.explained_share import most
from certus.components.solvers.row_products import RowProducts
from certus.geometry import deflate
from certus.guarantees import CertificateError
from tests.components.hostile_tables import exact_shares, hostile_tables

SOLVERS = ("auto", "full", "covariance_eigh", "arpack", "randomized")
TABLES = hostile_tables()


@pytest.mark.parametrize("name", TABLES)
def test_interval_contains_the_exact_share_for_every_solver(name: str) -> None:
    table = TABLES[name]
    for count, exact in enumerate(exact_shares(table)[:3], start=1):
        for solver in SOLVERS:
            model = PCA(count, svd_solver=solver, random_state=0).fit(table)
            found = model.report_["explained variance ratio"]
            low, high = found.value  # type: ignore[misc]
            assert low <= exact <= high, (solver, count)
            assert high - low < 1e-7, (solver, count)
            assert found.check(table)
            assert model.report_["sine of the angle of a determined direction"].check(table)


def test_directions_that_did_not_converge_get_a_wide_interval_that_holds() -> None:
    rng = np.random.default_rng(0)
    table = rng.normal(size=(300, 200)) * np.linspace(1.0, 1.2, 200)
    exact = np.linalg.svd(table - table.mean(axis=0), compute_uv=False)[:5] ** 2
    share = exact.sum() / ((table - table.mean(axis=0)) ** 2).sum()
    model = PCA(5, svd_solver="randomized", iterated_power=1, n_oversamples=2, random_state=0).fit(table)
    low, high = model.report_["explained variance ratio"].value  # type: ignore[misc]
    assert low < share < high
    assert high - low > 1e-4  # it is not exact, and says so
    assert (model.direction_sines_ == 1.0).any()


def test_sines_bound_the_true_angles() -> None:
    rng = np.random.default_rng(1)
    table = rng.normal(size=(400, 30)) * np.linspace(3.0, 1.0, 30)
    exact = np.linalg.svd(table - table.mean(axis=0), full_matrices=False)[2]
    for steps in (1, 2, 4):
        model = PCA(2, svd_solver="randomized", iterated_power=steps, n_oversamples=3, random_state=2).fit(table)
        cosines = np.abs((model.components_ * exact[:2]).sum(axis=1))
        assert (np.sqrt(np.maximum(0.0, 1.0 - cosines**2)) <= model.direction_sines_ + 1e-7).all()
    assert (PCA(3).fit(TABLES["equal"]).direction_sines_ == 1.0).all()


def test_upper_bound_is_the_best_over_all_cuts() -> None:
    rng = np.random.default_rng(2)
    for _ in range(50):
        values, rest, outside = rng.uniform(0, 2, 4), rng.uniform(0, 2), rng.uniform(0, 0.5)
        cuts = rest + np.geomspace(1e-6, 10, 4000)
        best = (4 * cuts + np.maximum(values[:, None] - cuts, 0).sum(axis=0) + outside**2 / (cuts - rest)).min()
        assert best - 1e-3 <= most(values, outside, 0.0, rest) <= best + 1e-3


@pytest.mark.parametrize("field", ["trace", "values"])
def test_forged_certificates_are_found(field: str) -> None:
    table = TABLES["plain"]
    found = PCA(2).fit(table).report_["explained variance ratio"]
    witness = dict(found.witness)
    witness[field] = [value * 0.5 for value in witness[field]] if field == "values" else witness[field] * 0.5
    with pytest.raises(CertificateError):
        dataclasses.replace(found, witness=witness).check()
    with pytest.raises(CertificateError):
        found.check(table * np.array([1, 1, 1, 1, 1, 9.0]))
    with pytest.raises(CertificateError, match="about 40 rows"):
        found.check(table[:-1])


def test_eigenvalue_is_variance_and_coordinates_are_uncorrelated() -> None:
    table = np.random.default_rng(3).normal(size=(60, 5)) @ np.diag([3.0, 2, 2, 1, 0.1])
    model = PCA().fit(table)
    coordinates = model.transform(table)
    covariance = coordinates.T @ coordinates / 60  # with 1/n; scikit-learn's explained_variance_ has 1/(n - 1)
    assert_allclose(covariance - np.diag(np.diag(covariance)), 0.0, atol=1e-12)
    assert_allclose(np.diag(covariance), model.explained_variance_ * 59 / 60)
    assert_allclose(coordinates.mean(axis=0), 0.0, atol=1e-12)
    assert_allclose(model.inverse_transform(coordinates), table)


def test_first_component_has_the_largest_variance() -> None:
    rng = np.random.default_rng(4)
    table = rng.normal(size=(50, 4)) @ rng.normal(size=(4, 4))
    best = float((PCA(1).fit_transform(table) ** 2).sum())
    for direction in rng.normal(size=(500, 4)):
        scores = (table - table.mean(axis=0)) @ direction / np.linalg.norm(direction)
        assert (scores**2).sum() <= best * (1 + 1e-12)


def test_deflation_gives_the_second_component_on_the_complement_and_the_first_on_the_span() -> None:
    rng = np.random.default_rng(5)
    table = rng.normal(size=(50, 4)) @ np.diag([3.0, 2.0, 1.0, 0.5])
    first, second = PCA(2).fit(table).components_
    centered = table - table.mean(axis=0)
    outside, inside = centered - np.outer(centered @ first, first), np.outer(centered @ first, first)
    assert_allclose(PCA(1).fit(outside).components_[0], second, atol=1e-8)
    assert_allclose(PCA(1).fit(inside).components_[0], first, atol=1e-8)
    scatter = centered.T @ centered
    left = deflate(scatter, first @ scatter @ first, first)
    assert_allclose(abs(np.linalg.eigh(left)[1][:, -1] @ second), 1.0)


@pytest.mark.parametrize("solver", SOLVERS)
def test_weights_are_repetitions(solver: str) -> None:
    rng = np.random.default_rng(6)
    table, times = rng.normal(size=(70, 6)) * np.arange(1, 7), rng.integers(0, 4, 70)
    weighted = PCA(3, svd_solver=solver, random_state=0).fit(table, sample_weight=times)
    repeated = PCA(3, svd_solver=solver, random_state=0).fit(np.repeat(table, times, axis=0))
    for name in ("components_", "explained_variance_", "explained_variance_ratio_", "mean_", "singular_values_"):
        assert_allclose(getattr(weighted, name), getattr(repeated, name), atol=1e-10)
    assert weighted.n_samples_ == repeated.n_samples_
    assert weighted.noise_variance_ == pytest.approx(repeated.noise_variance_)
    assert weighted.score(table, sample_weight=times) == pytest.approx(repeated.score(np.repeat(table, times, axis=0)))
    assert weighted.report_["explained variance ratio"].check((table, times))


def test_weights_that_sum_to_one_are_refused() -> None:
    with pytest.raises(ValueError, match=r"must be above 1, got 1[^0-9].*Hint: weights count rows|must be above 1"):
        PCA().fit(TABLES["plain"], sample_weight=np.full(40, 1 / 40))


@pytest.mark.parametrize("solver", SOLVERS)
def test_offsets_and_single_precision_cost_no_digits(solver: str) -> None:
    table = np.round(np.random.default_rng(8).normal(size=(200, 5)) * [8, 4, 2, 1, 0.5] * 64) / 64
    near = PCA(3, svd_solver=solver, random_state=0).fit(table)
    far = PCA(3, svd_solver=solver, random_state=0).fit(table + 2.0**30)  # exact in doubles
    assert_allclose(far.explained_variance_, near.explained_variance_, rtol=1e-12)
    assert_allclose(far.transform(table + 2.0**30), near.transform(table), atol=1e-7)  # the mean is rounded to 2^-23
    single = PCA(3, svd_solver=solver, random_state=0).fit((table + 2.0**14).astype(np.float32))  # exact in floats
    assert_allclose(single.explained_variance_, near.explained_variance_, rtol=1e-12)
    assert single.transform((table + 2.0**14).astype(np.float32)).dtype == np.float32


def test_auto_keeps_the_digits_that_a_covariance_loses() -> None:
    table = TABLES["tiny"]
    exact = np.array([1.0, 1e-3, 1e-6, 1e-9, 1e-12])
    model = PCA(5).fit(table)
    assert model.solver_ == "full"
    assert_allclose(model.singular_values_[:4], exact[:4], rtol=1e-4)
    assert PCA(1).fit(table).solver_ == "covariance_eigh"


@pytest.mark.parametrize("solver", ["arpack", "covariance_eigh", "auto"])
@pytest.mark.parametrize("shape", [(80, 30), (30, 80)])
def test_sparse_tables_are_dense_ones(solver: str, shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(9)
    table = sparse.random_array(shape, density=0.2, rng=rng, format="csr")
    full = table.toarray()
    full[:, 0] += 5.0  # a column without zeros
    for dense in (table.toarray(), full):
        ours = PCA(4, svd_solver=solver, random_state=0).fit(sparse.csr_array(dense))
        theirs = PCA(4, svd_solver="full").fit(dense)
        assert_allclose(ours.explained_variance_, theirs.explained_variance_, rtol=1e-9)
        assert_allclose(np.abs(ours.components_ @ theirs.components_.T), np.eye(4), atol=1e-7)
        assert_allclose(ours.transform(sparse.csr_array(dense)), ours.transform(dense), atol=1e-10)
        assert ours.report_["explained variance ratio"].check(dense)


def test_no_centered_copy() -> None:
    table = np.random.default_rng(10).normal(size=(40_000, 50))
    RowProducts(table[:100], None, centered=True, threads=1).scatter()
    tracemalloc.start()
    products = RowProducts(table, None, centered=True, threads=1)
    products.scatter()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.5 * table.nbytes


def test_whitened_coordinates_have_variance_one() -> None:
    table = load_iris().data
    assert_allclose(np.cov(PCA(3, whiten=True).fit_transform(table), rowvar=False), np.eye(3), atol=1e-10)
    flat = PCA(3, whiten=True).fit_transform(TABLES["zero"])
    assert np.abs(flat).max() < 10
    assert_allclose(PCA(2, whiten=True).fit_transform(TABLES["small"]).std(axis=0, ddof=1), 1.0)


def test_density_is_that_of_the_covariance() -> None:
    from scipy.stats import multivariate_normal

    table = load_iris().data
    model = PCA(2).fit(table)
    expected = multivariate_normal(model.mean_, model.get_covariance()).logpdf(table)
    assert_allclose(model.score_samples(table), expected)
    assert_allclose(model.get_precision() @ model.get_covariance(), np.eye(4), atol=1e-9)
    assert np.isfinite(PCA().fit(TABLES["zero"]).score(TABLES["zero"]))


def test_table_without_variance() -> None:
    model = PCA(2).fit(np.ones((5, 3)))
    assert not model.explained_variance_.any()
    assert not model.explained_variance_ratio_.any()
    assert not model.report_
    assert_allclose(model.transform(np.ones((1, 3))), 0.0)


def test_held_out_rows_bound_the_reconstruction_error() -> None:
    digits = load_digits().data
    model = PCA(20).fit(digits[:1000])
    report = model.certify(digits[1000:], cap=2000.0)
    bound = report["capped reconstruction error"]
    missed = ((digits[1000:] - model.inverse_transform(model.transform(digits[1000:]))) ** 2).sum(axis=1)
    assert np.minimum(missed, 2000.0).mean() < float(bound.value) < 1.2 * missed.mean()  # type: ignore[arg-type]
    assert bound.check()
    with pytest.raises(ValueError, match="certify needs cap"):
        model.certify(digits[1000:])


def test_refusals() -> None:
    table = TABLES["plain"]
    with pytest.raises(ValueError, match="must be between 0 and"):
        PCA(7).fit(table)
    with pytest.raises(ValueError, match="strictly less than"):
        PCA(6, svd_solver="arpack").fit(table)
    with pytest.raises(ValueError, match="only supported if n_samples >= n_features"):
        PCA("mle").fit(TABLES["wide"])
    with pytest.raises(TypeError, match="only support sparse inputs"):
        PCA(2, svd_solver="full").fit(sparse.csr_array(table))
    with pytest.raises(ValueError, match="minimum of 2"):
        PCA().fit(table[:1])
    with pytest.raises(ValueError, match="allows magnitudes up to"):
        PCA().fit(table * 1e200)
    with pytest.raises(ValueError, match="one per component"):
        PCA(2).fit(table).inverse_transform(table)


@pytest.mark.parametrize("solver", ["full", "covariance_eigh", "arpack", "randomized"])
@pytest.mark.parametrize("shape", [(6, 40), (40, 6)])
def test_the_explained_share_is_contained_far_from_the_origin(solver, shape):
    offset = 2.0**30  # what is added is exact to 2^-22, and taken off again exactly
    near = np.round(np.random.default_rng(3).normal(size=shape) * 2.0**12) / 2.0**12
    found = PCA(3, svd_solver=solver, random_state=0).fit(near + offset)
    squares = np.linalg.svd(near - near.mean(axis=0), compute_uv=False) ** 2
    low, high = next(c for c in found.report_ if str(c.quantity).startswith("explained")).value
    exact = squares[:3].sum() / squares.sum()
    assert low - 1e-13 <= exact <= high + 1e-13
