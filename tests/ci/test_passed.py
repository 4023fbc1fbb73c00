"""The file of what passed: written readably, and read with suspicion."""

from __future__ import annotations

import json
from pathlib import Path

import passed
import pytest
from passed import Pass


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "passed.json"
    passes = {"svm": Pass("b", 2.5), "extra docs": Pass("a", 0.0)}
    passed.write(passes, path)
    assert passed.read(path) == passes
    assert path.read_text().splitlines()[1] == '  "extra docs": {"hash": "a", "seconds": 0.0},'


@pytest.mark.parametrize("content", [None, "", "{", "[]", "3", '{"svm": {"hash": "a"'])
def test_a_missing_or_damaged_file_proves_nothing(content: str | None, tmp_path: Path) -> None:
    path = tmp_path / "passed.json"
    if content is not None:
        path.write_text(content)
    assert passed.read(path) == {}


@pytest.mark.parametrize(
    "entry",
    [None, [], {"hash": "a"}, {"hash": 3, "seconds": 1.0}, {"hash": "a", "seconds": "1"}]
    + [{"hash": "a", "seconds": seconds} for seconds in (-1.0, float("nan"), float("inf"), True, None)],
)
def test_an_entry_that_makes_no_sense_is_dropped(entry: object, tmp_path: Path) -> None:
    path = tmp_path / "passed.json"
    path.write_text(json.dumps({"trees": entry, "svm": {"hash": "a", "seconds": 1}}))
    assert passed.read(path) == {"svm": Pass("a", 1)}
