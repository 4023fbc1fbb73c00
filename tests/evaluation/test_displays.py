"""Displays: the numbers behind the pictures, bands that hold, and pictures that suit any page."""

from __future__ import annotations

from unittest import mock

import numpy as np
import polars as pl
import pytest
from matplotlib.figure import Figure
from scipy import stats
from scipy.cluster.hierarchy import linkage
from sklearn.cluster import AgglomerativeClustering as SklearnAgglomerative
from sklearn.metrics import confusion_matrix, precision_recall_curve, roc_curve
from sklearn.neighbors import KNeighborsClassifier

from certus.cluster import DBSCAN, AgglomerativeClustering, FeatureAgglomeration, KMeans
from certus.components import PCA
from certus.evaluation import (
    CalibrationDisplay,
    ComponentsDisplay,
    ConfusionDisplay,
    DendrogramDisplay,
    DensityDisplay,
    Display,
    EMDisplay,
    GradientFlowDisplay,
    ImportancesDisplay,
    LearningCurveDisplay,
    LossCurveDisplay,
    MarginsDisplay,
    NetworkDisplay,
    PrecisionRecallDisplay,
    RaceDisplay,
    RegionsDisplay,
    ResidualsDisplay,
    RocDisplay,
    SilhouetteDisplay,
    silhouette_score,
)
from certus.evaluation.displays.bands import half_width
from certus.mixture import GaussianMixture

RNG = np.random.default_rng(0)
TRUTH = RNG.random(200) < 0.3
SCORES = np.clip(0.3 * TRUTH + RNG.random(200) * 0.7, 0, 1)
PLANE, SIDES = RNG.normal(size=(40, 2)), np.arange(40) % 3
NEAREST = {k: KNeighborsClassifier(k).fit(PLANE, SIDES) for k in (1, 9)}
ALL = [
    ConfusionDisplay.from_predictions(TRUTH, SCORES > 0.5),
    RocDisplay.from_predictions(TRUTH, SCORES),
    PrecisionRecallDisplay.from_predictions(TRUTH, SCORES),
    CalibrationDisplay([0.6, 0.9], [0.5, 0.95], [(0.3, 0.7), (0.8, 1.0)]),
    ResidualsDisplay.from_predictions(RNG.normal(size=50), RNG.normal(size=50), threshold=1.0),
    LearningCurveDisplay([10, 20, 40], [0.3, 0.2, 0.15], "error"),
    ImportancesDisplay({"<script>alert(1)</script>": 0.2, "price $ and $": 0.1}),
    RaceDisplay([[0.3, 0.2], [0.4]], {0}, baseline=0.5),
    MarginsDisplay.from_predictions(TRUTH.astype(int), np.column_stack([1 - SCORES, SCORES])),
    DendrogramDisplay.from_columns(RNG.normal(size=(30, 50)), [f"<script>{place}" for place in range(50)]),
    SilhouetteDisplay.from_predictions(RNG.normal(size=(900, 2)), RNG.integers(0, 3, 900)),
    LossCurveDisplay([0.9, 0.5, 0.3, 0.2], [0.9, 0.6, 0.5, 0.7]),
    GradientFlowDisplay({"<script>": [1e-6, 1e-3, 1.0], "ReLU": [0.5, 0.0, 1.0]}),
    NetworkDisplay([RNG.normal(size=(3, 30)), RNG.normal(size=(30, 1))]),
    RegionsDisplay.from_estimator({"<script>": NEAREST[1], "k = 9": NEAREST[9]}, PLANE, grid=30),
    ComponentsDisplay([0.6, 0.3], (0.88, 0.92)),
    ComponentsDisplay([0.6, 0.3], scores=PLANE, kind="scores"),
    ComponentsDisplay([1.0], loadings=[[0.6, -0.8]], names=["<script>", "b"], kind="loadings"),
    DensityDisplay.from_estimator(GaussianMixture(2, random_state=0).fit(PLANE), PLANE, grid=30),
    EMDisplay([-3.0, -2.0, -1.5], [(-9.0, -5.0), (-5.0, -4.0)]),
]


@pytest.mark.parametrize("display", ALL, ids=lambda display: type(display).__name__)
def test_drawn_on_own_and_on_given_axes(display: Display) -> None:
    ax = Figure().add_subplot()
    assert display.plot(ax).ax_ is ax
    picture = display.svg()
    assert picture.startswith("<svg")
    assert picture == display.svg()
    assert "<script" not in picture
    assert "var(--accent" in picture
    assert "currentColor" in picture
    assert "http" not in picture.replace("http://www.w3.org", "")


def test_components_densities_and_climbs_are_those_of_the_learner() -> None:
    model = PCA(2).fit(PLANE)
    shown = ComponentsDisplay.from_estimator(model, PLANE, kind="scores")
    np.testing.assert_allclose(shown.scores, model.transform(PLANE))
    assert shown.interval == model.report_["explained variance ratio"].value
    for kind in ("full", "tied", "diag", "spherical", "spherical_tied"):
        mixture = GaussianMixture(2, covariance_type=kind, random_state=0).fit(PLANE)
        display = DensityDisplay.from_estimator(mixture, PLANE, grid=10)
        matrices = [matrix for _, matrix in display.ellipses]
        assert np.shape(matrices) == (2, 2, 2)
        left, _, bottom, _ = display.limits
        assert display.density[0, 0] == pytest.approx(mixture.score_samples([[left, bottom]])[0])
        np.testing.assert_array_equal(EMDisplay.from_estimator(mixture).history, mixture.history_)
    for refused in (lambda: ComponentsDisplay([1.0], kind="pie"), lambda: ComponentsDisplay([1.0], kind="scores")):
        with pytest.raises(ValueError, match="kind"):
            refused()
    with pytest.raises(ValueError, match="two columns"):
        DensityDisplay.from_estimator(mixture, PLANE[:, :1])


def test_counts_and_curves_are_the_usual_ones() -> None:
    np.testing.assert_array_equal(ALL[0].counts, confusion_matrix(TRUTH, SCORES > 0.5))
    false_alarms, hits, _ = roc_curve(TRUTH, SCORES, drop_intermediate=False)
    np.testing.assert_allclose(ALL[1].false_alarms, false_alarms)
    np.testing.assert_allclose(ALL[1].hits, hits)
    precision, recall, _ = precision_recall_curve(TRUTH, SCORES)
    np.testing.assert_allclose(ALL[2].precision[::-1], precision[:-1])
    np.testing.assert_allclose(ALL[2].recall[::-1], recall[:-1])


def test_the_band_holds_at_all_thresholds_at_once() -> None:
    """Empirical against true distribution function of uniform scores, over many samples."""
    rows, failure, samples = 50, 0.1, 4000
    values = np.sort(np.random.default_rng(1).random((samples, rows)), axis=1)
    steps = np.arange(1, rows + 1) / rows
    distance = np.maximum(np.abs(steps - values), np.abs(values - (steps - 1 / rows))).max(axis=1)
    missed = np.mean(distance > half_width(rows, failure))
    assert missed <= failure
    assert missed > 0.3 * failure  # and it is not needlessly wide


def drawn_band(display: RocDisplay) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Places, lower and upper edge of the band as they are handed to the axes."""
    ax = mock.MagicMock()
    display.plot(ax)
    return ax.fill_between.call_args.args


def test_the_roc_band_is_what_both_rates_leave_open() -> None:
    """At a share x of false alarms: all hits of thresholds whose false alarms may be x, up and down by their error."""
    rng = np.random.default_rng(5)
    positives, negatives = rng.normal(1.0, 1.0, size=40), rng.normal(size=60)
    grid, low, high = drawn_band(RocDisplay(positives, negatives, confidence=0.9))
    up, right = (np.sqrt(np.log(2 / 0.05) / (2 * rows)) for rows in (40, 60))
    cuts = np.r_[np.inf, positives, negatives, -np.inf]
    hits, alarms = ((scores[:, None] >= cuts).mean(axis=0) for scores in (positives, negatives))
    for x, lower, upper in zip(grid, low, high, strict=True):
        assert upper == pytest.approx(min(1.0, max(hits[alarms <= x + right]) + up))
        assert lower == pytest.approx(max(0.0, min(hits[alarms >= x - right], default=1.0) - up))


def test_the_roc_band_holds_the_true_curve() -> None:
    """Scores N(1, 1) against N(0, 1): the share of samples whose true curve leaves the band anywhere."""
    rng, missed, samples = np.random.default_rng(6), 0, 80
    for _ in range(samples):
        grid, low, high = drawn_band(RocDisplay(rng.normal(1.0, 1.0, size=30), rng.normal(size=30), confidence=0.8))
        true = stats.norm.sf(stats.norm.isf(grid) - 1.0)
        missed += bool(((true < low - 1e-12) | (true > high + 1e-12)).any())
    assert missed / samples <= 0.2


def test_recall_bounds_hold_together() -> None:
    rng, missed = np.random.default_rng(2), 0
    recall = np.array([0.9, 0.6, 0.75])
    for _ in range(1000):
        hits = rng.binomial(30, recall)
        counts = np.diag(hits)
        counts[[0, 1, 2], [1, 2, 0]] = 30 - hits
        missed += bool((np.array(ConfusionDisplay(counts, ["a", "b", "c"]).recall_bounds()) > recall).any())
    assert missed / 1000 <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 1000)


def test_refusals() -> None:
    with pytest.raises(ValueError, match="both classes"):
        RocDisplay.from_predictions([1, 1], [0.2, 0.3])
    with pytest.raises(ValueError, match="at least one positive"):
        PrecisionRecallDisplay.from_predictions([0, 0], [0.2, 0.3])


def test_margins_count_the_wrong_rows_and_their_band_holds() -> None:
    shares = np.column_stack([1 - SCORES, SCORES])
    display = MarginsDisplay.from_predictions(TRUTH.astype(int), shares)
    assert display.share_up_to(-1e-12) == np.mean(TRUTH != (SCORES > 0.5))
    missed = 0
    for _ in range(400):  # margins spread evenly over [-1, 1]: the share up to t is (1 + t)/2
        one = MarginsDisplay(RNG.uniform(-1, 1, size=60), confidence=0.9)
        grid = np.linspace(-1, 1, 401)
        missed += np.max(np.abs(one.share_up_to(grid) - (1 + grid) / 2)) > half_width(60, 0.1)
    assert missed / 400 <= 0.1
    with pytest.raises(ValueError, match="at least one row"):
        MarginsDisplay([])


def test_columns_that_say_the_same_are_merged_first() -> None:
    x = RNG.normal(size=(100, 3))
    columns = np.column_stack([x, -np.exp(x[:, 2]), np.zeros(100)])
    merges = DendrogramDisplay.from_columns(columns, list("abcde")).merges
    assert set(merges[0, :2]) == {2.0, 3.0}
    assert merges[0, 2] == pytest.approx(0.0, abs=1e-12)
    assert merges[-1, 2] == 1.0  # the constant column is as far from everything as can be
    with pytest.raises(ValueError, match=r"3 labels need mergers of shape \(2, 4\)"):
        DendrogramDisplay(merges, list("abc"))


def test_the_area_under_the_curve_counts_ties_half() -> None:
    assert RocDisplay([0.8, 0.4], [0.4, 0.1]).area == pytest.approx((2 + 1 + 0.5) / 4)
    display = RocDisplay([0.8, 0.4], [0.4, 0.1]).plot()
    assert any("AUC 0.875" in text.get_text() for text in display.ax_.texts)


def test_names_of_a_tree_of_columns_can_be_read() -> None:
    columns = np.random.default_rng(0).normal(size=(50, 30))
    display = DendrogramDisplay.from_columns(columns, [f"column {index}" for index in range(30)])
    assert display.size[1] > 5.0
    sizes = {label.get_fontsize() for label in display.plot().ax_.get_yticklabels()}
    assert sizes == {8.0}


def test_trees_of_estimators_are_those_of_scipy() -> None:
    X = RNG.normal(size=(12, 2))
    ours = AgglomerativeClustering(3, linkage="average").fit(X)
    theirs = SklearnAgglomerative(3, linkage="average", compute_distances=True).fit(X)
    expected = linkage(X, "average")
    for model in (ours, theirs):
        shown = DendrogramDisplay.from_estimator(model)
        np.testing.assert_allclose(shown.merges[:, 2:], expected[:, 2:])
        assert shown.labels == [str(row) for row in range(12)]
    frame = pl.DataFrame(X, schema=["height", "width"])
    assert DendrogramDisplay.from_estimator(FeatureAgglomeration(1).fit(frame)).labels == ["height", "width"]
    with pytest.raises(ValueError, match="linkage_matrix_"):
        DendrogramDisplay.from_estimator(KMeans(2).fit(X))


def test_silhouettes_are_drawn_by_cluster_and_noise_is_left_out() -> None:
    X = np.concatenate([RNG.normal(size=(20, 2)), RNG.normal(size=(20, 2)) + 30, [[500.0, 500.0]]])
    model = DBSCAN(eps=3.0, min_samples=3).fit(X)
    display = SilhouetteDisplay.from_estimator(model, X)
    assert len(display.silhouettes) == np.count_nonzero(model.labels_ >= 0)
    assert display.mean == pytest.approx(silhouette_score(X[model.labels_ >= 0], model.labels_[model.labels_ >= 0]))
    assert [text.get_text() for text in display.plot().ax_.get_yticklabels()] == ["0", "1"]
    fresh = SilhouetteDisplay.from_estimator(KMeans(2, random_state=0).fit(X[:40]), X[5:35])
    assert len(fresh.silhouettes) == 30
    with pytest.raises(ValueError, match="one length"):
        SilhouetteDisplay([0.5], [0, 1])


def test_regions_are_voronoi_cells_and_grow_with_the_number_of_neighbors() -> None:
    model = KMeans(5, random_state=0).fit(PLANE)
    display = RegionsDisplay.from_estimator(model, PLANE, grid=25)
    left, right, lower, upper = display.limits
    places = np.array([[x, y] for y in np.linspace(lower, upper, 25) for x in np.linspace(left, right, 25)])
    nearest = np.linalg.norm(places[:, None] - model.cluster_centers_, axis=2).argmin(axis=1)
    np.testing.assert_array_equal(display.regions[""].ravel(), nearest)
    np.testing.assert_array_equal(display.centers[""], model.cluster_centers_)
    both = RegionsDisplay.from_estimator(NEAREST, PLANE, grid=25).regions
    changes = [
        np.count_nonzero(np.diff(grid, axis=0)) + np.count_nonzero(np.diff(grid, axis=1)) for grid in both.values()
    ]
    assert changes[1] < changes[0]  # more neighbors, smoother regions
    named = pl.DataFrame(PLANE, schema=["height", "width"])
    assert RegionsDisplay.from_estimator(KMeans(2, random_state=0).fit(named), named, grid=9).names == (
        "height",
        "width",
    )
    with pytest.raises(ValueError, match="two columns"):
        RegionsDisplay.from_estimator(model, np.ones((3, 3)))


def test_pictures_of_networks() -> None:
    curve = LossCurveDisplay([0.9, 0.5, 0.3, 0.2], [0.9, 0.6, 0.5, 0.7])
    assert curve.best == 3
    assert LossCurveDisplay([0.9]).best is None
    fitted = mock.Mock(loss_curve_=[1.0, 0.5], validation_losses_=None, coefs_=[np.eye(2), np.ones((2, 1))])
    assert LossCurveDisplay.from_estimator(fitted).loss == [1.0, 0.5]
    drawn = NetworkDisplay.from_estimator(fitted)
    assert ["inputs: 2", "layer 1: 2", "outputs: 1"] == [text.get_text() for text in drawn.plot().ax_.texts]
    lines = [line for line in drawn.ax_.lines if line.get_marker() == "None"]
    assert len(lines) == 2 + 2  # an edge for every weight that is not 0
    for wrong, message in (
        (lambda: LossCurveDisplay([]), "at least one value"),
        (lambda: GradientFlowDisplay({}), "one vector of lengths"),
        (lambda: NetworkDisplay([[1.0]]), "one matrix per layer"),
        (lambda: NetworkDisplay([np.eye(2), np.eye(3)]), "as many rows"),
    ):
        with pytest.raises(ValueError, match=rf"{message}[\s\S]*Hint:"):
            wrong()
