"""A study's test rows: looks at them are counted, and whoever has them can recount the certificate."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import certus
from certus.workflow.study_error import StudyError
from tests.cli.conftest import Run

RNG = np.random.default_rng(0)
NOISE = RNG.normal(size=(300, 3))
TABLE = pl.DataFrame(
    {
        "a": NOISE[:, 0],
        "b": NOISE[:, 1].round(1),
        "town": np.where(NOISE[:, 2] > 0, "Bonn", "Kiel"),
        "y": np.where(NOISE[:, 0] + 0.7 * RNG.normal(size=300) > 0, "yes", "no"),
    }
)


def test_later_studies_of_the_same_rows_are_estimates(tmp_path: Path) -> None:
    store = str(tmp_path / "looks.sqlite")
    first = certus.study(TABLE, target="y", trials=1, families=["bayes"], looks=store)
    assert first.certificate.kind == "probable"
    assert first.to_dict()["looks"]["number"] == 1
    again = certus.study(TABLE, target="y", trials=1, families=["bayes"], looks=store)
    assert (again.look.number, again.certificate.kind) == (1, "probable")  # the same predictions: the same look
    other = certus.study(TABLE, target="y", trials=1, families=["trees"], looks=store)
    assert (other.look.number, other.certificate.kind) == (2, "estimate")
    assert "2nd look at these rows: an estimate, no guarantee." in str(other)
    assert other.certificate.check()
    declared = certus.study(TABLE, target="y", trials=1, families=["linear"], looks=store, not_adapted=True)
    assert declared.certificate.confidence == pytest.approx(1 - 0.05 / 12, abs=1e-5)
    assert "not-adapted-to-these-rows" in declared.certificate.assumptions
    assert certus.study(TABLE, target="y", trials=1, families=["neighbors"]).look is None


def uneven(rows: int = 3000) -> pl.DataFrame:
    """Rows of which one town is much harder to predict; enough of them for calibration rows."""
    rng = np.random.default_rng(0)
    town, side = rng.choice(["Bonn", "Kiel"], rows, p=[0.7, 0.3]), rng.choice([-1.0, 1.0], rows)
    x = side * np.where(town == "Kiel", 0.1, 2.0) + 0.05 * rng.normal(size=rows)
    wrong = (town == "Kiel") & (rng.random(rows) < 0.4)
    y = np.where((side > 0) ^ wrong, "yes", "no")
    return pl.DataFrame({"x": x, "town": town, "y": y})


def test_all_that_a_later_look_tells_of_the_rows_is_an_estimate(tmp_path: Path) -> None:
    table, store = uneven(), str(tmp_path / "looks.sqlite")
    first = certus.study(table, target="y", trials=1, families=["bayes"], looks=store)
    assert first.findings.subgroups
    assert first.findings.guards
    assert first.to_dict()["findings"]["kind"] == "probable"
    assert "provably above" in first.report
    later = certus.study(table, target="y", trials=1, families=["linear"], looks=store)
    assert later.look.number == 2
    assert later.findings.subgroups
    assert later.findings.guards
    assert later.to_dict()["findings"]["kind"] == "estimate"
    assert "2nd look at these rows: an estimate, no guarantee" in later.judgment.headline
    assert "nobody touched" not in str(later) + later.report
    assert "provably" not in later.report
    assert "hold together with confidence" not in later.report
    rested = [told for told in later.advice if "test rows" in told or "probabilit" in told]
    assert rested
    assert all(told.startswith("an estimate (2nd look at these rows)") for told in rested)
    held_out = [one for one in later.certificates if one.kind != "exact"]
    assert len(held_out) >= 3  # the winner's, the level of the sets, and how often they miss
    assert all(one.kind == "estimate" and one.check() for one in held_out)


def test_a_declared_look_pays_in_its_findings_too(tmp_path: Path) -> None:
    table, store = uneven(), str(tmp_path / "looks.sqlite")
    certus.study(table, target="y", trials=1, families=["bayes"], looks=store)
    declared = certus.study(table, target="y", trials=1, families=["trees"], looks=store, not_adapted=True)
    alone = certus.study(table, target="y", trials=1, families=["trees"])
    wider = {group.name: group.bound for group in declared.findings.subgroups}
    assert wider
    for group in alone.findings.subgroups:
        assert wider.get(group.name, 1.0) > group.bound
    assert declared.sets is not None
    assert alone.sets is not None
    assert declared.sets.level == alone.sets.level
    assert declared.sets.bound > alone.sets.bound


def test_audit_rows_let_somebody_else_recount(tmp_path: Path) -> None:
    TABLE.write_csv(tmp_path / "table.csv")
    options = ["--target", "y", "--trials", "1", "--families", "bayes", "--looks", tmp_path / "looks.sqlite"]
    folder, audit = tmp_path / "out", tmp_path / "audit.csv"
    done = Run("study", tmp_path / "table.csv", *options, "--out", folder, "--audit-rows", audit, "--json")
    assert done.code == 0
    assert done.json["looks"]["promised"] is True
    checked = Run("check", folder / "model.certus", audit, "--target", "y", "--require", "recounted", "--json")
    assert checked.code == 0
    assert checked.json["level"] == "recounted"
    assert checked.json["training_overlap"]["recognized"] is False
    whole = Run("check", folder / "model.certus", tmp_path / "table.csv", "--target", "y")
    assert whole.code == 2
    assert "was trained on" in whole.err
    assert "--allow-training-rows" in whole.err
    allowed = Run("check", folder / "model.certus", tmp_path / "table.csv", "--target", "y", "--allow-training-rows")
    assert allowed.code == 0
    assert "level: consistent" in allowed.out


def test_audit_file_of_an_unknown_kind(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match=r"audit_rows must end in .csv"):
        certus.study(TABLE, target="y", trials=1, audit_rows=str(tmp_path / "rows.doc"))


def test_built_in_table_is_not_counted(tmp_path: Path) -> None:
    store = tmp_path / "looks.sqlite"
    assert certus.study(trials=1, families=["bayes"], looks=str(store)).look is None
    assert not store.exists()


def test_other_types_of_columns_do_not_make_other_rows(tmp_path: Path) -> None:
    """What a study is told about columns changes how it learns from rows, not which rows it has looked at."""
    rng = np.random.default_rng(0)
    days = np.datetime64("2024-01-01") + np.arange(200)
    table = pl.DataFrame(
        {
            "size": rng.normal(size=200).round(3),
            "code": rng.integers(0, 5, 200),
            "day": days.astype(str),
            "y": rng.integers(0, 2, 200),
        }
    )
    asked: dict[str, Any] = {"target": "y", "trials": 1, "threads": 1, "looks": str(tmp_path / "looks.sqlite")}
    table.write_csv(tmp_path / "table.csv")
    for number, (rows, more) in enumerate(
        [
            (table, {}),
            (table, {"types": {"code": "category"}}),
            (table, {"types": {"size": "text", "y": "category"}}),
            (table, {"drop": ["code"], "families": ["linear"]}),
            (table, {"order": "day"}),
            (tmp_path / "table.csv", {"types": {"day": "category"}, "families": ["trees"]}),
        ],
        1,
    ):
        assert certus.study(rows, **{"families": ["bayes"], **asked, **more}).look.number == number, more
