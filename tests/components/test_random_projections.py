"""Random projections: numbers of the bound, distances kept as promised, entries with the stated law."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse, stats
from scipy.spatial.distance import pdist

from certus.components import GaussianRandomProjection, SparseRandomProjection, johnson_lindenstrauss_min_dim
from certus.guarantees import CertificateError, projection_dimensions, projection_distortion
from certus.guarantees.training.projection_distortion import failure


def test_numbers_of_a_thousand_rows() -> None:
    assert projection_dimensions(1000, 0.1) == 5806
    assert johnson_lindenstrauss_min_dim(1000, eps=0.1) == 5920
    found = projection_distortion(1000, 500)
    assert_allclose(found.value, 0.36422, atol=5e-6)
    assert found.check()


@pytest.mark.parametrize("rows", [2, 5, 1000, 10**7])
@pytest.mark.parametrize("dimensions", [1, 2, 17, 400, 100_000])
@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999999])
def test_the_distortion_is_the_root_of_its_tails(rows: int, dimensions: int, confidence: float) -> None:
    found = projection_distortion(rows, dimensions, confidence)
    k, eps = dimensions, found.value
    tails = stats.chi2.sf(k * (1 + eps), k) + stats.chi2.cdf(k * (1 - eps), k)
    assert_allclose(0.5 * rows * (rows - 1) * tails, 1 - confidence, rtol=1e-6)
    assert found.check()


@pytest.mark.parametrize("entries", ["gaussian", "achlioptas"])
@pytest.mark.parametrize(("rows", "distortion"), [(2, 0.3), (50, 0.9), (1000, 0.05)])
def test_dimensions_are_the_fewest_that_are_enough(entries: str, rows: int, distortion: float) -> None:
    k = projection_dimensions(rows, distortion, 0.9, entries=entries)
    assert failure(rows, k, distortion, entries) <= 0.1 < failure(rows, k - 1, distortion, entries)
    assert projection_distortion(rows, k, 0.9, entries=entries).value <= distortion * (1 + 1e-12)


@pytest.mark.parametrize("learner", [GaussianRandomProjection(150), SparseRandomProjection(150, density=1 / 3)])
@pytest.mark.parametrize("peaked", [True, False])
def test_distances_are_kept_as_promised(learner: object, peaked: bool) -> None:
    X = np.eye(30, 400) if peaked else np.random.default_rng(0).normal(size=(30, 400))
    wrong = 0
    for seed in range(60):
        model = learner.set_params(random_state=seed).fit(X)
        certificate = model.report_["distance distortion"]
        ratio = pdist(model.transform(X)) ** 2 / pdist(X) ** 2
        wrong += bool(np.abs(ratio - 1).max() > certificate.value)
    assert certificate.check(X)
    assert wrong <= 10  # of 60 with 5 % each: more have a probability below 1 in 10 000
    with pytest.raises(CertificateError):
        certificate.check(X[1:])


@pytest.mark.parametrize("density", [1 / 3, 0.05, 1.0, "auto"])
def test_sparse_entries_have_their_law(density: float | str) -> None:
    model = SparseRandomProjection(200, density=density, random_state=0).fit(np.zeros((3, 900)))
    entries = model.components_.toarray() if sparse.issparse(model.components_) else model.components_
    share = 1 / 30 if density == "auto" else density
    assert_allclose(np.unique(np.abs(entries[entries != 0])), np.sqrt(1 / (share * 200)), rtol=1e-12)
    counts = [(entries < 0).sum(), (entries == 0).sum(), (entries > 0).sum()]
    expected = np.array([share / 2, 1 - share, share / 2]) * entries.size
    assert (np.abs(counts - expected) <= 4 * np.sqrt(entries.size * 0.25)).all()
    assert bool(model.report_) == (density == 1 / 3)


def test_inverse_and_sparse_rows() -> None:
    X = sparse.random(20, 60, density=0.2, random_state=0, format="csr")
    for learner in (GaussianRandomProjection(10, random_state=0), SparseRandomProjection(10, random_state=0)):
        images = learner.fit_transform(X)
        dense = images.toarray() if sparse.issparse(images) else images
        assert_allclose(dense, learner.transform(X.toarray()), atol=1e-12)
        assert_allclose(learner.transform(learner.inverse_transform(dense)), dense, atol=1e-10)
    one = GaussianRandomProjection(3, random_state=0).fit(np.ones((1, 5)))
    assert not one.report_
    assert_array_equal(one.components_, GaussianRandomProjection(3, random_state=0).fit(np.zeros((9, 5))).components_)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: projection_distortion(1, 3), "rows"),
        (lambda: projection_distortion(9, 0), "dimensions"),
        (lambda: projection_distortion(9, 3, 1.0), "confidence"),
        (lambda: projection_distortion(1000, 3, entries="achlioptas"), "3 dimensions bound no distance"),
        (lambda: projection_distortion(9, 3, entries="sparse"), "entries"),
        (lambda: projection_dimensions(9, 0.0), "distortion"),
        (lambda: projection_dimensions(9, 1.0, entries="achlioptas"), "distortion"),
        (lambda: johnson_lindenstrauss_min_dim(0), "n_samples"),
        (lambda: GaussianRandomProjection().fit([[1.0], [2.0]]), "larger than the original space"),
    ],
)
def test_refusals(call: object, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call()


def test_the_distortion_of_many_dimensions_agrees_with_its_second_route() -> None:
    for dimensions in (10**6, 10**7, 10**8):
        assert projection_distortion(1000, dimensions).check()
    with pytest.raises(ValueError, match="rows"):
        projection_distortion(10**200, 500)
