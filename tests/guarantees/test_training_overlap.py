"""Rows that a model was trained on are recognized; honest rows are not refused, however discrete they are."""

from __future__ import annotations

import copy
import itertools
import math
import pickle

import numpy as np
import pytest
from scipy import sparse

import certus
from certus.base import RowSketch
from certus.base.training_rows import row_sketch
from certus.guarantees.rows import cell_hashes, column_keys, fingerprint, row_hashes, table_hashes, training_overlap
from certus.guarantees.rows.training_overlap import compare_rows, log_capital
from certus.online import OGDClassifier

RNG = np.random.default_rng(0)
TABLE = RNG.normal(size=(500, 7)).round(2)


def test_equal_rows_hash_alike_in_every_form() -> None:
    TABLE[3, 2], TABLE[4, 1] = -0.0, np.nan
    hashes = row_hashes(TABLE)
    assert len(np.unique(hashes)) == 500
    zero = TABLE.copy()
    zero[3, 2] = 0.0
    forms = [
        TABLE.astype(np.float32),
        np.asfortranarray(TABLE),
        zero,
        sparse.csr_array(TABLE),
        sparse.csc_matrix(TABLE),
    ]
    for form in forms:
        np.testing.assert_array_equal(row_hashes(form), hashes)
    np.testing.assert_array_equal(row_hashes(TABLE, threads=3), hashes)
    np.testing.assert_array_equal(cell_hashes(list(TABLE.T), column_keys(7)), hashes)
    assert (row_hashes(TABLE[:, ::-1]) != hashes).all()


def test_named_columns_may_come_in_any_order_and_in_any_frame() -> None:
    import pandas as pd
    import polars as pl

    data = {"a": [1.5, 2.5, None], "b": ["x", "y", None], "c": [True, False, True]}
    target = ["no", "yes", "no"]
    told = fingerprint(table_hashes(pl.DataFrame(data), target))
    assert fingerprint(table_hashes(pl.DataFrame(data).select("c", "a", "b"), target)) == told
    assert fingerprint(table_hashes(pd.DataFrame(data).iloc[::-1], target[::-1])) == told
    assert fingerprint(table_hashes(pl.DataFrame(data).with_columns(d=1), target, ["b", "a", "c"])) == told
    assert fingerprint(table_hashes(pl.DataFrame(data), ["no", "no", "no"])) != told


@pytest.mark.parametrize("distinct", [3, 6000, 200_000])
def test_sketch_of_many_rows_is_the_smallest_hashes(distinct: int) -> None:
    hashes = row_hashes(RNG.integers(0, distinct, size=(20_000, 1)).astype(float))
    kept, counts = RowSketch(hashes).distinct()
    all_kept, all_counts = np.unique(hashes, return_counts=True)
    np.testing.assert_array_equal(kept, all_kept[: row_sketch.SIZE])
    np.testing.assert_array_equal(counts, all_counts[: row_sketch.SIZE])
    halves = RowSketch(hashes[:9000]).joined(RowSketch(hashes[9000:]))
    assert halves.same_rows(RowSketch(hashes))
    assert halves.complete == RowSketch(hashes).complete == (distinct == 3)
    halves._restored()


def test_capital_is_fair_by_enumeration() -> None:
    """Over all divisions of a pooled table the mean capital is 1: nothing is won against honest rows."""
    for values, n in (([0, 0, 1, 1, 2, 2], 3), ([0, 0, 0, 1, 2, 2, 3], 2), ([0] * 4 + [1] * 3, 5)):
        capitals = []
        for chosen in itertools.combinations(range(len(values)), n):
            a, b = np.zeros(max(values) + 1, np.int64), np.zeros(max(values) + 1, np.int64)
            for place, value in enumerate(values):
                (a if place in chosen else b)[value] += 1
            capitals.append(math.exp(log_capital(a, b, n, len(values) - n)))
        assert math.isclose(np.mean(capitals), 1.0, rel_tol=1e-12)


def simulated(rng: np.random.Generator, kind: int) -> tuple[np.ndarray, int]:
    """A pooled honest table and how many of its rows are trained on."""
    n, m = int(rng.integers(50, 6000)), int(rng.integers(20, 3000))
    if kind == 0:
        values = rng.integers(0, int(rng.integers(2, 3000)), n + m).astype(float)
    elif kind == 1:
        values = rng.zipf(1.3, n + m).clip(max=1e6).astype(float)
    else:
        values = np.floor(rng.exponential(400.0, n + m))
    return values[:, None], n


def refusals(trials: int, seed: int, level: float = 1e-3) -> float:
    """How often honest rows are refused, in units of the level (at which it is seen in fewer trials)."""
    rng = np.random.default_rng(seed)
    refused = 0
    for trial in range(trials):
        values, n = simulated(rng, trial % 3)
        hashes = row_hashes(values)
        refused += compare_rows(RowSketch(hashes[:n]), hashes[n:], level=level).recognized
    return refused / (trials * level)


def test_honest_rows_are_not_refused() -> None:
    assert refusals(300, 1) <= 6  # two refusals in 300 at 1e-3 would come by chance once in 27 runs


@pytest.mark.slow
def test_honest_rows_are_not_refused_in_many_tables() -> None:
    assert refusals(6000, 2, level=1e-2) <= 1.4


def test_gate_notices_a_test_that_forgets_repeated_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """A mutant that takes every equal row for a proof refuses honest discrete tables."""
    monkeypatch.setattr(training_overlap, "_chance_of_both", lambda n, m, times: np.full(len(n), 1e-6))
    assert refusals(60, 3) > 100


def test_copied_rows_are_recognized_with_the_stated_power() -> None:
    rng = np.random.default_rng(4)
    for n, m in ((200, 100), (3000, 500), (50_000, 20_000)):
        X, new = rng.normal(size=(n, 3)), rng.normal(size=(m, 3))
        sketch = RowSketch(row_hashes(X))
        honest = compare_rows(sketch, row_hashes(new))
        assert not honest.recognized
        assert honest.found == 0
        assert honest.noticed is not None
        copied = math.ceil(honest.noticed * m)
        noticed = 0
        for _ in range(40):
            mixed = np.vstack([X[rng.choice(n, copied, replace=False)], new[copied:]])
            noticed += compare_rows(sketch, row_hashes(mixed)).recognized
        assert noticed >= 33, (n, m)  # 95 % of 40 are 38; 32 or fewer come by chance once in 2000 runs


def test_share_and_its_interval() -> None:
    rng = np.random.default_rng(5)
    X, new = rng.normal(size=(40_000, 3)), rng.normal(size=(5000, 3))
    found = compare_rows(RowSketch(row_hashes(X)), row_hashes(np.vstack([X[:5000], new])))
    assert found.recognized
    low, high = found.interval
    assert low < found.share < high
    assert low < 0.5 < high
    small = compare_rows(RowSketch(row_hashes(X[:100])), row_hashes(np.vstack([X[:50], new[:50]])))
    assert (small.share, small.interval, small.found) == (0.5, (0.5, 0.5), 50)
    assert "50 of 100 distinct rows" in str(training_overlap.TrainingRowsError(small))


def test_too_few_rows_say_so() -> None:
    found = compare_rows(RowSketch(row_hashes(TABLE[:10])), row_hashes(TABLE[10:15]))
    assert found.noticed is None
    assert "would not have been noticed" in str(found)


@pytest.mark.parametrize("rows", [40, 4000, 9000])
def test_small_batches_have_the_sketch_of_the_whole(rows, tmp_path):
    """They are merged in bulk; whoever asks, copies or saves in between notices nothing."""
    hashes = np.random.default_rng(rows).integers(0, 2**63, rows).astype(np.uint64)
    hashes[::5] = hashes[0]
    whole = RowSketch(hashes)
    sketch = RowSketch(hashes[:7])
    for start in range(7, rows, 32):
        sketch = sketch.joined(RowSketch(hashes[start : start + 32]))
        if start == 7 + 32 * 20:
            assert sketch.complete == (len(np.unique(hashes[: start + 32])) <= 4096)
            sketch = pickle.loads(pickle.dumps(sketch))
    saved = copy.deepcopy(sketch)
    assert saved.same_rows(whole)
    assert (sketch.rows, sketch.complete) == (whole.rows, whole.complete)
    for one, two in zip(sketch.distinct(), whole.distinct(), strict=True):
        np.testing.assert_array_equal(one, two)
    with pytest.raises(AttributeError):
        sketch.nothing


def test_rows_of_small_batches_are_recognized_after_saving(tmp_path):
    X = np.random.default_rng(0).normal(size=(64, 3))
    y = (X[:, 0] > 0).astype(int)
    learner = OGDClassifier()
    for start in range(0, 64, 16):
        learner.partial_fit(X[start : start + 16], y[start : start + 16])
    certus.save(learner, tmp_path / "learner.certus")
    for model in (learner, certus.load(tmp_path / "learner.certus")):
        with pytest.raises(ValueError, match="train"):
            model.certify(X[:40], y[:40])
