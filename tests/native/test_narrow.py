"""Doubles as floats: the same numbers as NumPy's for every layout, and whether all of them are finite."""

import numpy as np
import pytest

from certus import _native
from certus.trees import DecisionTreeClassifier


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize(
    "layout",
    [
        lambda X: X,
        np.asfortranarray,
        lambda X: X[::2, 1::3],
        lambda X: X[::-1],
        lambda X: X[:, ::-1],
        lambda X: np.asfortranarray(X)[::-3, ::2],
        lambda X: np.broadcast_to(X[0], X.shape),
    ],
)
def test_every_layout(layout, threads):
    X = layout(np.random.default_rng(0).normal(size=(700, 211)))
    out = np.empty_like(X, dtype=np.float32)
    assert _native.narrow(X, out, threads)
    np.testing.assert_array_equal(out, X.astype(np.float32))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e39, -4e38])
@pytest.mark.parametrize("place", [(0, 0), (299, 6), (150, 3)])
def test_what_is_not_finite_is_noticed(bad, place):
    X = np.full((300, 7), np.finfo(np.float32).max, dtype=np.float64)
    out = np.empty(X.shape, dtype=np.float32)
    assert _native.narrow(X, out, 1)
    X[place] = bad
    assert not _native.narrow(X, out, 2)
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(out, X.astype(np.float32))


def test_other_shapes_are_refused():
    with pytest.raises(ValueError, match="fit together"):
        _native.narrow(np.ones((3, 2)), np.ones((2, 3), dtype=np.float32), 1)


def test_one_row_is_refused_as_a_table_is():
    X = np.random.default_rng(1).normal(size=(50, 3))
    tree = DecisionTreeClassifier().fit(X, X[:, 0] > 0)
    for bad, message in ((np.inf, "row 0, column 1"), (1e39, "row 0, column 1")):
        with pytest.raises(ValueError, match=message):
            tree.predict([[0.0, bad, 0.0]])
        with pytest.raises(ValueError, match=message):
            tree.predict(np.array([[0.0, bad, 0.0]]))
    assert tree.predict(np.array([[np.nan, 0.0, 0.0]])).shape == (1,)
    for width in (1, 2, 4):
        with pytest.raises(ValueError, match=f"X has {width} features"):
            tree.predict(np.zeros((1, width)))
    with pytest.raises(ValueError, match="0 sample"):
        tree.predict(np.zeros((0, 3)))
    with pytest.raises(ValueError, match="Expected 2D"):
        tree.predict(np.zeros(3))
    unaligned = np.zeros((1, 1), dtype=[("tag", "i1"), ("row", "f8", 3)])["row"][0]
    assert not unaligned.flags.aligned
    assert tree.predict(unaligned) == tree.predict(np.zeros((1, 3)))
