"""``certus study`` as a user types it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Run


def run(*arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "certus", "study", *map(str, arguments)]
    return subprocess.run(line, capture_output=True, text=True, cwd=cwd, timeout=120, check=False)


@pytest.fixture
def churn(tmp_path: Path) -> Path:
    rows = "".join(f"{i},{i % 7},{'yes' if i % 7 > 3 else 'no'}\n" for i in range(120))
    path = tmp_path / "churn.csv"
    path.write_text("minutes,calls,churned\n" + rows)
    return path


def test_no_table_means_the_built_in_one(tmp_path: Path) -> None:
    done = run("--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["winner"]["certificate"]["confidence"] == 0.95
    assert told == json.loads((tmp_path / "certus-study" / "study.json").read_text())
    again = run(cwd=tmp_path)
    assert (again.returncode, again.stdout) == (2, "")
    assert "--force" in again.stderr
    assert "Traceback" not in again.stderr


def test_own_table(churn: Path) -> None:
    done = run(churn, "--target", "churned", "--out", "result", cwd=churn.parent)
    assert done.returncode == 0, done.stderr
    assert "Leaderboard" in done.stdout
    assert "With confidence 95% the error is at most" in done.stdout
    assert "--task, --measure, --positive override" in done.stderr
    assert (churn.parent / "result" / "report.html").is_file()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.csv", "--target", "x"], "no file"),
        (["churn.csv", "--task", "classification"], "--target"),
        (["churn.csv", "--target", "cherned"], "no column 'cherned'"),
        (["churn.csv", "--target", "churned", "--confidence", "95"], "strictly between 0 and 1"),
        (["churn.csv", "--target", "churned", "--task", "ranking"], "classification"),
    ],
)
def test_wrong_use_is_exit_2_and_one_clear_message(
    arguments: list[str], message: str, churn: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(churn.parent)
    done = Run("study", *arguments)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert not (churn.parent / "certus-study").exists()
