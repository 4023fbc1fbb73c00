"""The compiled scatter matrix: equal to numpy's, in any layout, and in equal bits for any number of threads."""

import numpy as np
import pytest

from certus.components import _native_calls

SHAPES = [(1, 1), (2, 30), (191, 24), (193, 25), (700, 7), (5_000, 49), (3_000, 150)]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("shape", SHAPES)
def test_the_scatter_is_that_of_numpy(shape: tuple[int, int], dtype: type, weighted: bool) -> None:
    rng = np.random.default_rng(shape[1])
    table = (rng.normal(size=shape) + 1e3).astype(dtype)
    roots = np.sqrt(rng.integers(0, 4, shape[0]).astype(float)) if weighted else None
    origin = table.astype(np.float64).mean(axis=0) + 0.1
    moved = table.astype(np.float64) - origin
    rooted = moved if roots is None else moved * roots[:, None]
    sums = rooted.sum(axis=0) if roots is None else roots @ rooted
    found = _native_calls.scatter(table, roots, origin, 1)
    np.testing.assert_allclose(found[0], rooted.T @ rooted, rtol=1e-10, atol=1e-10 * (rooted**2).sum())
    np.testing.assert_allclose(found[1], sums, rtol=1e-9, atol=1e-9 * shape[0])
    np.testing.assert_array_equal(found[0], found[0].T)
    for threads in (2, 5):
        again = _native_calls.scatter(table, roots, origin, threads)
        np.testing.assert_array_equal(again[0], found[0])
        np.testing.assert_array_equal(again[1], found[1])


def test_other_layouts(monkeypatch: pytest.MonkeyPatch) -> None:
    table = np.random.default_rng(0).normal(size=(500, 12))
    roots = np.linspace(1.0, 2.0, 500)
    expected = _native_calls.scatter(table, roots, np.zeros(12), 1)
    monkeypatch.setattr(_native_calls, "COPIED_CELLS", 1_000)
    for layout in (np.asfortranarray(table), np.repeat(table, 2, axis=1)[:, ::2]):
        found = _native_calls.scatter(layout, roots, np.zeros(12), 2)
        np.testing.assert_allclose(found[0], expected[0], rtol=1e-12, atol=1e-10)
        np.testing.assert_allclose(found[1], expected[1], rtol=1e-12, atol=1e-10)
