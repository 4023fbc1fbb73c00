"""A sealed study shows of its test rows nothing but a bound, and later looks pay for all that it could show."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import certus
from certus.workflow import Study, StudyError

ROWS = 240


def table(seed: int = 0) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(ROWS, 3))
    color = rng.choice(["red", "green"], ROWS)
    y = np.where(X[:, 0] + 0.7 * rng.normal(size=ROWS) > 0, "yes", "no")
    size = X[:, 0] + rng.normal(size=ROWS)
    return pl.DataFrame({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "color": color, "y": y, "size": size})


def sealed(frame: pl.DataFrame, store: Path, **options: Any) -> Study:
    asked = {"target": "y", "drop": ["size"], "families": ["linear"], "trials": 2, "sealed": True, **options}
    result = certus.study(frame, looks=str(store), **asked)
    assert isinstance(result, Study)
    return result


def without_the_bound(study: Study) -> str:
    told = study.to_dict()
    del told["winner"]["certificate"], told["certificates"], told["seconds"]
    for row in told["leaderboard"]:
        del row["seconds"]
    page = re.sub(
        r"\b[0-9a-f]{64}\b|"  # the digest of the table
        r"[\d.]+ s\b|[\d.]+e-\d\d|[\d.]+ ?%|\d+ (errors?|such rows?) in \d+ rows|<td[^>]*>\d+\.\d\d</td>",
        "",
        study.report,
    )
    page = re.sub(r"<svg.*?</svg>", "", page, flags=re.DOTALL) if study.task.kind != "binary" else page
    # Sums of the same numbers at other places of the memory may differ by rounding.
    rounded = json.loads(json.dumps(told), parse_float=lambda text: f"{float(text):.6g}")
    return json.dumps(rounded) + page


@pytest.mark.parametrize("target", ["y", "size"])
def test_nothing_but_the_bound_depends_on_the_test_rows(target: str, tmp_path: Path) -> None:
    first = table()
    dropped = ["size"] if target == "y" else ["y"]
    study = sealed(first, tmp_path / "1.sqlite", target=target, drop=dropped)
    test = study.split.test
    some = pl.col("row").is_in(test[:6].tolist())
    spoiled = first.with_row_index("row").with_columns(
        pl.when(some)
        .then(pl.when(pl.col("a") > 0).then(pl.lit("no")).otherwise(pl.lit("yes")))
        .otherwise("y")
        .alias("y"),
        pl.when(some).then(9.0).otherwise("size").alias("size"),
        pl.when(some).then(pl.col("a") + 0.01).otherwise("a").alias("a"),
    )
    other = sealed(spoiled.drop("row"), tmp_path / "2.sqlite", target=target, drop=dropped)
    assert (other.split.test == test).all()
    assert other.certificate.value != study.certificate.value
    assert without_the_bound(other) == without_the_bound(study)
    assert other.to_dict()["winner"]["test_value"] is None
    assert other.to_dict()["baseline"]["test_value"] is None
    assert [item.fingerprint for item in study.certificates if item.fingerprint] == [study.certificate.fingerprint]


def test_figures_are_those_of_validation_rows(tmp_path: Path) -> None:
    study = sealed(table(), tmp_path / "looks.sqlite")
    learned = study.split.learn
    assert study.sealed
    assert sorted(study.evaluation.truth) == sorted(table()["y"].to_numpy()[learned])
    assert study.evaluation.value == pytest.approx(study.winner.value)
    assert study.findings.to_dict()["kind"] == "estimate"
    assert study.judgment.headline == (
        "Better than guessing (on validation rows, the test is sealed: an estimate, no guarantee)"
    )
    assert "192 validation rows" in str(study)
    assert "1st look at these rows, sealed." in str(study)
    assert study.certificate.kind == "probable"
    assert study.certificate.inputs["uses"] == 2
    assert "sealed-looks" in study.certificate.assumptions
    assert study.sets is None
    assert "Looks at the test rows" in study.report
    assert "test rows are" not in " ".join(study.advice)
    assert study.certificates.check()


def test_later_looks_pay_for_every_outcome(tmp_path: Path) -> None:
    store = tmp_path / "looks.sqlite"
    first = sealed(table(), store)
    rows = len(first.split.test)
    second = sealed(table(), store, families=["trees"])
    assert second.look is not None
    assert second.look.uses == 6 * (rows + 1)
    assert second.certificate.inputs["uses"] == second.look.uses
    assert second.certificate.kind == "probable"
    assert "sealed, one of 49 outcomes" in second.report
    third = sealed(table(), store, families=["neighbors"], sealed_steps=8)
    assert third.look is not None
    assert third.look.uses == 12 * (rows + 1) ** 2
    assert "at most" in third.certificate.claim.split("(")[1]
    assert third.look.outcomes == 8
    fourth = sealed(table(), store, families=["ensemble"])
    assert fourth.look is not None
    assert fourth.look.uses == 20 * (rows + 1) ** 2 * 8
    assert {one.kind for one in fourth.certificates if one.fingerprint is None} <= {"estimate", "exact"}  # its sets


def test_rows_that_were_learned_from_are_no_fresh_rows(tmp_path: Path) -> None:
    """What a report shows of validation and calibration rows may have chosen the next model as well."""
    store = tmp_path / "looks.sqlite"
    sealed(table(), store)
    other = sealed(table(), store, seed=1, families=["bayes"])
    assert other.look is not None
    assert other.look.number == 2
    assert other.certificate.kind == "estimate"
    assert "2nd look at these rows: an estimate, no guarantee." in str(other)
    fresh = certus.study(
        table(), test=table(1), target="y", drop=["size"], families=["linear"], trials=2, looks=str(store)
    )
    assert fresh.certificate.kind == "probable"


def test_a_look_that_shows_more_breaks_the_seal(tmp_path: Path) -> None:
    store = tmp_path / "looks.sqlite"
    sealed(table(), store)
    opened = sealed(table(), store, sealed=False)
    assert opened.certificate.kind == "probable"  # the same predictions as the first look
    assert sealed(table(), store, families=["trees"]).certificate.kind == "estimate"


def test_sets_of_labels_and_time(tmp_path: Path) -> None:
    frame = table().with_columns(pl.col("b").gt(0).alias("second"), pl.int_range(ROWS).alias("day"))
    several = sealed(frame, tmp_path / "1.sqlite", target=["y", "second"], families=["trees"])
    assert several.findings.rows == "validation"
    assert len(several.evaluation.truth) == len(several.split.learn)
    in_time = sealed(frame, tmp_path / "2.sqlite", order="day", drop=["size", "second"])
    assert "future-like-test-period" in in_time.certificate.assumptions
    assert in_time.certificate.witness["rows"] == 48


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"looks": None}, "sealed must come with looks"),
        ({"refit_all": True}, "sealed and refit_all exclude each other"),
        ({"audit_rows": "rows.csv"}, "sealed and audit_rows exclude each other"),
        ({"not_adapted": True}, "sealed and not_adapted exclude each other"),
        ({"group": "color"}, "sealed and group exclude each other"),
        ({"sealed_steps": 1}, "sealed_steps must be at least 2"),
        ({"sealed": False, "sealed_steps": 9}, "sealed_steps must come with sealed"),
        ({"target": None, "task": "clustering"}, "sealed must come with a target"),
    ],
)
def test_what_cannot_be_sealed(options: dict[str, Any], message: str, tmp_path: Path) -> None:
    asked = {"target": "y", "looks": str(tmp_path / "looks.sqlite"), "sealed": True, "trials": 1, **options}
    with pytest.raises(StudyError, match=message):
        certus.study(table(), **asked)
    with pytest.raises(StudyError, match="nobody counts who has seen the built-in table"):
        certus.study(sealed=True, looks=str(tmp_path / "looks.sqlite"))
    assert list(tmp_path.iterdir()) == []
