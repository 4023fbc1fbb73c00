"""Minutes per folder, from the times that pytest writes."""

from __future__ import annotations

from pathlib import Path

import folder_minutes

REPORT = """<?xml version="1.0"?><testsuites><testsuite>
<testcase classname="tests.svm.test_path" name="test_a[1]" time="60.0" />
<testcase classname="tests.svm.deep.test_path.TestClass" name="test_a" time="30.0"><skipped /></testcase>
<testcase classname="tests.trees.test_path" name="test_a" time="120.0"><failure /></testcase>
<testcase classname="tests.test_import" name="test_a" time="3.0" />
<testcase classname="tests.test_import.TestClass" name="test_b" time="3.0" />
</testsuite></testsuites>"""


def test_times_are_summed_by_folder(tmp_path: Path) -> None:
    path = tmp_path / "report.xml"
    path.write_text(REPORT)
    seconds = folder_minutes.seconds_per_folder(path)
    assert seconds == {"tests/svm": 90.0, "tests/trees": 120.0, "tests": 6.0}
    lines = [line.split() for line in folder_minutes.table(seconds).splitlines()[1:]]
    assert lines == [["tests/trees", "2.00"], ["tests/svm", "1.50"], ["tests", "0.10"], ["all", "3.60"]]
