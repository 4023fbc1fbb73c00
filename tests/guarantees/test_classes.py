"""VC dimension, growth functions and the catalogue: spec numbers, enumeration, slow twins."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certus.guarantees import cover, growth_function, sauer, shattered_sets, vc_dimension
from certus.guarantees.classes.growth_sums import log_sauer, summed_log_sauer
from certus.guarantees.classes.hypothesis_classes import (
    CLASSES,
    finite,
    half_spaces,
    intervals,
    margin_half_spaces,
    rectangles,
    relu_networks,
    sigmoid_networks,
    sines,
    stumps,
    threshold_networks,
    thresholds,
    trees,
)
from tests.guarantees import twins

SIGNS = ["++-+-+--+", "--++++-++", "----+----", "++--++-+-", "---+-+-++", "--++-+---", "+-+--++++", "--++++---"]


def table(rows):
    return [[1 if sign == "+" else -1 for sign in row] for row in rows]


def test_two_sign_matrices():
    first = table(SIGNS)
    assert vc_dimension(first) == 3
    assert shattered_sets(first, 3) == [(2, 4, 7)]
    assert growth_function(first)[:4] == [2, 4, 8, 8]
    second = table([*SIGNS[:2], "--+-+----", *SIGNS[3:]])
    assert vc_dimension(second) == 2
    assert len(shattered_sets(second, 2)) == 19
    assert growth_function(second)[:4] == [2, 4, 7, 8]


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 12), st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_search_agrees_with_the_definition(hypotheses, points, seed):
    signs = np.random.default_rng(seed).integers(0, 2, (hypotheses, points))
    assert vc_dimension(signs) == twins.vc_dimension(signs.tolist())
    growth = growth_function(signs)
    assert growth == twins.growth_function(signs.tolist())
    assert growth_function(signs, largest=2) == growth[:2]
    vc = vc_dimension(signs)
    assert all(count <= sauer(m + 1, vc) for m, count in enumerate(growth))
    sets = [c for c in itertools.combinations(range(points), vc) if len(np.unique(signs[:, c], axis=0)) == 2**vc]
    assert shattered_sets(signs, vc) == sets


def test_forms_of_a_sign_matrix():
    signs = np.array([[0, 1], [1, 1]])
    for form in (
        signs,
        signs.astype(bool),
        2 * signs - 1,
        2.0 * signs,
        signs.tolist(),
        np.array([["a", "b"], ["b", "b"]]),
    ):
        assert vc_dimension(form) == 1
        assert growth_function(form) == [2, 2]
    assert vc_dimension([[1, 1]]) == 0
    assert growth_function([[1, 1]]) == [1, 1]


def interval_table(points):
    ends = range(points + 1)
    return [[int(a <= x < b) for x in range(points)] for a, b in itertools.combinations_with_replacement(ends, 2)]


def test_growth_of_intervals_and_thresholds():
    assert intervals().growth(6) == 22
    assert len({tuple(row) for row in interval_table(6)}) == 22
    assert growth_function(interval_table(6)) == [intervals().growth(m) for m in range(1, 7)]
    assert vc_dimension(interval_table(7)) == intervals().vc
    steps = [[int(x >= t) for x in range(5)] for t in range(6)]
    assert growth_function(steps) == [thresholds().growth(m) for m in range(1, 6)]
    assert vc_dimension(steps) == thresholds().vc == 1


def stump_table(points):
    rows = []
    for j in range(points.shape[1]):
        for cut in [-np.inf, *points[:, j]]:
            rows += [points[:, j] > cut, points[:, j] <= cut]
    return np.array(rows)


def test_stumps():
    assert [stumps(d).vc for d in (1, 2, 3, 5, 10, 100, 1000)] == [2, 3, 4, 5, 6, 9, 13]
    rng = np.random.default_rng(0)
    for features, points in ((1, 4), (2, 4), (3, 5)):
        found = max(vc_dimension(stump_table(rng.random((points, features)))) for _ in range(60))
        assert found == stumps(features).vc
    for _ in range(10):
        signs = stump_table(rng.random((7, 3)))
        assert len(np.unique(signs, axis=0)) <= stumps(3).growth(7)


def test_rectangles_shatter_a_diamond_and_no_five_points():
    diamond = np.array([[0, 1], [0, -1], [1, 0], [-1, 0]], dtype=float)
    rng = np.random.default_rng(1)
    assert len(np.unique(boxes(diamond), axis=0)) == 16
    assert rectangles(2).vc == 4
    counts = [len(np.unique(boxes(rng.random((5, 2))), axis=0)) for _ in range(30)]
    assert max(counts) <= 28
    assert max(counts) <= rectangles(2).growth(5)


def boxes(points):
    """Labelings by boxes: one box around every subset is enough."""
    rows = [np.zeros(len(points), dtype=bool)]
    for size in range(1, len(points) + 1):
        for chosen in itertools.combinations(range(len(points)), size):
            low, high = points[list(chosen)].min(axis=0), points[list(chosen)].max(axis=0)
            rows.append(((points >= low) & (points <= high)).all(axis=1))
    return np.array(rows)


def test_growth_of_half_spaces_in_twenty_dimensions():
    """The share of all labelings that half-spaces through the origin reach."""
    expected = {20: 1.0, 30: 0.96929, 40: 0.5, 50: 0.07620, 60: 0.004321, 80: 2.097e-6, 100: 2.197e-10}
    for points, share in expected.items():
        assert half_spaces(20, offset=False).growth(points) / 2**points == pytest.approx(share, rel=5e-4)
    assert cover(40, 20) / 2**40 == 0.5
    assert sauer(40, 20) / 2**40 == pytest.approx(0.56269, abs=5e-6)
    assert sauer(50, 20) / 2**50 == pytest.approx(0.10132, abs=5e-6)
    assert half_spaces(2).growth(4) == 14
    assert half_spaces(2).vc == 3
    assert half_spaces(2, offset=False).vc == 2


def test_half_spaces_by_drawing_weights():
    """Many random half-planes through five random points show exactly Cover's number of labelings."""
    rng = np.random.default_rng(2)
    points = np.c_[rng.normal(size=(5, 2)), np.ones(5)]
    signs = rng.normal(size=(200_000, 3)) @ points.T > 0
    assert len(np.unique(signs, axis=0)) == half_spaces(2).growth(5)
    assert vc_dimension(np.unique(signs, axis=0)) == 3


def test_large_margin_half_spaces():
    """Orthogonal points of length R are shattered with |w|^2 = d / R^2, so d = (R |w|)^2 is reached."""
    for d, radius in ((3, 2.0), (5, 0.7)):
        norm = math.sqrt(d) / radius
        assert margin_half_spaces(radius, norm).vc == d
        for signs in itertools.product((-1, 1), repeat=d):
            w = np.array(signs) / radius
            assert np.linalg.norm(w) <= norm * (1 + 1e-12)
            assert (np.abs(w * radius) >= 1 - 1e-12).all()
    assert margin_half_spaces(10.0, 10.0, features=7).vc == 7


def tree_labelings(points, leaves):
    """All labelings of points on the line by trees: at most leaves runs of equal labels."""
    found = set()
    for labels in itertools.product((0, 1), repeat=points):
        if sum(a != b for a, b in itertools.pairwise(labels)) < leaves:
            found.add(labels)
    return found


def test_trees():
    for leaves in (1, 2, 3, 4):
        built = trees(leaves, 1)
        for points in range(1, 9):
            assert len(tree_labelings(points, leaves)) <= built.growth(points)
        assert built.vc >= leaves
    assert trees(2, 10).vc >= stumps(10).vc
    assert trees(50, 20).vc > trees(10, 20).vc
    assert not trees(3, 2).exact


def test_threshold_networks():
    assert threshold_networks((4, 1)).vc == half_spaces(4).vc
    assert threshold_networks((4, 1)).exact
    rng = np.random.default_rng(3)
    points, found = rng.normal(size=(6, 2)), set()
    for _ in range(20_000):
        hidden = np.c_[points, np.ones(6)] @ rng.normal(size=(3, 2)) > 0
        found.add(tuple((np.c_[hidden, np.ones(6)] @ rng.normal(size=3) > 0).tolist()))
    assert len(found) <= threshold_networks((2, 2, 1)).growth(6)
    assert threshold_networks((10, 20, 1)).vc > threshold_networks((10, 5, 1)).vc


def test_relu_and_sigmoid_networks():
    rng = np.random.default_rng(3)
    points = rng.normal(size=(6, 2))
    for build, unit in (
        (relu_networks, lambda a: np.maximum(a, 0)),
        (sigmoid_networks, lambda a: 1 / (1 + np.exp(-a))),
    ):
        found = set()
        for _ in range(20_000):
            hidden = unit(np.c_[points, np.ones(6)] @ rng.normal(size=(3, 2)) * 4)
            found.add(tuple((np.c_[hidden, np.ones(6)] @ rng.normal(size=3) > 0).tolist()))
        built = build((2, 2, 1))
        assert len(found) <= built.growth(6)
        for n in (1, 5, 20, 300, 10**4):
            assert built.growth(n) <= built.growth(n + 1) <= 2 ** (n + 1)
        assert built.growth(int(built.vc) + 1) < 2 ** (int(built.vc) + 1)  # not shattered any more
        assert build((10, 20, 1)).vc > build((10, 5, 1)).vc
    # A single unit is a half-space; counting patterns of polynomials loses a factor only.
    assert half_spaces(4).vc <= relu_networks((4, 1)).vc <= 10 * half_spaces(4).vc
    assert relu_networks((2, 4, 1)).growth(1000) >= threshold_networks((2, 1)).growth(1000)
    W, k = 3 * 2 + 3, 3
    assert sigmoid_networks((2, 2, 1)).vc == math.floor((W * k) ** 2 + 11 * W * k * math.log2(18 * W * k * k))
    n, bits = 500, 0.0  # the product over layers again, with its powers written out
    for units, weights, layer in ((2, 6, 1), (1, 9, 2)):
        bits += min(n * units, math.log2(2 * (2 * math.e * n * units * layer / weights) ** weights))
    assert relu_networks((2, 2, 1)).growth(n) == 2 ** math.ceil(bits)


def test_finite_classes_and_sines():
    assert finite(1000).vc == 9
    assert finite(5).growth(10) == 5
    assert sines().vc == math.inf
    for labels in itertools.product((0, 1), repeat=6):  # 1 where the sine is negative
        frequency = math.pi * (1 + sum(label * 2**i for i, label in enumerate(labels, start=1)))
        signs = [math.sin(frequency * 2.0**-i) < 0 for i in range(1, 7)]
        assert [bool(label) for label in labels] == signs


def test_course_exercises_on_small_sets():
    """Exactly k ones: min(k, n - k). At most k ones or at most k zeros: min(2 k + 1, n)."""
    for n, k in ((5, 2), (6, 1), (4, 3)):
        rows = list(itertools.product((0, 1), repeat=n))
        assert vc_dimension([row for row in rows if sum(row) == k]) == min(k, n - k)
        assert vc_dimension([row for row in rows if sum(row) <= k or n - sum(row) <= k]) == min(2 * k + 1, n)


@settings(max_examples=80, deadline=None)
@given(st.integers(1, 400), st.integers(0, 450))
def test_logarithm_of_sauers_sum(points, vc):
    exact = math.log(sauer(points, vc))
    assert log_sauer(points, vc) == pytest.approx(exact, rel=1e-11, abs=1e-11)
    assert log_sauer(points, vc) >= exact * (1 - 1e-15)
    assert summed_log_sauer(points, vc) == pytest.approx(exact, rel=1e-11, abs=1e-11)
    if 0 < vc <= points:
        assert exact <= vc * math.log(math.e * points / vc) + 1e-9
    assert exact <= vc * math.log(points + 1) + 1e-9


def test_every_class_of_the_catalogue_stays_below_sauer():
    built = [
        thresholds(),
        intervals(),
        rectangles(2),
        half_spaces(3),
        margin_half_spaces(2.0, 1.5),
        stumps(4),
        finite(300),
    ]
    assert {item.name for item in built} <= set(CLASSES)
    for item in built:
        for n in range(1, 12):
            assert item.growth(n) <= (sauer(n, int(item.vc)) if item.exact else 2**n)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: vc_dimension([]), "matrix must be a non-empty"),
        (lambda: vc_dimension([[0, 1, 2]]), "at most two different values, got 3"),
        (lambda: growth_function(np.eye(30)), "at most 26 columns, got 30"),
        (lambda: growth_function([[0, 1]], largest=0), "largest must be"),
        (lambda: sauer(-1, 2), "points must be"),
        (lambda: cover(3, 0), "dimension must be"),
        (lambda: threshold_networks((3,)), "widths must have inputs first"),
        (lambda: threshold_networks((3, 2)), "a single output last"),
        (lambda: relu_networks((3, 2)), "a single output last"),
        (lambda: sigmoid_networks((400, 400, 1)), "weights must be at most"),
        (lambda: margin_half_spaces(0.0, 1.0), "radius and norm must be"),
        (lambda: trees(0, 1), "leaves must be"),
        (lambda: finite(0), "hypotheses must be"),
    ],
)
def test_error_names_the_argument(call, message):
    with pytest.raises(ValueError, match=message):
        call()
