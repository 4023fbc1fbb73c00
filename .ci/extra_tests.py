"""Run the tests of one extra if they or what they depend on changed since they last passed.

The requirements of the extra of that name in pyproject.toml are installed first, if there is one; where several
releases would do, the one that is pinned here.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time

import extra_requirements
import folder_hashes
import passed
from slow_tests import ROOT, run_pytest

# What is installed of an extra that allows several releases: other builds of torch bring gigabytes of libraries for
# graphics cards.
PINNED = {"deep": ["torch==2.13.0"]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("extra", help="its name")
    parser.add_argument("folder", help="the folder below tests/ that needs it")
    parser.add_argument("further", nargs="*", help="files and folders outside tests/ that its tests read")
    parser.add_argument("--all", action="store_true", help="run them in any case")
    parser.add_argument("--record", action="store_true", help="write into slow-passed.json if they pass")
    asked = parser.parse_args()
    name = f"extra {asked.extra}"
    now = folder_hashes.checkout(ROOT).hash(asked.folder, tuple(asked.further))
    passes = passed.read(passed.FILE)
    if not asked.all and name in passes and passes[name].hash == now:
        print(f"unchanged since it passed: tests/{asked.folder}")
        return
    requirements = PINNED.get(asked.extra) or extra_requirements.requirements(asked.extra)
    if requirements:
        subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", *requirements], check=True)
    start = time.monotonic()
    code = run_pytest(["-m", "slow or not slow", "-q", f"tests/{asked.folder}"])
    if code == 0 and asked.record:
        passes[name] = passed.Pass(now, round(time.monotonic() - start, 1))
        passed.write(passes, passed.FILE)
    sys.exit(code)


if __name__ == "__main__":
    main()
