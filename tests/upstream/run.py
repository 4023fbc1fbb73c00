"""Run scikit-learn's own test files against our classes.

python tests/upstream/run.py --list                 the files and what is swapped in each
python tests/upstream/run.py ridge                  one file
python tests/upstream/run.py ridge -k dense -x      further arguments go to pytest
python tests/upstream/run.py ridge --upstream-original     the same tests on scikit-learn's classes
python tests/upstream/run.py --causes ridge         failures grouped by their error
python tests/upstream/run.py --write-exceptions     bring the list in docs/upstream-tests.md up to date
python tests/upstream/run.py --write-docs           run everything, rewrite the page with its counts
"""

import subprocess
import sys
from collections import defaultdict
from pathlib import Path

from upstream_runner import child, document, table

DOCUMENT = table.FOLDER.parent.parent / "docs" / "upstream-tests.md"


def main(arguments: list[str]) -> int:
    content = table.load()
    match arguments:
        case ["--list"]:
            return list_files(content)
        case ["--write-docs"]:
            return write_document(content, DOCUMENT)
        case ["--write-exceptions"]:
            head = DOCUMENT.read_text().split(document.EXCEPTIONS_TITLE)[0]
            DOCUMENT.write_text(f"{head}{document.exceptions(content)}\n")
            return 0
        case ["--causes", key] if key in content.files:
            return group_causes(content.files[key])
        case [key, *rest] if key in content.files:
            line = child.command(content.files[key], table.FOLDER, tuple(rest))
            return subprocess.run(line, env=child.environment(), check=False).returncode
    say(__doc__ or "", f"Files: {', '.join(content.files)}")
    return 2


def list_files(content: table.Table) -> int:
    for file in content.files.values():
        notes = [name for name, holds in (("slow", file.slow), ("by hand only", not file.enforced)) if holds]
        say(f"{file.key:20} {file.module}  {', '.join(notes)}")
        say(*(f"{'':20}   {theirs} -> {ours}" for theirs, ours in file.swap.items()))
    return 0


def group_causes(file: table.UpstreamFile) -> int:
    code, output, record = child.run(file)
    groups: dict[str, list[str]] = defaultdict(list)
    for name, test in record["tests"].items():
        if test["outcome"] == "failed":
            groups[test["error"]].append(name)
    for error, names in sorted(groups.items(), key=lambda group: -len(group[1])):
        say(f"{len(names):5}  {error}", *(f"         {name}" for name in names))
    say(*record["problems"], "" if record["tests"] else output)
    return code


def write_document(content: table.Table, path: Path) -> int:
    """Run every enforced file and write the page only from runs that succeeded."""
    records = {}
    for file in content.files.values():
        if file.enforced:
            code, output, records[file.key] = child.run(file)
            if code != 0:
                say(output, f"{file.key} failed; {path.name} was not written")
                return 1
    path.parent.mkdir(exist_ok=True)
    path.write_text(document.page(content, records))
    return 0


def say(*lines: str) -> None:
    sys.stdout.writelines(f"{line}\n" for line in lines if line)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
