"""Files with random changes and repaired digests: no signal, no hang, and no other error of loading than the file's."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import certus
from benchmarks.fuzz_files import fuzz_learner
from certus.base import catalogue
from certus.cluster import AgglomerativeClustering
from certus.ensemble import HistGradientBoostingClassifier
from certus.ensemble.boosted_trees import BoostedTrees
from certus.guarantees import CertificateError
from certus.guarantees.rows import LookStore
from certus.trees import DecisionTreeClassifier
from certus.workflow.race.journal import Journal
from certus.workflow.study_error import StudyError
from tests.common.problems import make, problem
from tests.persistence.forging import Forgery, npy
from tests.persistence.fuzzing import change_json, changed_file, use

# Who learns in a process has no table to answer for; tests/reinforce damages those files.
EVERY_LEARNER = [entry.path for entry in catalogue.entries() if entry.takes != "process" and entry.needs is None]

# Compiled code follows indices of their states.
WITH_INDICES = (
    *("trees.DecisionTreeClassifier", "ensemble.RandomForestRegressor", "ensemble.GradientBoostingClassifier"),
    *(
        "ensemble.HistGradientBoostingClassifier",
        "ensemble.HistGradientBoostingRegressor",
        "svm.SVC",
        "svm.OneVsRestSVC",
    ),
    *("neighbors.KNeighborsClassifier", "cluster.HDBSCAN", "cluster.BisectingKMeans", "kernels.KernelRidge"),
)


def fuzz(paths: list[str], files: int) -> None:
    for path in paths:
        outcomes, findings = fuzz_learner(path, 0, files, float("inf"))
        assert not findings, findings
        assert sum(outcomes.values()) == files, path
        assert outcomes["refused"] > 0, path
        assert outcomes["error"] == 0, path


def fuzz_every_learner(files: int) -> None:
    """In a new process: the one of the tests may hold threads and memory that a fork had better not inherit."""
    work = f"from tests.persistence.test_fuzzed_files import EVERY_LEARNER, fuzz; fuzz(EVERY_LEARNER, {files})"
    done = subprocess.run([sys.executable, "-c", work], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3_000:]


def test_files_of_every_learner_do_not_hurt() -> None:
    fuzz_every_learner(12)


@pytest.mark.sanitize
@pytest.mark.parametrize("name", WITH_INDICES)
def test_changed_indices_do_not_reach_other_memory(name: str, tmp_path: Path) -> None:
    """In this process, so that a sanitizer sees what compiled code does."""
    entry = next(entry for entry in catalogue.entries() if entry.path == f"certus.{name}")
    X, y = problem(entry)
    original = Forgery(make(entry).fit(X, y))
    outcomes = [
        use(changed_file(original, np.random.default_rng([number, 11])).write(tmp_path / "model.certus"), X)
        for number in range(16)
    ]
    assert {outcome.split(" ")[0] for outcome in outcomes} <= {"used", "refused"}


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("cluster.KCentroids", 1571),  # no center
        ("ensemble.AdaBoostClassifier", 301),  # no weights of members
        ("neighbors.RadiusNeighborsRegressor", 2241),  # targets that are texts
        ("text.CountVectorizer", 292),  # a type in place of a function
        ("text.HashingVectorizer", 4604),
    ],
)
def test_files_of_the_long_fuzz_that_loaded_and_then_failed(name: str, number: int, tmp_path: Path) -> None:
    entry = next(entry for entry in catalogue.entries() if entry.path == f"certus.{name}")
    X, y = problem(entry)
    forged = changed_file(Forgery(make(entry).fit(X, y)), np.random.default_rng([number, 7]))
    assert use(forged.write(tmp_path / "model.certus"), X) == "refused"


def test_a_place_that_overflows_is_no_place() -> None:
    """The left child at 2**31 - 1, whose sibling wraps around to a negative place."""
    X, y = np.arange(40.0).reshape(-1, 1), np.arange(40) % 2
    model = HistGradientBoostingClassifier(max_iter=2, min_samples_leaf=2).fit(X, y)
    trees = next(value for value in vars(model).values() if isinstance(value, BoostedTrees))
    trees.left = trees.left.copy()
    trees.left[0] = 2**31 - 1
    with pytest.raises(ValueError, match="parents come before their children"):
        trees._restored()


def test_starts_whose_differences_overflow_cover_nothing() -> None:
    X, y = np.arange(40.0).reshape(-1, 1), np.arange(40) % 2
    model = HistGradientBoostingClassifier(max_iter=4, min_samples_leaf=2).fit(X, y)
    trees = next(value for value in vars(model).values() if isinstance(value, BoostedTrees))
    trees.starts = trees.starts.copy()
    trees.starts[1:3] = 2**63 - 1, -(2**63)  # from one to the other is 1, as numbers of 64 bits wrap around
    with pytest.raises(ValueError, match="one after the other"):
        trees._restored()


def test_shares_of_classes_are_shares() -> None:
    X, y = np.arange(40.0).reshape(-1, 1), np.arange(40) % 2
    tree = DecisionTreeClassifier(max_depth=2).fit(X, y).tree_
    for changed in (-0.5, 2.0, np.nan):
        tree.value = np.full_like(tree.value, changed)
        with pytest.raises(ValueError, match="shares of its classes"):
            tree._restored()


def test_arrays_without_entries_are_short(tmp_path: Path) -> None:
    forged = Forgery(AgglomerativeClustering().fit(np.arange(20.0).reshape(-1, 1)))
    for name in forged.array_names():
        changed = forged.copy()
        changed.members[name] = npy(np.zeros((2**40, 0)), version=(1, 0))
        with pytest.raises(certus.CertusFileError, match="without any data"):
            certus.load(changed.write(tmp_path / "model.certus"))


@pytest.mark.slow
def test_many_files_of_every_learner_do_not_hurt() -> None:
    fuzz_every_learner(150)


def test_fuzzer_notices_a_process_that_dies_and_one_that_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    import benchmarks.fuzz_files as fuzzer

    monkeypatch.setattr(fuzzer, "use", lambda *_: os.abort())
    _, findings = fuzz_learner("certus.bayes.GaussianNB", 0, 2, float("inf"))
    assert ["process ended with" in finding for finding in findings] == [True, True]

    def breaks(*_: object) -> str:
        raise OverflowError("not the error of a file")

    monkeypatch.setattr(fuzzer, "use", breaks)
    _, findings = fuzz_learner("certus.bayes.GaussianNB", 0, 2, float("inf"))
    assert ["OverflowError" in finding for finding in findings] == [True, True]


def test_states_of_monitors_do_not_hurt() -> None:
    rng = np.random.default_rng(0)
    monitor = certus.monitor(errors=50, rows=1000)
    monitor.update(losses=rng.integers(0, 2, 50))
    original = json.loads(monitor.to_json())
    kind, used = type(monitor), 0
    for _ in range(400):
        document = json.loads(json.dumps(original))
        change_json(document, rng)
        try:
            again = kind.from_json(json.dumps(document))
            again.update(losses=[0, 1, 1])
            used += 1
        except (ValueError, CertificateError):
            continue
    assert used < 400


def _damaged(path: Path, rng: np.random.Generator) -> None:
    content = bytearray(path.read_bytes())
    for _ in range(int(rng.integers(1, 20))):
        content[int(rng.integers(len(content)))] = int(rng.integers(256))
    path.write_bytes(bytes(content[: int(rng.integers(len(content) // 2, len(content) + 1))]))


def test_stores_of_looks_do_not_hurt(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    rows = np.arange(30, dtype=np.uint64)
    original = tmp_path / "looks.sqlite"
    LookStore(original).look(rows, rows % 2, by="certify")
    content = original.read_bytes()
    for number in range(60):
        path = tmp_path / f"{number}.sqlite"
        path.write_bytes(content)
        _damaged(path, rng)
        try:
            assert LookStore(path).look(rows, rows % 3, by="certify").number >= 1
        except certus.CertusFileError:
            continue


def test_journals_do_not_hurt(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    original = tmp_path / "journal.sqlite"
    journal = Journal(original)
    journal.open_for({"table": "x"})
    del journal
    with sqlite3.connect(original) as database:
        database.execute("insert into outcomes values ('a', ?, null, 1.0, null)", (b"no array",))
        database.commit()
        database.execute("pragma wal_checkpoint(truncate)")
    content = original.read_bytes()
    for number in range(60):
        path = tmp_path / f"{number}.sqlite"
        path.write_bytes(content)
        _damaged(path, rng)
        try:
            found = Journal(path)
            found.open_for({"table": "x"})
            len(found)
            found.get("a")
            found.seconds()
        except StudyError:
            continue
