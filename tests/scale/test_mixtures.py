"""Mixtures of Gaussians in blocks: the steps of EM of the whole table, missing cells included."""

from __future__ import annotations

import numpy as np
import pytest

from certus.mixture import GaussianMixture
from tests.scale.pieces import cut, every_cut
from tests.scale.test_k_means import groups


@every_cut
@pytest.mark.parametrize("kind", ["full", "tied", "diag", "spherical"])
def test_steps_from_given_parameters(kind, cuts):
    X = groups()
    X[::17, 1] = np.nan
    weights = np.random.default_rng(1).integers(0, 3, size=len(X)).astype(float)
    precisions = {
        "full": np.tile(np.eye(2), (3, 1, 1)),
        "tied": np.eye(2),
        "diag": np.ones((3, 2)),
        "spherical": np.ones(3),
    }[kind]
    options = {
        "n_components": 3,
        "covariance_type": kind,
        "weights_init": [0.2, 0.3, 0.5],
        "means_init": [[0.0, 0.0], [8.0, 1.0], [3.0, 8.0]],
        "precisions_init": precisions,
        "max_iter": 200,
    }
    table = cut((X, X[:, 0], weights), cuts)
    local = GaussianMixture(**options).fit(X, sample_weight=weights)
    blocks = GaussianMixture(**options).fit(table[0], sample_weight=table[2])
    assert blocks.n_iter_ == local.n_iter_
    np.testing.assert_allclose(blocks.history_, local.history_, rtol=1e-11)
    np.testing.assert_allclose(blocks.means_, local.means_, rtol=1e-8)
    np.testing.assert_allclose(blocks.covariances_, local.covariances_, rtol=1e-7, atol=1e-9)
    for ours, theirs in zip(blocks.report_, local.report_, strict=True):
        assert ours.check()
        assert ours.value == pytest.approx(theirs.value, rel=1e-4, abs=1e-12)


def test_starts_are_found_on_a_sample_and_good():
    X = groups(rows=600)
    local = GaussianMixture(4, random_state=0).fit(X)
    pair = [GaussianMixture(4, random_state=0).fit(cut((X, X[:, 0]), 3)[0]) for _ in range(2)]
    np.testing.assert_array_equal(pair[0].means_, pair[1].means_)
    assert pair[0].lower_bound_ == pytest.approx(local.lower_bound_, abs=1e-3)


def test_what_needs_the_whole_table():
    X = groups()
    with pytest.raises(ValueError, match="n_components = 7, n_samples = 3"):
        GaussianMixture(7).fit(cut((X[:3], X[:3, 0]), 1)[0])
