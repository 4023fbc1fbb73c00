"""What version 0.1.0 wrote loads, predicts, checks and goes on as it did then.

The files lie in ``files/v0.1.0`` with the script that wrote them. Everything here goes through public names, so that
the tests stay as they are when modules move.
"""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import sklearn
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist

import certus
from certus.guarantees import Monitor

FILES = Path(__file__).parent / "files" / "v0.1.0"
EXPECTED = json.loads((FILES / "expected.json").read_text())
MODELS, STUDIES = EXPECTED["models"], EXPECTED["studies"]
NUMBERS = np.load(FILES / "expected.npz")["numbers"]
TRAINED = [name for name, facts in MODELS.items() if facts["table"]]
GAMMA = 0.5  # of the Gaussian kernels
PREDICTED = 12  # test rows of a study whose predictions are known

# Parts of scikit-learn are read by the minor release that wrote them.
with_parts_of_scikit_learn = pytest.mark.skipif(
    sklearn.__version__.split(".")[:2] != EXPECTED["versions"]["scikit-learn"].split(".")[:2],
    reason="the files hold parts of another release of scikit-learn",
)


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All archives, each in a folder of its name."""
    folder = tmp_path_factory.mktemp("of-0.1.0")
    for path in FILES.glob("*.tar.xz"):
        with tarfile.open(path) as archive:
            archive.extractall(folder / path.name.removesuffix(".tar.xz"), filter="data")
    return folder


@pytest.fixture(scope="module")
def tables(unpacked: Path) -> dict[str, np.ndarray]:
    with np.load(unpacked / "tables" / "tables.npz") as stored:
        return dict(stored)


def gram(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    return np.exp(-GAMMA * cdist(left, right, "sqeuclidean"))


def new_rows(facts: dict[str, Any], tables: dict[str, np.ndarray]) -> np.ndarray:
    table = facts["table"]
    X = tables[f"{table} new_X"]
    return gram(X, tables[f"{table} X"]) if facts["gram"] else X


def assert_answers(model: Any, X: Any, answers: dict[str, Any]) -> None:
    # Boosting adds up in single precision: with ``init`` the last bit of a product shows, and machines differ there.
    boosted = type(model).__name__.startswith("GradientBoosting") and model.init is not None
    slack = 1e-6 if boosted else 1e-12
    for method, expected in answers.items():
        found = getattr(model, method)(X)
        found = np.hstack(found) if isinstance(found, list) else np.asarray(found)
        if isinstance(expected, dict):
            values = NUMBERS[expected["start"] :][: found.size].reshape(expected["shape"])
            assert_allclose(found, values, rtol=slack, atol=slack * np.abs(values).max(initial=0.0), err_msg=method)
        else:
            assert_array_equal(found, expected, err_msg=method)


def assert_certificates(model: Any, expected: list[dict[str, Any]]) -> None:
    """The same certificates, and every one of them holds; their order in a report is no part of the files."""
    checked = certus.check(model)
    assert [item.remark for item in checked.certificates if not item.holds] == []
    found = [item.certificate for item in checked.certificates]
    assert sorted(map(_facts, found)) == sorted(map(_written_facts, expected))


def _facts(certificate: Any) -> tuple[str, str, str]:
    return certificate.rule, str(certificate.quantity), repr(certificate.value)


def _written_facts(facts: dict[str, Any]) -> tuple[str, str, str]:
    value = facts["value"]
    return facts["rule"], facts["quantity"], repr(tuple(value) if isinstance(value, list) else value)


def assert_findings(check: Any, facts: list[list[bool]]) -> None:
    """What 0.1.0 found; it took rows for those of a certificate by their number, not by a fingerprint."""
    assert [item.holds for item in check.certificates] == [holds for holds, _recounted in facts]
    assert check.level == "consistent"


def models(names: Any) -> list[Any]:
    """One pytest parameter per model; those with parts of scikit-learn need its release."""
    foreign = ("pipeline.certus", "prepared.certus")
    return [
        pytest.param(name, marks=[with_parts_of_scikit_learn] if name.endswith(foreign) else [], id=name)
        for name in names
    ]


@pytest.mark.parametrize("name", models(TRAINED))
def test_a_model_predicts_and_promises_the_same(
    name: str, unpacked: Path, tables: dict[str, np.ndarray], tmp_path: Path
) -> None:
    facts = MODELS[name]
    model, X = certus.load(unpacked / name), new_rows(facts, tables)
    assert_answers(model, X, facts["answers"])
    assert_certificates(model, facts["certificates"])
    if "on new rows" in facts:
        checked = certus.check(model, (X, tables[f"{facts['table']} new_y"]))
        assert_findings(checked, facts["on new rows"])
    certus.save(model, tmp_path / "again.certus")
    assert_answers(certus.load(tmp_path / "again.certus"), X, facts["answers"])


def data_of(kind: str, model: Any, facts: dict[str, Any], tables: dict[str, np.ndarray]) -> Any:
    """The training data in the form that a rule wants."""
    X, y = (tables[f"{facts['table']} {part}"] for part in ("X", "y"))
    extra = (0.5 + np.arange(len(y)) % 3,) if facts["weighted"] else ()
    if kind == "table":
        return (X, *extra) if extra else X
    if kind == "features":
        return gram(X, X), model.transform(X)
    if kind == "signs":  # the targets of ridge classifiers
        labels = np.unique(y)
        y = np.where(y == labels[1], 1.0, -1.0) if len(labels) == 2 else np.where(y[:, None] == labels, 1.0, -1.0)
    return gram(X, X) if kind == "gram" else X, y, *extra


@pytest.mark.parametrize("name", models(name for name in TRAINED if MODELS[name]["data"]))
def test_certificates_hold_on_the_training_data(name: str, unpacked: Path, tables: dict[str, np.ndarray]) -> None:
    facts = MODELS[name]
    model = certus.load(unpacked / name)
    data = {quantity: data_of(kind, model, facts, tables) for quantity, kind in facts["data"].items()}
    checked = certus.check(model, data)
    assert [item.remark for item in checked.certificates if not item.holds] == []
    assert sum(item.recounted for item in checked.certificates) >= len(data)


def test_a_file_is_checked_by_its_path(unpacked: Path) -> None:
    assert certus.check(unpacked / "linear" / "lasso.certus").holds
    assert certus.check(str(unpacked / "svm" / "svc.certus")).holds


def test_an_unfitted_learner_keeps_its_parameters(unpacked: Path) -> None:
    model = certus.load(unpacked / "others" / "unfitted.certus")
    expected = MODELS["others/unfitted.certus"]["parameters"]
    assert {name: repr(value) for name, value in model.get_params().items()} == expected


@with_parts_of_scikit_learn
@pytest.mark.parametrize("name", STUDIES)
def test_the_model_of_a_study(name: str, unpacked: Path) -> None:
    facts = STUDIES[name]
    table = name.replace("-all-rows", "").replace(".certus", ".csv")
    rows = pl.read_csv(unpacked / table, try_parse_dates=True)
    model, targets = certus.load(unpacked / name), facts["targets"]
    assert_answers(model, rows[:PREDICTED], facts["answers"])
    assert_certificates(model, facts["certificates"])
    if targets:
        y = rows[targets[0]].to_numpy() if len(targets) == 1 else rows.select(targets).to_numpy()
        assert_findings(certus.check(model, (rows, y)), facts["on test rows"])


def as_data(record: Any) -> Any:
    if isinstance(record, dict):
        return tuple(as_data(part) for part in record["tuple"])
    return np.array(record)


def test_bare_certificates(unpacked: Path) -> None:
    records = json.loads((unpacked / "bounds" / "certificates.json").read_text())
    for record in records:
        certificate = certus.Certificate.from_dict(record["certificate"])
        assert certificate.check()
        if record["data"] is not None:
            assert certificate.check(as_data(record["data"]))
        assert certus.Certificate.from_json(json.dumps(record["certificate"])) == certificate


def test_a_bare_report(unpacked: Path) -> None:
    text = (unpacked / "bounds" / "report.json").read_text()
    report = certus.Report.from_json(text)
    assert report.check()
    written = json.loads(text)["certificates"]
    assert sorted((item.rule, item.claim) for item in report) == sorted(
        (item["rule"], item["claim"]) for item in written
    )
    assert certus.Report.from_json(report.to_json()) == report


def command(*arguments: Any) -> subprocess.CompletedProcess[str]:
    parts = [sys.executable, "-m", "certus", *map(str, arguments)]
    return subprocess.run(parts, capture_output=True, text=True, check=False)


# A journal knows its table by the hashes of polars, which other releases may compute differently.
@pytest.fixture
def journal(unpacked: Path, tmp_path: Path) -> Path:
    """A copy of the folder with the table and the study, ready to go on."""
    rows = pl.DataFrame({"number": [1.5, 2.5], "text": ["a", "b"]}).hash_rows(seed=0).to_list()
    if " ".join(map(str, rows)) != EXPECTED["versions"]["hashes of polars"]:
        pytest.skip("this release of polars hashes rows differently")
    for path in (unpacked / "journal").rglob("*.*"):
        copy = tmp_path / path.relative_to(unpacked / "journal")
        copy.parent.mkdir(exist_ok=True)
        copy.write_bytes(path.read_bytes())
    return tmp_path


def outcomes(path: Path) -> dict[str, float]:
    """The seconds of every evaluation that a journal holds, by its key; they tell whether it was done again."""
    with sqlite3.connect(path) as connection:
        return dict(connection.execute("select key, seconds from outcomes"))


def told(study: dict[str, Any]) -> dict[str, Any]:
    """What a study that goes on must find again, how long each single learner took included.

    A blend's seconds are now the sum of its members', and bounds above the baseline's value come last in a report.
    """
    return {
        "winner": {name: study["winner"][name] for name in ("learner", "measure", "validation_value", "test_value")},
        "leaderboard": [
            [
                "baseline" if row["baseline"] else row["learner"],
                row["validation_value"],
                None if row["learner"].startswith("blend of") else row["seconds"],
                row["dropped"] is None,
            ]
            for row in study["leaderboard"]
        ],
        "certificates": sorted([item["rule"], item["value"]] for item in study["certificates"]),
        "columns": study["columns_used"],
        "rows": [study[name] for name in ("rows", "rows_learned", "rows_calibrated", "rows_tested")],
    }


def test_a_finished_study_resumes_without_training_a_candidate(journal: Path) -> None:
    before = outcomes(journal / "study" / "journal.sqlite")
    known = json.loads((journal / "study" / "study.json").read_text())
    options = ["--target", "grade", "--families", "linear,bayes,neighbors", "--trials", 5, "--threads", 1]
    done = command("study", journal / "table.csv", *options, "--out", journal / "study", "--resume", "--json")
    assert done.returncode == 0, done.stderr
    assert outcomes(journal / "study" / "journal.sqlite") == before
    assert told(json.loads(done.stdout)) == told(known)
    assert certus.check(journal / "study" / "model.certus").holds


def test_a_killed_study_repeats_only_what_is_missing(journal: Path) -> None:
    path = journal / "study" / "journal.sqlite"
    before = outcomes(path)
    lost = list(before)[-4:]
    with sqlite3.connect(path) as connection:
        connection.executemany("delete from outcomes where key = ?", [(key,) for key in lost])
    options: dict[str, Any] = {"families": ["linear", "bayes", "neighbors"], "trials": 5, "threads": 1}
    study = certus.study(journal / "table.csv", target=["grade"], journal=path, **options)
    after = outcomes(path)
    assert {key for key in before if after[key] != before[key]} <= set(lost)
    assert set(after) == set(before)
    known = json.loads((journal / "study" / "study.json").read_text())
    assert study.winner.name == known["winner"]["learner"]
    assert study.winner.value == pytest.approx(known["winner"]["validation_value"], rel=1e-12)


@pytest.mark.parametrize(("state", "alarm_row"), [("quiet.json", None), ("alarm.json", 171)])
def test_a_monitor_remembers(state: str, alarm_row: int | None, unpacked: Path) -> None:
    record = json.loads((unpacked / "monitors" / state).read_text())["monitor"]
    monitor = Monitor.from_dict(record)
    assert (monitor.rows, monitor.alarm_row) == (200, alarm_row)
    assert monitor.report.check()
    assert Monitor.from_json(json.dumps(record)).report == monitor.report
    assert Monitor.from_dict(monitor.to_dict()).report == monitor.report


def test_a_monitor_goes_on_with_its_stream(unpacked: Path, tmp_path: Path) -> None:
    state, stream = tmp_path / "state.json", unpacked / "monitors" / "stream.csv"
    state.write_bytes((unpacked / "monitors" / "quiet.json").read_bytes())
    done = command("monitor", stream, "--truth", "y", "--prediction", "p", "--state", state, "--json")
    assert done.returncode == 1, done.stderr
    found, table = json.loads(done.stdout), pl.read_csv(stream)
    whole = certus.monitor(errors=5, rows=100, window=100).update(table["y"].to_numpy(), table["p"].to_numpy())
    assert found["rows_new"] == 100
    assert found["alarm_row"] == whole.alarm_row > 200
