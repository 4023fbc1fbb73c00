"""k-means in blocks: Lloyd's rounds of the whole table, a good start in few passes, and the same lower bound."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import certus
from certus.cluster import KMeans
from tests.scale.pieces import classes_table, cut, every_cut


def groups(seed=0, rows=300):
    generator = np.random.default_rng(seed)
    middles = np.array([[0.0, 0.0], [8.0, 0.0], [0.0, 8.0], [8.0, 8.0]])
    return middles[generator.integers(4, size=rows)] + generator.normal(size=(rows, 2))


@every_cut
def test_rounds_from_given_centers(cuts):
    X, _ = classes_table()
    weights = np.random.default_rng(1).integers(0, 3, size=len(X)).astype(float)
    table = cut((X, X[:, 0], weights), cuts)
    options = {"n_clusters": 5, "init": X[10:15], "n_init": 1, "tol": 0.0}
    local = KMeans(**options).fit(X, sample_weight=weights)
    blocks = KMeans(**options).fit(table[0], sample_weight=table[2])
    np.testing.assert_allclose(blocks.cluster_centers_, local.cluster_centers_, rtol=1e-10, atol=1e-12)
    assert blocks.inertia_ == pytest.approx(local.inertia_, rel=1e-12)
    ours, theirs = next(iter(blocks.report_)), next(iter(local.report_))
    assert ours.value == pytest.approx(theirs.value, rel=1e-8)
    assert ours.check((X, weights))
    labels = np.concatenate([block for block in blocks.predict(table[0]) if len(block)])
    assert (labels == local.labels_).all()


@pytest.mark.parametrize("init", ["k-means++", "k-means||", "random"])
def test_starts_are_those_of_the_seed_and_good(init):
    X = groups()
    pieces = [X[:100], X[100:101], X[101:]]
    fits = [KMeans(4, init=init, n_init=1, random_state=seed).fit(certus.scale.blocks(pieces)) for seed in (0, 0, 1)]
    np.testing.assert_array_equal(fits[0].cluster_centers_, fits[1].cluster_centers_)
    if init != "random":
        best = KMeans(4, n_init=10, random_state=0).fit(X).inertia_
        assert fits[0].inertia_ == pytest.approx(best, rel=1e-6)


def test_few_rows_and_what_needs_the_whole_table():
    X = np.repeat([[0.0, 1.0], [5.0, 1.0]], 3, axis=0)
    with pytest.warns(Warning, match="distinct clusters"):
        model = KMeans(3, random_state=0).fit(certus.scale.blocks([X[:2], X[2:]]))
    assert model.inertia_ == 0.0
    with pytest.raises(ValueError, match="should be >= n_clusters=7"):
        KMeans(7).fit(certus.scale.blocks([X]))
    with pytest.raises(TypeError, match="min_size"):
        KMeans(2, min_size=2).fit(certus.scale.blocks([X]))


def test_a_saved_model_has_no_labels_of_blocks(tmp_path):
    model = KMeans(4, random_state=0).fit(certus.scale.blocks([groups()]))
    certus.save(model, tmp_path / "model.certus")
    again = certus.load(tmp_path / "model.certus")
    assert (again.predict(groups()) == model.predict(groups())).all()
    assert len(again.labels_) == 0


@pytest.mark.parametrize("offset", [0.0, 1e6, 1e9, 1e12])
@pytest.mark.parametrize("cuts", [2, 7])
def test_the_lower_bound_holds_far_from_the_origin(offset, cuts):
    for seed in range(4):
        X = np.random.default_rng(seed).normal(size=(120, 2)) + offset
        exact = Fraction(0)
        for column in X.T:
            numbers = [Fraction(float(value)) for value in column]
            mean = sum(numbers) / len(numbers)
            exact += sum((value - mean) ** 2 for value in numbers)
        found = KMeans(1, init="random", n_init=1, random_state=0).fit(cut((X, X[:, 0]), cuts)[0])
        witness = next(iter(found.report_)).witness
        assert Fraction(witness["tail"] - witness["error"]) <= exact
        assert witness["tail"] - witness["error"] >= (1.0 - 1e-7) * float(exact)
