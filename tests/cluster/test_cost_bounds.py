"""Lower bounds on the cost of any clustering: nothing undercuts them, they are tight, and forged ones are found."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from certus.cluster import KMeans, certify_clustering, cluster_cost, seeding_expectation
from certus.cluster.evidence import cost_certificate, dual_bound
from certus.cluster.evidence.cost_certificate import QUANTITY
from certus.cluster.evidence.dual_bound import Relaxation, roots_over_mean
from certus.cluster.evidence.line_bound import least_cost_by_all_runs, least_cost_on_a_line
from certus.cluster.evidence.sampled_bound import subsets
from certus.cluster.evidence.sampled_certificate import sampled_certificate
from certus.guarantees import Certificate, CertificateError


def partitions(rows: int, clusters: int) -> list[np.ndarray]:
    """Membership of all clusterings, one matrix per number of clusters, each clustering once."""
    found = [
        labels
        for labels in itertools.product(range(clusters), repeat=rows)
        if all(label <= max(labels[:at], default=-1) + 1 for at, label in enumerate(labels))
    ]
    return [np.eye(clusters)[list(labels)] for labels in found]


MEMBERSHIPS = {clusters: np.array(partitions(6, clusters)) for clusters in (1, 2, 3)}


def least_cost(X: np.ndarray, weights: np.ndarray, clusters: int) -> float:
    """The best of all clusterings of six rows: sum w |x|^2 - sum_c |sum w x|^2 / sum w."""
    X = X - np.average(X, axis=0, weights=weights)
    members = MEMBERSHIPS[clusters] * weights[None, :, None]
    totals, sizes = np.einsum("pnk,nd->pkd", members, X), members.sum(axis=1)
    squares = (totals**2).sum(axis=2) / np.where(sizes > 0, sizes, 1.0)
    return float(weights @ (X**2).sum(axis=1) - squares.sum(axis=1).max())


def small_table(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, int]:
    """Six rows with ties, duplicates, a far origin or none of them; weights; a number of clusters."""
    columns, clusters = int(rng.integers(1, 5)), int(rng.integers(1, 4))
    X = rng.normal(size=(6, columns)) * rng.uniform(0.1, 3.0, columns)
    kind = rng.integers(4)
    if kind == 0:
        X = np.round(X)
    elif kind == 1:
        X[3:] = X[:3]
    elif kind == 2:
        X += 1000.0
    return X, rng.uniform(0.5, 2.0, 6) if rng.random() < 0.5 else np.ones(6), clusters


@pytest.mark.parametrize("tables", [400, pytest.param(3000, marks=pytest.mark.slow)])
def test_no_clustering_of_thousands_of_small_tables_is_below_a_bound(tables: int) -> None:
    rng = np.random.default_rng(tables)
    closest = []
    for _ in range(tables):
        X, weights, clusters = small_table(rng)
        least, scatter = least_cost(X, weights, clusters), least_cost(X, weights, 1)
        bound = Relaxation(X, weights, clusters).ascend(50)
        assert bound.value - bound.error <= least + 1e-9 * scatter
        if least > 1e-6 * scatter:
            closest.append(bound.value / least)
        if X.shape[1] == 1:
            found, error = least_cost_on_a_line(X.ravel(), weights, clusters)
            assert found - error <= least + 1e-9 * scatter
            assert found >= least - 1e-9 * scatter
            assert least_cost_by_all_runs(X.ravel(), weights, clusters)[0] == pytest.approx(found, abs=1e-9 * scatter)
    assert np.median(closest) > 0.97  # a bound of nothing would pass the rest


def test_a_bound_that_forgets_a_part_would_be_caught() -> None:
    """Without v'Zv, or with one eigenvalue too few, some table is below the bound."""
    rng = np.random.default_rng(1)
    caught = {"term": 0, "eigenvalue": 0}
    for _ in range(200):
        X, weights, clusters = small_table(rng)
        if clusters == 1:
            continue
        least, scatter = least_cost(X, weights, clusters), least_cost(X, weights, 1)
        bound = Relaxation(X, weights, clusters).ascend(50)
        v = np.sqrt(weights / weights.sum())
        caught["term"] += bound.value + float(v @ bound.total @ v) > least + 1e-6 * scatter
        fewer = Relaxation(X, weights, clusters - 1).evaluate(bound.total)
        caught["eigenvalue"] += fewer > least + 1e-6 * scatter
    assert min(caught.values()) > 10


@pytest.mark.parametrize("tables", [150, pytest.param(1000, marks=pytest.mark.slow)])
def test_triangle_inequalities_hold_for_every_clustering_of_small_tables(tables: int) -> None:
    """For the matrix Y of all clusterings, and in the bounds that they make; without y_jk some Y contradicts them."""
    rng = np.random.default_rng([tables, 1])
    cut, caught = 0, 0
    for _ in range(tables):
        X, weights, clusters = small_table(rng)
        least, scatter = least_cost(X, weights, clusters), least_cost(X, weights, 1)
        bound = Relaxation(X, weights, clusters).ascend(125)
        assert bound.value - bound.error <= least + 1e-9 * scatter
        if not (bound.cuts.prices > 0.0).any():
            continue
        members = MEMBERSHIPS[clusters] * np.sqrt(weights)[None, :, None]
        sizes = (members**2).sum(axis=1, keepdims=True)
        shares = members / np.sqrt(np.where(sizes > 0.0, sizes, 1.0))
        Y = shares @ shares.transpose(0, 2, 1)
        roots = roots_over_mean(weights)
        matrix = bound.cuts.matrix(roots)
        assert (np.einsum("pij,ij->p", Y, matrix) >= -1e-9 * scatter).all()
        cut += 1
        j, k = bound.cuts.corners[:, 1:].T
        np.add.at(matrix, (j, k), -bound.cuts.prices / (roots[j] * roots[k]))
        caught += (np.einsum("pij,ij->p", Y, matrix) < -1e-3 * scatter).any()
    assert cut > tables / 20
    assert caught > 0


@pytest.mark.parametrize(
    ("rows", "clusters", "rounds", "plain", "floor"), [(60, 5, 300, 0.93, 0.99), (40, 4, 200, 0.98, 0.999)]
)
def test_triangle_inequalities_tighten_the_relaxation(
    rows: int, clusters: int, rounds: int, plain: float, floor: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows without clusters are the hard case; the relaxation alone cannot tell that these divisions are the best."""
    X = np.random.default_rng(rows).random((rows, 2))
    model = KMeans(clusters, n_init=20, random_state=0, bound_effort=rounds).fit(X)
    certificate = model.report_[QUANTITY]
    assert 1.0 - certificate.value > floor
    assert certificate.check(X)
    forged = Certificate.from_dict(
        certificate.to_dict() | {"witness": {**certificate.witness, "cuts": {"corners": [[0, 1, 2]], "prices": [-1.0]}}}
    )
    with pytest.raises(CertificateError, match="no triangle with a price"):
        forged.check(X)
    monkeypatch.setattr(dual_bound, "STALLED", -np.inf)
    monkeypatch.setattr(dual_bound, "SETTLED", 0.0)
    assert Relaxation(X, np.ones(rows), clusters).ascend(2 * rounds).value < plain * model.inertia_


@pytest.mark.parametrize(
    ("spread", "columns", "clusters", "floor"), [(1.0, 2, 5, 0.98), (1.0, 10, 3, 0.9999), (3.0, 2, 5, 0.90)]
)
def test_few_rounds_reach_the_value_of_the_relaxation(spread: float, columns: int, clusters: int, floor: float) -> None:
    X = make_blobs(150, columns, centers=clusters, cluster_std=spread, random_state=0)[0]
    model = KMeans(clusters, n_init=10, random_state=0, bound_effort=300).fit(X)
    certificate = model.report_[QUANTITY]
    assert 1.0 - certificate.value > floor
    assert certificate.check(X)
    with pytest.raises(CertificateError, match=r"lower bound|costs"):
        certificate.check(X * 0.9)


def test_a_dual_matrix_that_is_too_large_to_keep_is_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cost_certificate, "KEPT", 100)
    X = make_blobs(90, 2, centers=3, cluster_std=4.0, random_state=0)[0]
    certificate = KMeans(3, random_state=0, bound_effort=50).fit(X).report_[QUANTITY]
    assert "dual" not in certificate.witness
    assert certificate.check(X)
    with pytest.raises(CertificateError, match="lower bound"):
        certificate.check(X * 0.9)


def test_on_a_line_the_least_cost_is_known() -> None:
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=40) + middle for middle in (0, 5, 30, 90)])[:, None]
    certificate = KMeans(4, n_init=10, random_state=0).fit(X).report_[QUANTITY]
    assert certificate.rule == "cluster/line-cost"
    assert certificate.value < 1e-9
    assert certificate.check(X)
    poor = KMeans(4, init=np.array([[-0.5], [0.5], [5.0], [60.0]]), max_iter=1).fit(X)
    assert 0.3 < poor.report_[QUANTITY].value < 1.0
    weights = rng.uniform(0.1, 3.0, len(X))
    weighted = KMeans(3, n_init=10, random_state=0).fit(X, sample_weight=weights).report_[QUANTITY]
    assert weighted.check((X, weights))
    with pytest.raises(CertificateError):
        weighted.check((X, weights[::-1]))


def test_a_far_origin_costs_no_digits_on_a_line() -> None:
    values = np.sort(np.concatenate([np.arange(50.0), 1000.0 + np.arange(50.0)])) * 2.0**-10
    near, _ = least_cost_on_a_line(values, np.ones(100), 2)
    far, error = least_cost_on_a_line(values + 2.0**30, np.ones(100), 2)
    assert far == pytest.approx(near, rel=1e-10)
    assert error < 1e-5 * near


@pytest.mark.parametrize("weighted", [False, True])
def test_random_subsets_bound_the_cost_of_many_rows(weighted: bool) -> None:
    X = make_blobs(2100, 2, centers=3, cluster_std=1.0, random_state=0)[0]
    weights = np.random.default_rng(0).uniform(0.5, 2.0, len(X)) if weighted else None
    model = KMeans(3, random_state=0, bound_effort=25, bound_samples=10).fit(X, sample_weight=weights)
    certificate = model.report_[QUANTITY]
    assert (certificate.kind, certificate.confidence) == ("probable", 0.95)
    assert 0.0 < certificate.value < 0.5
    assert certificate.check(X if weights is None else (X, weights))
    with pytest.raises(CertificateError):
        certificate.check(X * 0.9 if weights is None else (X * 0.9, weights))


def sampled(X: np.ndarray, seed: int, monkeypatch: pytest.MonkeyPatch, values: Any) -> Certificate:
    from certus.cluster.evidence import sampled_bound
    from certus.cluster.evidence import sampled_certificate as made

    monkeypatch.setattr(sampled_bound, "FEWEST_ROWS", 4)
    monkeypatch.setattr(sampled_bound, "ROWS_PER_CLUSTER", 1)
    monkeypatch.setattr(made, "bound_of", values)
    cost = cluster_cost(X, np.zeros(len(X), dtype=int))
    options: dict[str, Any] = {"rounds": 1, "samples": 40, "confidence": 0.9, "seed": seed}
    return sampled_certificate(cost, X.mean(axis=0)[None, :], X, np.ones(len(X)), **options)


@pytest.mark.parametrize(("shrunk", "most"), [(1.0, 0.15), (2.0, 1.0)])
def test_the_sampled_bound_fails_no_more_often_than_it_says(
    shrunk: float, most: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Subsets of four rows, whose best single center is their mean: E least cost / 4 = 3/4 of the variance.

    A bound that took twice the values, above what the mean allows, fails nearly always.
    """
    from certus.cluster.evidence.dual_bound import Cuts, DualBound

    X = np.random.default_rng(0).uniform(size=(200, 1))

    def best(rows: np.ndarray, clusters: int, rounds: int) -> DualBound:
        return DualBound(
            shrunk * cluster_cost(rows, np.zeros(len(rows), dtype=int)),
            0.0,
            np.zeros((4, 4)),
            Cuts.none(),
            np.zeros((4, 4)),
            0,
        )

    cost = cluster_cost(X, np.zeros(len(X), dtype=int))
    failures = 0
    for seed in range(150):
        certificate = sampled(X, seed, monkeypatch, best)
        mean_of_subsets = 0.75 * cost / (1.0 - 1.0 / len(X))  # what the lower bound is about; at most the least cost
        failures += cost * (1.0 - certificate.single_value) > mean_of_subsets
    assert failures / 150 <= most
    assert (failures / 150 > 0.5) == (shrunk > 1.0)


def test_subsets_have_rows_by_weight() -> None:
    weights = np.array([1.0, 2.0, 5.0])
    counts = np.bincount(np.concatenate(list(subsets(weights, 10, 4000, 0))), minlength=3)
    assert counts / counts.sum() == pytest.approx(weights / 8.0, abs=0.01)
    assert all(len(set(rows.tolist())) == 3 for rows in subsets(np.ones(5), 3, 20, 0))


def test_anybodys_labels_are_certified() -> None:
    X = make_blobs(80, 3, centers=3, random_state=1)[0]
    model = KMeans(3, n_init=5, random_state=0).fit(X)
    names = np.array(["a", "b", "c"])[model.labels_]
    good = certify_clustering(X, names, effort=100)[QUANTITY]
    assert good.value < 0.001
    assert good.check(X)
    random = certify_clustering(X, np.arange(80) % 3, effort=100)[QUANTITY]
    assert random.value > 0.8
    assert random.check(X)
    assert certify_clustering(X, model.labels_, effort=0)[QUANTITY].check(X)
    line = certify_clustering(X[:, :1], names)[QUANTITY]
    assert line.check(X[:, :1])
    with pytest.raises(ValueError, match="labels must name the cluster of each of the 80 rows"):
        certify_clustering(X, [0, 1])
    with pytest.raises(ValueError, match="cost"):
        certify_clustering(X, names, cost="modularity")


def test_the_cost_of_labels_and_of_a_membership_matrix() -> None:
    X = make_blobs(40, 2, centers=3, random_state=0)[0]
    labels = np.arange(40) % 3
    expected = sum(((X[labels == c] - X[labels == c].mean(axis=0)) ** 2).sum() for c in range(3))
    assert cluster_cost(X, labels) == pytest.approx(expected)
    assert cluster_cost(X, np.eye(3)[labels]) == pytest.approx(expected)
    assert cluster_cost(X, np.arange(40)) < 1e-25
    with pytest.raises(ValueError, match="one 1 and else 0"):
        cluster_cost(X, np.ones((40, 2)))


def test_the_least_cost_does_not_rise_with_the_number_of_clusters() -> None:
    x = np.random.default_rng(0).normal(size=12)
    costs = [least_cost_on_a_line(x, np.ones(12), k)[0] for k in range(1, 13)]
    assert all(after <= before for before, after in itertools.pairwise(costs))
    assert costs[-1] < 1e-25


def test_expected_cost_of_plain_starts_is_within_the_proved_factor() -> None:
    X = np.array([[0, 0], [1, 0], [0, 1], [10, 0], [11, 0], [10, 1], [0, 10], [1, 10], [0, 11]], dtype=float)
    least = 3 * cluster_cost(X[:3], [0, 0, 0])
    ratio = seeding_expectation(X, 3) / least
    assert 1.0 < ratio <= 8.0 * (np.log(3) + 2.0)
    rng = np.random.default_rng(0)
    for _ in range(200):
        X, _, clusters = small_table(rng)
        best = least_cost(X, np.ones(6), clusters)
        assert seeding_expectation(X, clusters) <= 8.0 * (np.log(clusters) + 2.0) * best + 1e-6
    with pytest.raises(ValueError, match="few enough rows"):
        seeding_expectation(np.zeros((300, 1)), 4)


def test_the_plain_start_follows_its_expectation_and_has_its_certificate() -> None:
    X = np.array([[0.0, 0.0], [1.0, 0.2], [4.0, 1.0], [5.0, 3.0], [2.0, 6.0]])
    from certus.cluster import kmeans_plusplus

    costs = []
    for seed in range(1000):
        centers, _ = kmeans_plusplus(X, 2, random_state=seed, n_local_trials=1)
        costs.append(float(((X[:, None] - centers) ** 2).sum(axis=2).min(axis=1).sum()))
    assert np.mean(costs) == pytest.approx(seeding_expectation(X, 2), abs=4 * np.std(costs) / np.sqrt(1000))
    quantity = "expected cost of the first centers over the least cost"
    report = KMeans(2, init="plain-k-means++", random_state=0).fit(X).report_
    assert report[quantity].value == pytest.approx(8 * (np.log(2) + 2))
    assert report[quantity].kind == "expectation"
    assert report[quantity].check()
    assert quantity not in {str(each.quantity) for each in KMeans(2, random_state=0).fit(X).report_}
