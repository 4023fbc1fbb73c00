"""Files with random changes and repaired digests: no signal, no hang, and no other error of loading than the file's."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import numpy as np
import pytest

import certus
from benchmarks.fuzz_files import fuzz_learner
from certus.base import catalogue
from certus.guarantees import CertificateError
from certus.guarantees.rows import LookStore
from certus.workflow.race.journal import Journal
from certus.workflow.study_error import StudyError
from tests.persistence.fuzzing import change_json

EVERY_LEARNER = [entry.path for entry in catalogue.entries()]


def fuzz(paths: list[str], files: int) -> None:
    for path in paths:
        outcomes, findings = fuzz_learner(path, 0, files, float("inf"))
        assert findings == []
        assert sum(outcomes.values()) == files, path
        assert outcomes["refused"] > 0, path


def test_files_of_every_learner_do_not_hurt() -> None:
    fuzz(EVERY_LEARNER, 12)


@pytest.mark.slow
def test_many_files_of_every_learner_do_not_hurt() -> None:
    fuzz(EVERY_LEARNER, 150)


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
