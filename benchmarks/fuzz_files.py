"""Changes saved files at random, repairs their digests, loads them: ``python -m benchmarks.fuzz_files --minutes 10``.

Every learner of the catalogue is fitted, saved, and its file changed again and again in a process of its own, which may
take 2 GB more memory than it begins with, and a minute for one file. A signal, a hang, too much memory, or an error of
loading that is no `CertusFileError` is a finding; the number that it is printed with repeats it
(``--learner PATH --first NUMBER``).
"""

from __future__ import annotations

import argparse
import collections
import faulthandler
import multiprocessing
import resource
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import Any

import numpy as np

from certus.base import catalogue
from tests.common.problems import make, problem
from tests.persistence.forging import Forgery
from tests.persistence.fuzzing import changed_file, use

MEMORY = 2 * 2**30
SECONDS = 60


def try_files(path: str, numbers: range, until: float, told: Any) -> None:
    """Change and load files of one learner; `told` hears the number before each and what came of it."""
    most = MEMORY + _data_size()
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))
    faulthandler.enable()
    entry = next(entry for entry in catalogue.entries() if entry.path == path)
    X, y = problem(entry)
    original = Forgery(make(entry).fit(X, y))
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "model.certus"
        for number in numbers:
            if time.monotonic() > until:
                break
            told.send(("begins", number))
            forged = changed_file(original, np.random.default_rng([number, 7]))
            try:
                told.send(("ends", use(forged.write(place), X)))
            except Exception:
                told.send(("ends", "FINDING " + traceback.format_exc(limit=-3)))
    told.send(("done", None))


def _data_size() -> int:
    status = Path("/proc/self/status").read_text()
    return 1024 * next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmData:"))


def fuzz_learner(path: str, first: int, count: int, until: float) -> tuple[collections.Counter[str], list[str]]:
    """Outcomes by their first word, and findings; a process that dies or hangs is one, and the next goes on."""
    found: collections.Counter[str] = collections.Counter()
    findings: list[str] = []
    number, end = first, first + count
    while number < end and time.monotonic() < until:
        ours, theirs = multiprocessing.Pipe()
        child = multiprocessing.get_context("fork").Process(
            target=try_files, args=(path, range(number, end), until, theirs)
        )
        child.start()
        theirs.close()
        outcome = "FINDING no answer"
        while True:
            try:
                if not ours.poll(SECONDS):
                    child.kill()
                    outcome = "FINDING hangs"
                    break
                word, fact = ours.recv()
            except EOFError:
                child.join()
                outcome = f"FINDING process ended with {child.exitcode}"
                break
            if word == "done":
                number = end
                outcome = ""
                break
            if word == "begins":
                number = fact
            else:
                found[fact.split(" ")[0]] += 1
                if fact.startswith("FINDING"):
                    findings.append(f"{path} {number}: {fact}")
        child.join()
        if outcome:
            findings.append(f"{path} {number}: {outcome}")
            number += 1
    return found, findings


def main() -> int:
    """Fuzz all learners, or one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--learner", help="import path of one learner")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--files", type=int, default=10**9, help="most files of a learner")
    given = parser.parse_args()
    everyone = [  # processes have no table, and learners of extras may be missing
        entry.path for entry in catalogue.entries() if entry.takes != "process" and entry.needs is None
    ]
    paths = [given.learner] if given.learner else everyone
    end = time.monotonic() + 60.0 * given.minutes
    total: collections.Counter[str] = collections.Counter()
    bad = 0
    for place, path in enumerate(paths):
        now = time.monotonic()
        until = now + (end - now) / (len(paths) - place)
        outcomes, findings = fuzz_learner(path, given.first, given.files, until)
        total += outcomes
        bad += len(findings)
        sys.stdout.write(f"{path} {dict(outcomes)}\n" + "".join(f"  {finding}\n" for finding in findings[:20]))
        sys.stdout.flush()
    sys.stdout.write(f"files: {sum(total.values())}, {dict(total)}; findings: {bad}\n")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
