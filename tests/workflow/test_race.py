"""The race: same seed, same result, whatever happens on the way."""

from __future__ import annotations

import itertools
import json
import pickle
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from certus.workflow import StudyError, study
from certus.workflow.race.candidates import Candidate, Choice, Range
from certus.workflow.race.executors import InProcess, Workers
from certus.workflow.race.journal import Journal
from certus.workflow.race.learning import Learning, divide
from certus.workflow.race.outcome import Outcome
from certus.workflow.study_folder import study_in_folder
from certus.workflow.tasks import BinaryTask

FAMILIES = ["linear", "bayes", "trees", "neighbors"]


def table(rows: int = 300, seed: int = 0) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, 4))
    label = np.where(x[:, 0] + x[:, 1] ** 2 + 0.5 * rng.normal(size=rows) > 0.5, "yes", "no")
    return pl.DataFrame({**{f"x{i}": x[:, i] for i in range(4)}, "label": label})


def timeless(told: dict[str, Any]) -> dict[str, Any]:
    """A study without what depends on the clock."""
    rows = [{key: value for key, value in row.items() if key != "seconds"} for row in told["leaderboard"]]
    return {**{key: value for key, value in told.items() if key != "seconds"}, "leaderboard": rows}


def test_processes_and_threads_do_not_change_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("certus.workflow.steps.training.SMALLEST_PARALLEL_TABLE", 0)
    alone, together = (study(table(), target="label", families=FAMILIES, trials=12, threads=n) for n in (1, 2))
    assert timeless(alone.to_dict()) == timeless(together.to_dict())


def test_a_journal_is_continued_without_repeating_anything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = study(table(), target="label", families=FAMILIES, trials=12)
    ran: list[tuple[str, int]] = []
    run = InProcess.run

    def counting(self: InProcess, requests: Any, deadline: float | None) -> Any:
        for request, outcome in run(self, requests, deadline):
            ran.append((request[0].key, request[1]))
            if len(ran) == 15:
                raise KeyboardInterrupt
            yield request, outcome

    monkeypatch.setattr(InProcess, "run", counting)
    options = {"target": "label", "families": FAMILIES, "trials": 12}
    with pytest.raises(KeyboardInterrupt):
        study_in_folder(tmp_path / "out", table(), resume=False, force=False, **options)
    assert [path.name for path in (tmp_path / "out").iterdir() if path.suffix != ".sqlite"] == []
    resumed = study_in_folder(tmp_path / "out", table(), resume=True, force=False, **options)
    assert timeless(resumed.to_dict()) == timeless(whole.to_dict())
    assert len(set(ran)) == len(ran) - 1  # only the one during which Ctrl-C came was run again
    written = sorted(path.name for path in (tmp_path / "out").iterdir() if not path.name.startswith("journal"))
    assert written == ["model.certus", "report.html", "study.json"]


def test_another_study_does_not_continue_a_journal(tmp_path: Path) -> None:
    options: dict[str, Any] = {"target": "label", "families": ["bayes"], "trials": 1}
    study_in_folder(tmp_path / "out", table(), resume=False, force=False, **options)
    with pytest.raises(StudyError, match="another study; different are seed"):
        study_in_folder(tmp_path / "out", table(), resume=True, force=False, seed=1, **options)
    with pytest.raises(StudyError, match="different are table"):
        study_in_folder(tmp_path / "out", table(seed=1), resume=True, force=False, **options)
    with pytest.raises(StudyError, match="exists already"):
        study_in_folder(tmp_path / "out", table(), resume=False, force=False, **options)
    with pytest.raises(StudyError, match="there is no study"):
        study_in_folder(tmp_path / "none", table(), resume=True, force=False, **options)


def test_wrong_use_leaves_no_folder(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="no column"):
        study_in_folder(tmp_path / "out", table(), resume=False, force=False, target="nothing")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="kills by signal")
def test_kill_and_resume_on_the_command_line(tmp_path: Path) -> None:
    table(800).write_csv(tmp_path / "t.csv")
    command = [sys.executable, "-m", "certus", "study", "t.csv", "--target", "label", "--json", "--trials", "10"]
    command += ["--families", ",".join(FAMILIES), "--out", "out", "--looks", "none"]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    log = tmp_path / "out" / "journal.sqlite-wal"  # its size tells of finished evaluations, and takes no lock
    while not (log.exists() and log.stat().st_size > 30_000) and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL, "the study ended before it was killed"
    resumed = subprocess.run([*command, "--resume"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert resumed.returncode == 0, resumed.stderr
    whole = study(tmp_path / "t.csv", target="label", families=FAMILIES, trials=10)
    assert timeless(json.loads(resumed.stdout)) == timeless(json.loads(json.dumps(whole.to_dict())))


def learning(rows: int = 200) -> Learning:
    frame = table(rows)
    y = (frame["label"] == "yes").to_numpy().astype(int)
    from certus.workflow.columns import classify_columns

    divisions, rungs = divide(y, np.arange(rows), seed=0)
    return Learning(BinaryTask, frame.drop("label"), y, 2, classify_columns(frame, ["label"]), divisions, rungs, 0)


def test_a_worker_that_dies_is_a_failed_evaluation_and_is_replaced() -> None:
    good = Candidate("certus.bayes.GaussianNB")
    with Workers(1).teach(learning()) as workers:
        victim = workers._workers[0]
        stream = workers.run([(good, 0), (good, 1)], None)
        victim.process.kill()
        outcomes = [outcome for _, outcome in stream]
    assert outcomes[0].failure == "the process ended with code -9"
    assert outcomes[1].failure is None


def test_the_deadline_ends_a_running_evaluation() -> None:
    slow = Candidate("certus.neighbors.KNeighborsClassifier", {"n_neighbors": 5})
    with Workers(1).teach(learning()) as workers:
        begin = time.monotonic()
        assert list(workers.run([(slow, 0)] * 3, begin)) == []
        assert time.monotonic() - begin < 5.0
        assert len(list(workers.run([(slow, 0)], None))) == 1


def test_a_worker_whose_parent_is_gone_ends_without_a_word(tmp_path: Path) -> None:
    (tmp_path / "learning.pickle").write_bytes(pickle.dumps(learning()))
    command = [sys.executable, "-m", "certus.workflow.race.worker"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as worker:
        assert worker.stdin is not None
        assert worker.stdout is not None
        assert worker.stderr is not None
        worker.stdout.close()
        for message in (str(tmp_path / "learning.pickle"), (Candidate("certus.bayes.GaussianNB"), 0, 1)):
            pickle.dump(message, worker.stdin)
        worker.stdin.close()
        assert worker.stderr.read() == b""
    assert worker.returncode == 1


@pytest.mark.parametrize("limit", [0.001, pytest.param(1.0, marks=pytest.mark.slow)])
def test_a_study_without_time_still_answers(limit: float) -> None:
    result = study(table(), target="label", families=FAMILIES, time=limit)
    assert result.certificate.check()
    assert result.leaderboard[0]["dropped"] is None


def test_a_learner_that_fails_is_told_not_raised() -> None:
    bad = Candidate("certus.neighbors.KNeighborsClassifier", {"n_neighbors": 10_000})
    (_, outcome), *_ = InProcess(learning(), 1).run([(bad, 0)], None)
    assert outcome.predictions is None
    assert outcome.failure is not None
    assert "n_neighbors" in outcome.failure


def test_a_damaged_journal_is_refused(tmp_path: Path) -> None:
    (tmp_path / "journal.sqlite").write_bytes(b"no database " * 100)
    with pytest.raises(StudyError, match="cannot be read"):
        Journal(tmp_path / "journal.sqlite")


def test_the_journal_gives_back_what_it_was_given(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.sqlite")
    kept = Outcome(np.array([1, 0, 1], dtype=np.int32), np.ones((3, 2), dtype=np.float32), 0.25)
    journal.put("a", kept)
    journal.put("b", Outcome(None, None, 1.0, "too hard"))
    journal.close()
    journal = Journal(tmp_path / "journal.sqlite")
    found = journal.get("a")
    assert found is not None
    np.testing.assert_array_equal(found.predictions, kept.predictions)
    np.testing.assert_array_equal(found.probabilities, kept.probabilities)
    failed = journal.get("b")
    assert failed is not None
    assert (failed.failure, failed.predictions, journal.get("c")) == ("too hard", None, None)
    assert len(journal) == 2
    assert journal.seconds() == 1.25
    journal.close()


def test_settings_stay_in_their_range() -> None:
    rng = np.random.default_rng(0)
    for values in (Range(1e-3, 1e2), Range(1, 100, integer=True), Range(0.2, 0.9, log=False)):
        drawn = [values.draw(rng) for _ in range(300)]
        near = [values.near(drawn[0], rng) for _ in range(300)]
        assert all(values.low <= value <= values.high for value in [*drawn, *near])
        assert len(set(near)) > 10
    assert {Choice(("a", "b")).near("a", rng) for _ in range(50)} == {"a", "b"}


def test_folds_keep_groups_together_and_class_shares() -> None:
    rng = np.random.default_rng(0)
    groups, y = rng.integers(0, 400, 1000), rng.random(1000) < 0.2
    divisions, rungs = divide(y.astype(int), groups, seed=0)
    assert not rungs
    assert sorted(np.concatenate([division.validation for division in divisions])) == list(range(1000))
    for division in divisions:
        assert not set(groups[division.fit]) & set(groups[division.validation])
        assert 150 < len(division.validation) < 250
    singles, _ = divide(y.astype(int), np.arange(1000), seed=0)
    shares = [y[division.validation].mean() for division in singles]
    assert max(shares) - min(shares) < 0.011


def test_rungs_grow_and_share_their_validation_rows() -> None:
    y = np.random.default_rng(0).integers(0, 2, 90_000)
    divisions, rungs = divide(y, np.arange(len(y)), seed=0)
    assert rungs
    sizes = [len(division.fit) for division in divisions]
    assert sizes[-1] == 72_000
    assert sizes == sorted(sizes)
    for smaller, larger in itertools.pairwise(divisions):
        assert set(smaller.fit) < set(larger.fit)
        assert smaller.validation is larger.validation
    assert not set(divisions[-1].fit) & set(divisions[-1].validation)


def test_progress_ends_where_it_said() -> None:
    told: list[tuple[str, int, int | None]] = []
    study(table(), target="label", families=FAMILIES, trials=12, progress=lambda *one: told.append(one))
    done = [one[1] for one in told]
    assert {one[2] for one in told} == {12 * 5}
    assert done == sorted(done)
    assert (done[0], done[-1]) == (0, 12 * 5)
    assert told[-1][0] == "looking at the winner"


@pytest.mark.slow
@pytest.mark.parametrize(("rows", "trials"), [(900, 28), (25_000, 20)])
def test_all_learners_give_the_same_result_on_any_number_of_threads(rows: int, trials: int) -> None:
    """Folds below 20 000 rows, growing parts above."""
    alone, together = (study(table(rows), target="label", trials=trials, threads=n) for n in (1, 2))
    assert timeless(alone.to_dict()) == timeless(together.to_dict())
