"""Studies with their models, a journal to resume, states of monitors; part of `write.py`, run with version 0.1.0."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from answers import Numbers, promised, told

import certus

WORDS = ["good", "bad", "fast", "slow", "cheap", "fine", "poor"]
PREDICTED = 12  # of the test rows
JOURNAL_STUDY = ["--target", "grade", "--families", "linear,bayes,neighbors", "--trials", "5", "--threads", "1"]


def people(rows: int, seed: int, text: bool = False) -> pl.DataFrame:
    """A table with every kind of column and of target."""
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 80, rows)
    income = np.round(rng.gamma(4.0, 700.0, rows))
    town = rng.choice(["Rome", "Oslo", "Bern"], rows)
    bias = (age - 49) / 20.0 + (town == "Rome") + rng.normal(size=rows) * 0.5
    made: dict[str, Any] = {
        "age": age,
        "income": pl.Series(np.where(rng.random(rows) < 0.1, np.nan, income)).fill_nan(None),
        "town": town,
        "since": pl.Series(np.datetime64("2020-01-01") + rng.integers(0, 900, rows)).cast(pl.Date),
    }
    if text:
        said = [" ".join([*rng.choice(WORDS, 4), "good" if b > 0 else "bad", f"no{k}"]) for k, b in enumerate(bias)]
        made["said"] = said
    made |= {
        "rich": np.where(bias > 0, "yes", "no"),
        "grade": np.array(["a", "b", "c"])[np.digitize(bias, [-0.7, 0.7])],
        "level": np.array(["low", "medium", "high"])[np.digitize(bias, [-0.7, 0.7])],
        "first": np.where(bias > 0.2, "on", "off"),
        "second": np.where(income > 2500, "rich", "poor"),
        "price": np.round(100.0 + 30.0 * bias + income / 100.0, 1),
        "house": rng.integers(0, max(2, rows // 4), rows),
    }
    return pl.DataFrame(made)


COLUMNS = ["age", "income", "town", "since"]
# By name: rows of the table, further columns beside the target, options of the study. Studies in order of time have
# no models of folds, which keeps their files small.
BINARY, GRADE, PRICE = {"target": "rich"}, {"target": "grade"}, {"target": "price"}
BAYES, LINES, TREES = ({"families": [family]} for family in ("bayes", "linear", "trees"))
IN_ORDER, ONE = {"order": "since", "trials": 1}, {"trials": 1}
STUDIES: dict[str, tuple[int, list[str], dict[str, Any]]] = {
    "binary": (60, [], BINARY | {"families": ["linear", "bayes"], "trials": 3}),
    "binary-f1": (60, [], BINARY | LINES | IN_ORDER | {"measure": "f1"}),
    "binary-auc": (60, [], BINARY | BAYES | IN_ORDER | {"measure": "auc"}),
    "binary-costs": (60, [], BINARY | LINES | IN_ORDER | {"costs": {("yes", "no"): 5.0}}),
    "binary-groups": (60, ["house"], BINARY | LINES | ONE | {"group": "house"}),
    "binary-trees": (60, [], BINARY | TREES | IN_ORDER),
    "binary-text": (60, ["said"], BINARY | BAYES | IN_ORDER),
    "binary-calibrated": (1300, [], BINARY | LINES | ONE),
    "multiclass": (60, [], GRADE | {"families": ["bayes", "neighbors"], "trials": 3}),
    "multiclass-balanced": (60, [], GRADE | LINES | IN_ORDER | {"measure": "balanced_error"}),
    "multiclass-macro-f1": (60, [], GRADE | BAYES | IN_ORDER | {"measure": "macro_f1"}),
    "multiclass-auc": (60, [], GRADE | LINES | IN_ORDER | {"measure": "auc"}),
    "multiclass-blend": (60, [], GRADE | IN_ORDER | {"families": ["bayes", "linear"], "trials": 4}),
    "ordinal": (60, [], {"target": "level", "levels": ["low", "medium", "high"]} | LINES | ONE),
    "multi-label": (60, [], {"target": ["first", "second"]} | TREES | {"trials": 2}),
    "multi-label-linear": (60, [], {"target": ["first", "second"]} | LINES | {"trials": 2}),
    "regression": (60, [], PRICE | LINES | {"trials": 2}),
    "regression-blend": (60, [], PRICE | IN_ORDER | {"families": ["linear", "neighbors"], "trials": 4}),
    "regression-calibrated": (1300, [], PRICE | LINES | ONE),
    "regression-of-known-range": (60, [], PRICE | LINES | IN_ORDER | {"measure": "mae", "loss_range": (0.0, 500.0)}),
    "regression-own-loss": (
        60,
        [],
        PRICE | TREES | IN_ORDER | {"measure": "least(abs(truth - prediction), 50)", "loss_range": (0.0, 50.0)},
    ),
    "regression-scaled-target": (60, [], PRICE | {"families": ["svm"]} | IN_ORDER),
    "clustering": (60, [], {"trials": 3}),
}


def run_studies(folder: Path, numbers: Numbers) -> dict[str, Any]:
    """Every study's model and test rows in the folder; what is expected of each."""
    found = {}
    for name, (rows, further, options) in STUDIES.items():
        target = options.get("target", [])
        targets = [target] if isinstance(target, str) else list(target)
        frame = people(rows, seed=12, text="said" in further).select([*COLUMNS, *further, *targets])
        result = certus.study(frame, threads=1, refit_all=name == "binary", **options)
        result.save(folder / "made", force=True)
        model = folder / f"{name}.certus"
        (folder / "made" / "model.certus").replace(model)
        if result.refitted is not None:
            (folder / "made" / "model-all-rows.certus").replace(folder / f"{name}-all-rows.certus")
        frame[result.split.test].write_csv(folder / f"{name}.csv")
        rows_of_test = pl.read_csv(folder / f"{name}.csv", try_parse_dates=True)
        found[f"studies/{name}.certus"] = study_expectation(certus.load(model), rows_of_test, targets, numbers)
        if result.refitted is not None:
            again = certus.load(folder / f"{name}-all-rows.certus")
            found[f"studies/{name}-all-rows.certus"] = study_expectation(again, rows_of_test, targets, numbers)
        for leftover in (folder / "made").iterdir():
            leftover.unlink()
        (folder / "made").rmdir()
    return found


def study_expectation(model: Any, rows: pl.DataFrame, targets: list[str], numbers: Numbers) -> dict[str, Any]:
    """What the model of a study must say about its test rows."""
    methods = ["predict"] + ["predict_proba"] * hasattr(model, "predict_proba")
    if model.gives_sets:
        methods.append("predict_set" if hasattr(model, "classes_") else "predict_interval")
    facts: dict[str, Any] = {"targets": targets, "certificates": promised(model)}
    facts["answers"] = told(model, rows[:PREDICTED], methods, numbers)
    if targets:
        y = rows[targets[0]].to_numpy() if len(targets) == 1 else rows.select(targets).to_numpy()
        checked = certus.check(model, (rows, y))
        facts["on test rows"] = [[item.holds, item.recounted] for item in checked.certificates]
    return facts


def study_with_journal(folder: Path) -> None:
    """The folder of a study of the command line, with the table, to be resumed."""
    people(60, seed=5).select([*COLUMNS, "grade"]).write_csv(folder / "table.csv")
    _certus("study", folder / "table.csv", *JOURNAL_STUDY, "--out", folder / "study", "--quiet")
    for name in ("report.html", "model.certus"):  # large, and of no use to a study that goes on
        (folder / "study" / name).unlink()


def monitor_states(folder: Path) -> None:
    """States of ``certus monitor`` after two thirds of a stream, before and after an alarm."""
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 300)
    wrong = rng.random(300) < np.where(np.arange(300) < 200, 0.05, 0.4)
    loss = np.round(rng.beta(1, 9, 300) + 0.5 * (np.arange(300) >= 150), 3)
    stream = pl.DataFrame({"y": y, "p": np.where(wrong, 1 - y, y), "loss": loss})
    stream.write_csv(folder / "stream.csv")
    stream[:200].write_csv(folder / "first.csv")
    both = ["--truth", "y", "--prediction", "p", "--window", "100"]
    _certus("monitor", folder / "first.csv", *both, "--state", folder / "quiet.json", "--errors", 5, "--of-rows", 100)
    _certus(
        "monitor", folder / "first.csv", "--loss-column", "loss", "--high", 2, "--window", 100, "--coverage", 0.9,
        "--state", folder / "alarm.json", "--threshold", 0.3,
    )  # fmt: skip
    (folder / "first.csv").unlink()


def _certus(*arguments: Any) -> None:
    done = subprocess.run([sys.executable, "-m", "certus", *map(str, arguments)], capture_output=True, text=True)
    if done.returncode not in (0, 1):  # 1: an alarm
        raise RuntimeError(done.stderr)
