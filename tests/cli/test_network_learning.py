"""Networks from tables on the command line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from certus.graphical import read_network
from tests.cli.conftest import Run


@pytest.fixture
def table(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    rain = rng.random(400) < 0.3
    wet = np.where(rng.random(400) < 0.9, rain, ~rain)
    level = np.where(rain, 5.0, 1.0) + 0.3 * rng.normal(size=400)
    frame = pl.DataFrame({"rain": np.where(rain, "yes", "no"), "wet": np.where(wet, "wet", "dry"), "level": level})
    holes = pl.when(pl.int_range(pl.len()) % 9 == 0).then(None).otherwise(pl.col("wet")).alias("wet")
    frame.with_columns(holes).write_csv(tmp_path / "rows.csv")
    return tmp_path / "rows.csv"


def test_a_network_is_learned_and_written(table: Path, tmp_path: Path) -> None:
    out = tmp_path / "net.bif"
    run = Run("network", "learn", table, "-o", out, "--method", "exact", "--target", "rain", "--json")
    assert run.code == 0, run.out
    assert run.json["score"] <= run.json["upper_bound"] <= run.json["score"] + 1e-6
    network = read_network(out)
    assert frozenset(("rain", "level")) in {frozenset(edge) for edge in network.edges}
    assert len(network.edges) == 2
    assert len(network.states("level")) == 2
    assert "no network" in Run("network", "learn", table, "-o", out).out


def test_a_target_that_is_no_column(table: Path, tmp_path: Path) -> None:
    run = Run("network", "learn", table, "-o", tmp_path / "n.bif", "--target", "snow")
    assert run.code != 0
    assert "--target must be one of 'rain', 'wet', 'level'" in run.out + run.err
