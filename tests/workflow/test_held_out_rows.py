"""A study's test rows: looks at them are counted, and whoever has them can recount the certificate."""

from __future__ import annotations

from pathlib import Path

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
