"""The group of commands about Bayesian networks in files."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from certus.graphical import BayesianNetwork, ConditionalGaussianNetwork, LinearNormal, read_network, write_network
from tests.cli.conftest import Run
from tests.cli.test_frame import process


@pytest.fixture
def file(tmp_path: Path) -> Path:
    network = BayesianNetwork(
        {"gauge": ["battery", "fuel"]},
        {"battery": ["flat", "charged"], "fuel": ["empty", "full"], "gauge": ["low=0", "high"]},
        {
            "battery": [0.1, 0.9],
            "fuel": [0.1, 0.9],
            "gauge": [[[0.9, 0.1], [0.8, 0.2]], [[0.8, 0.2], [0.2, 0.8]]],
        },
    )
    write_network(network, tmp_path / "fuel.bif")
    return tmp_path / "fuel.bif"


def test_help_imports_no_family() -> None:
    code = """
import atexit, sys
from certus.cli.app import app
atexit.register(lambda: print("certus.graphical" in sys.modules))
app(["network", "--help"])
"""
    done = process(code=code)
    assert done.stdout.splitlines()[-1] == "False"
    for name in ("info", "lint", "query", "mpe", "separate", "sample", "convert", "draw"):
        assert f"  {name} " in done.stdout


def test_query(file: Path) -> None:
    run = Run("network", "query", file, "--target", "fuel", "--evidence", "gauge=low=0", "--json")
    assert run.code == 0
    assert set(run.json) == {"target", "states", "probabilities", "log_evidence", "certificate"}
    assert run.json["probabilities"][0] == pytest.approx(9 / 35)
    assert run.json["states"] == ["empty", "full"]
    assert run.json["certificate"]["kind"] == "exact"
    both = Run("network", "query", file, "--target", "fuel", "--target", "battery", "--json").json
    assert both["probabilities"][0][0] == pytest.approx(0.01)
    assert "0.257143" in Run("network", "query", file, "--target", "fuel", "--evidence", "gauge=low=0").out


def test_networks_with_continuous_nodes(tmp_path: Path) -> None:
    pets = ConditionalGaussianNetwork(
        {"size": ["kind"]},
        {"kind": ["cat", "dog"]},
        {"kind": [0.5, 0.5]},
        {"size": LinearNormal([25.0, 50.0], (), 100.0)},
    )
    path = tmp_path / "pets.json"
    write_network(pets, path)
    assert Run("network", "info", path, "--json").json["continuous"] == 1
    found = Run("network", "query", path, "--target", "kind", "--evidence", "size=37.5", "--json").json
    assert found["probabilities"] == pytest.approx([0.5, 0.5])
    found = Run("network", "query", path, "--target", "size", "--json").json
    assert found["mean"] == pytest.approx([37.5])
    assert found["probabilities"] is None
    assert "37.5" in Run("network", "query", path, "--target", "size", "--target", "kind").out
    assert Run("network", "sample", path, "--rows", 5, "-o", tmp_path / "a.csv").code == 0
    assert pl.read_csv(tmp_path / "a.csv").columns == ["kind", "size"]
    for arguments in (
        ["mpe", path],
        ["lint", path],
        ["convert", path, tmp_path / "a.bif"],
        ["query", path, "--target", "kind", "--evidence", "size=big"],
        ["query", path, "--target", "kind", "--method", "gibbs"],
    ):
        run = Run("network", *arguments)
        assert run.code == 2
        assert "Traceback" not in run.err


def test_other_commands(file: Path, tmp_path: Path) -> None:
    assert Run("network", "info", file, "--json").json["parameters"] == 6
    assert "polytree" in Run("network", "info", file).out
    assert Run("network", "lint", file, "--json").json == []
    best = Run("network", "mpe", file, "--evidence", "gauge=low=0", "--best", 2, "--json").json
    assert best[0]["assignment"]["fuel"] == "full"
    assert len(best) == 2
    assert "charged" in Run("network", "mpe", file).out
    closed = Run("network", "separate", file, "--a", "battery", "--b", "fuel", "--json").json
    assert closed["separated"]
    assert closed["blocks"][0]["node"] == "gauge"
    assert "is open" in Run("network", "separate", file, "--a", "battery", "--b", "fuel", "--given", "gauge").out
    rows = tmp_path / "rows.csv"
    assert Run("network", "sample", file, "-o", rows, "--rows", 20, "--evidence", "fuel=empty").code == 0
    assert pl.read_csv(rows)["fuel"].unique().to_list() == ["empty"]
    assert Run("network", "convert", file, tmp_path / "fuel.net").code == 0
    assert read_network(tmp_path / "fuel.net") == read_network(file)
    for ending in ("svg", "dot"):
        picture = tmp_path / f"fuel.{ending}"
        assert Run("network", "draw", file, "-o", picture, "--marginals", "--evidence", "fuel=full").code == 0
        assert "gauge" in picture.read_text()


def test_pictures_and_tables_that_cannot_be(file: Path, tmp_path: Path) -> None:
    run = Run("network", "draw", file, "-o", tmp_path / "a.png")
    assert run.code == 2
    assert ".svg or .dot" in run.err
    (tmp_path / "gaps.csv").write_text("a,b\nx,\n,y\n")
    run = Run("network", "learn", tmp_path / "gaps.csv", "-o", tmp_path / "a.bif")
    assert run.code == 2
    assert "2 rows with gaps" in run.err


def test_bad_input_is_one_message(file: Path, tmp_path: Path) -> None:
    run = Run("network", "query", file, "--target", "fuell")
    assert run.code == 2
    assert "near names are 'fuel'" in run.err
    assert "one of 'low=0', 'high'" in Run("network", "mpe", file, "--evidence", "gauge=low").err
    assert "NODE=STATE" in Run("network", "mpe", file, "--evidence", "gauge").err
    (tmp_path / "bad.bif").write_text("variable a {")
    run = Run("network", "info", tmp_path / "bad.bif")
    assert run.code == 2
    assert "line 1" in run.err
    assert Run("network").code == 2
