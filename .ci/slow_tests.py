"""Run the slow tests of the folders that changed since they last passed, for some minutes at most.

A folder counts as changed when the hash of what it depends on (folder_hashes.py) is not the one for which its slow
tests passed (slow-passed.json). The longest come first, those of unknown length before all others; what does not fit
into the time that is left is left out and named.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import folder_hashes
import passed

ROOT = Path(__file__).parents[1]
NO_TESTS = 5  # pytest's exit code


@dataclass(frozen=True)
class Outcome:
    """How a folder's slow tests ended: passed, failed, left out, or stopped because the time was over."""

    folder: str
    ending: str
    seconds: float


def unproven(hashes: dict[str, str], passes: dict[str, passed.Pass]) -> list[str]:
    """The folders whose slow tests have not passed as they are now, longest first, unknown ones before them."""
    changed = [name for name, now in hashes.items() if name not in passes or passes[name].hash != now]
    return sorted(changed, key=lambda name: (-expected_seconds(name, passes), name))


def expected_seconds(folder: str, passes: dict[str, passed.Pass]) -> float:
    return passes[folder].seconds if folder in passes else math.inf


def run_within(
    limit: float,
    folders: list[str],
    passes: dict[str, passed.Pass],
    run_folder: Callable[[str, float], str],
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[Outcome]:
    """Run folder after folder; one that was longer than the time that is left is left out for shorter ones.

    A folder of unknown length gets all the time that is left, and so does one that is longer than the limit, if it
    comes first: it would never be run otherwise.
    """
    end = clock() + limit
    ran = False
    for folder in folders:
        start = clock()
        expected = expected_seconds(folder, passes)
        fits = expected <= end - start or math.isinf(expected) or not ran
        if start >= end or not fits:
            yield Outcome(folder, "left out", expected)
            continue
        ran = True
        ending = run_folder(folder, end - start)
        yield Outcome(folder, ending, clock() - start)


def run_pytest(arguments: list[str], limit: float | None = None) -> int | None:
    """Exit code of a pytest run in the tree; None if the time was over, in which case all its processes are ended."""
    with subprocess.Popen([sys.executable, "-m", "pytest", *arguments], cwd=ROOT, start_new_session=True) as child:
        try:
            return child.wait(limit)
        except subprocess.TimeoutExpired:
            return None
        finally:
            if child.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(child.pid, signal.SIGKILL)


def run_slow_tests(folder: str, limit: float) -> str:
    """Run one folder's slow tests; test by test over the processes, since one file may hold all of them."""
    print(f"\n--- tests/{folder}", flush=True)
    code = run_pytest(["-m", "slow", "--dist", "load", "-q", f"tests/{folder}"], limit)
    return "stopped" if code is None else "passed" if code == 0 else "failed"


def folders_with_slow_tests(folders: list[str]) -> list[str]:
    """Ask pytest which of the folders have slow tests."""
    if not folders:
        return []
    command = [sys.executable, "-m", "pytest", "-m", "slow", "-n0", "-q", "--collect-only"]
    found = subprocess.run(
        [*command, *(f"tests/{folder}" for folder in folders)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if found.returncode not in (0, NO_TESTS):
        sys.exit(f"the slow tests cannot be collected:\n{found.stdout}{found.stderr}")
    named = set(re.findall(r"^tests/(\w+)/.*::", found.stdout, flags=re.MULTILINE))
    return [folder for folder in folders if folder in named]


def summary(outcomes: list[Outcome]) -> str:
    """One line per folder that was or should have been run."""
    if not outcomes:
        return "nothing changed since the slow tests passed"
    lines = [f"{'slow tests of':<22} {'minutes':>8}"]
    for outcome in outcomes:
        minutes = f"{outcome.seconds / 60:.1f}" if math.isfinite(outcome.seconds) else "?"
        lines.append(f"tests/{outcome.folder:<16} {minutes:>8} {outcome.ending}")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=25.0, help="time for all of them together")
    parser.add_argument("--all", action="store_true", help="also those that passed as they are, without a limit")
    parser.add_argument("--record", action="store_true", help="write into slow-passed.json what passes")
    asked = parser.parse_args()
    tree = folder_hashes.checkout(ROOT)
    hashes = {folder: tree.hash(folder) for folder in tree.test_folders()}
    passes = passed.read(passed.FILE)
    chosen = folders_with_slow_tests(list(hashes) if asked.all else unproven(hashes, passes))
    limit = math.inf if asked.all else 60 * asked.minutes
    outcomes = []
    for outcome in run_within(limit, chosen, passes, run_slow_tests):
        outcomes.append(outcome)
        if asked.record and outcome.ending == "passed":
            passes[outcome.folder] = passed.Pass(hashes[outcome.folder], round(outcome.seconds, 1))
            passed.write(passes, passed.FILE)
    print(f"\n{summary(outcomes)}")
    if any(outcome.ending == "failed" for outcome in outcomes):
        sys.exit(1)


if __name__ == "__main__":
    main()
