"""Write docs/upstream-tests.md from its two data files and a complete run: python -m docs.pages.upstream_tests.

With ``--exceptions`` nothing is run, and only the list at the end of the page is brought up to date.
"""

import sys
from collections import Counter
from pathlib import Path
from typing import Any

from tests.upstream.upstream_runner import child, table

PAGE = Path(__file__).parents[1] / "upstream-tests.md"

_HEAD = """\
# scikit-learn's own tests, run against our classes

Where scikit-learn has a learner of the same name, swapping the import has to be enough. The proof is
scikit-learn's own test files, taken from the installed package and run with its public names replaced by
ours. Only tests that can reach a swapped class are run, and only those that really build one of our objects
are counted as passed.

- `python -m tests.upstream.run ridge` runs one file; further arguments go to pytest.
- `python -m tests.upstream.run --list` shows the files, `--causes ridge` groups the failures by their error.
- `pytest tests/upstream -m "slow or not slow"` runs all of them.
- `python -m docs.pages.upstream_tests` runs all of them and rewrites this page, with `--exceptions`
  only the list at its end.

Where a test only asks whether a class derives from a private base class of scikit-learn, it is told that ours
does (`recognize` in `files.toml`); no other private name is touched.

The lists live in `tests/upstream/files.toml` and `tests/upstream/exceptions.toml`. A listed exception is run
too and has to fail: as soon as it passes, the suite demands that the entry be removed.
"""

EXCEPTIONS_TITLE = "## Exceptions"
_KINDS = {
    "private": "Tests of private internals",
    "difference": "Deliberate differences",
}


def page(content: table.Table, records: dict[str, dict[str, Any]]) -> str:
    """The page as text."""
    versions = sorted({record["scikit_learn"] for record in records.values()})
    counted = ["## Counts", "", f"scikit-learn {', '.join(versions)}.", "", *counts(content, records), ""]
    return "\n".join([_HEAD, *(counted if records else []), exceptions(content), ""])


def counts(content: table.Table, records: dict[str, dict[str, Any]]) -> list[str]:
    """One row per file; tests that built none of our objects are counted apart."""
    rows = [
        "| file | passed | exceptions | skipped | did not use our class |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for key, record in records.items():
        tests = record["tests"].values()
        ours = Counter(test["outcome"] for test in tests if test["ours"])
        skipped = sum(test["outcome"] == "skipped" for test in tests)
        others = sum(not test["ours"] and test["outcome"] != "skipped" for test in tests)
        module = content.files[key].module
        rows.append(f"| `{module}` | {ours['passed']} | {ours['listed']} | {skipped} | {others} |")
    rows += [
        "",
        "Skipped means that the test itself found a condition missing (an optional package, an array library",
        "that is switched off) or that it is an expected failure of scikit-learn too.",
    ]
    return rows


def exceptions(content: table.Table) -> str:
    """The sections with every listed exception; a test compares them with the page."""
    lines = [EXCEPTIONS_TITLE]
    if not content.failures:
        lines += ["", "None."]
    for kind, title in _KINDS.items():
        chosen = [failure for failure in content.failures if failure.kind == kind]
        if chosen:
            lines += ["", f"### {title}", "", "| file | test | reason |", "| --- | --- | --- |"]
            lines += [f"| {f.file} | `{f.test}` | {f.reason} |" for f in chosen]
    return "\n".join(lines)


def run_all(content: table.Table) -> dict[str, dict[str, Any]]:
    """The records of all enforced files; the page is not written from a run that failed."""
    records = {}
    for file in content.files.values():
        if file.enforced:
            code, output, records[file.key] = child.run(file)
            if code != 0:
                raise SystemExit(f"{output}\n{file.key} failed; {PAGE.name} was not written")
    return records


def main(arguments: list[str]) -> None:
    """Write the page, or only its list of exceptions."""
    content = table.load()
    if arguments == ["--exceptions"]:
        head = PAGE.read_text(encoding="utf-8").split(EXCEPTIONS_TITLE)[0]
        PAGE.write_text(f"{head}{exceptions(content)}\n", encoding="utf-8")
    else:
        PAGE.write_text(page(content, run_all(content)), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
