"""Samples of tables in blocks: every row equally likely, the same rows whoever reads, and an honest price."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import polars as pl
import pytest

import certus
from certus.guarantees.holdout import sampled_mean_bound
from tests.scale.pieces import cut, numbers_table


def table_of(count, cuts):
    edges = [0, *cuts, count]
    rows = np.arange(count, dtype=float)[:, None]
    return certus.scale.blocks([rows[a:b] for a, b in pairwise(edges)])


def test_every_row_is_equally_likely():
    table, times = table_of(12, [1, 1, 7]), np.zeros(12)
    draws = 1000
    for seed in range(draws):
        drawn = certus.scale.sample(table, 5, seed=seed).rows[:, 0].astype(int)
        assert len(set(drawn)) == 5
        assert (np.diff(drawn) > 0).all()
        times[drawn] += 1
    spread = math.sqrt(draws * 5 / 12 * 7 / 12)
    assert (np.abs(times - draws * 5 / 12) < 4.5 * spread).all()


def test_kinds_of_blocks_stay_and_the_seed_decides():
    X, y = numbers_table()
    frame = pl.DataFrame(X, schema=list("abcd")).with_columns(y=y)
    table = certus.scale.blocks([frame[:50], frame[50:50], frame[50:]])
    drawn = certus.scale.sample(table, 30, seed=1)
    assert isinstance(drawn.rows, pl.DataFrame)
    assert drawn.population == 200
    assert drawn.xy("y")[0].columns == list("abcd")
    assert drawn.rows.equals(certus.scale.sample(table, 30, seed=1).rows)
    assert not drawn.rows.equals(certus.scale.sample(table, 30, seed=2).rows)
    pairs = certus.scale.sample(certus.scale.blocks([(X, y), (X, y)]), 7)
    assert [part.shape for part in pairs.xy()] == [(7, 4), (7,)]
    everything = certus.scale.sample(cut((X, y), 3)[0], 1000)
    assert everything.rows.shape == (200, 4)
    assert everything.report["price of sampling"].value == 0.0


@pytest.mark.parametrize("rows", [0, 1.5, True])
def test_bad_numbers_of_rows(rows):
    with pytest.raises(ValueError, match="rows must be an integer that is at least 1"):
        certus.scale.sample(table_of(12, [3]), rows)


@pytest.mark.parametrize(("rows", "population"), [(1, 1), (5, 40), (20, 40), (40, 40), (10_000, 10**12)])
def test_the_certificate_is_derived_again(rows, population):
    certificate = sampled_mean_bound(rows, population)
    assert certificate.check()


@pytest.mark.parametrize("population", [30, 60])
@pytest.mark.parametrize("rows", [5, 15, 29])
def test_the_price_holds_exactly(rows, population):
    """Losses 0 and 1: the sample's count is hypergeometric, and its exact tail keeps the promised level."""
    from scipy.stats import hypergeom

    width = sampled_mean_bound(rows, population, confidence=0.9).value
    for ones in range(population + 1):
        counts = np.arange(rows + 1)
        far = np.abs(counts / rows - ones / population) >= width
        assert hypergeom.pmf(counts, population, ones, rows)[far].sum() <= 0.1
    # A mutant that takes half the width fails.
    half, ones = 0.5 * width, population // 2
    far = np.abs(np.arange(rows + 1) / rows - ones / population) >= half
    assert rows == 29 or hypergeom.pmf(np.arange(rows + 1), population, ones, rows)[far].sum() > 0.1
