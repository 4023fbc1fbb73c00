"""Run scikit-learn's own test files against our classes.

python -m tests.upstream.run --list                 the files and what is swapped in each
python -m tests.upstream.run ridge                  one file
python -m tests.upstream.run ridge -k dense -x      further arguments go to pytest
python -m tests.upstream.run ridge --upstream-original     the same tests on scikit-learn's classes
python -m tests.upstream.run --causes ridge         failures grouped by their error
"""

import subprocess
import sys
from collections import defaultdict

from tests.upstream.upstream_runner import child, table


def main(arguments: list[str]) -> int:
    content = table.load()
    match arguments:
        case ["--list"]:
            return list_files(content)
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


def say(*lines: str) -> None:
    sys.stdout.writelines(f"{line}\n" for line in lines if line)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
