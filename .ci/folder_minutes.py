"""Print how many minutes the tests of each folder took, from the JUnit file of a pytest run.

Minutes are summed over the processes of the run: two that run side by side take half as long by the clock.
"""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ElementTree
from collections import defaultdict
from pathlib import Path


def seconds_per_folder(report: Path) -> dict[str, float]:
    """Seconds of all tests of a folder below `tests/`; tests right in `tests/` count under that name."""
    seconds: defaultdict[str, float] = defaultdict(float)
    for case in ElementTree.parse(report).iter("testcase"):
        modules = case.get("classname", "").split(".")  # tests.guarantees.test_rate, perhaps with a class at the end
        inside = len(modules) > 2 and not modules[1].startswith("test_")
        seconds["/".join(modules[:2]) if inside else "tests"] += float(case.get("time", "0"))
    return seconds


def table(seconds: dict[str, float]) -> str:
    lines = [f"{'minutes of all processes':<26} {'minutes':>8}"]
    longest_first = sorted(seconds, key=lambda folder: -seconds[folder])
    lines += [f"{folder:<26} {seconds[folder] / 60:>8.2f}" for folder in longest_first]
    return "\n".join([*lines, f"{'all':<26} {sum(seconds.values()) / 60:>8.2f}"])


if __name__ == "__main__":
    print(table(seconds_per_folder(Path(sys.argv[1]))))
