"""scikit-learn's own test files pass with our classes in place of theirs, except for the listed tests."""

import pytest

from tests.upstream.upstream_runner import child, table

CONTENT = table.load()
ENFORCED = [
    pytest.param(file, id=file.key, marks=[pytest.mark.slow] if file.slow else [])
    for file in CONTENT.files.values()
    if file.enforced
]


@pytest.mark.timeout(900)
@pytest.mark.parametrize("file", ENFORCED)
def test_upstream_file_passes_with_our_classes(file):
    code, output, record = child.run(file)
    assert code == 0, output[-20_000:]
    proved = [name for name, test in record["tests"].items() if test["ours"] and test["outcome"] == "passed"]
    assert proved, f"no test of {file.module} used our classes"
