"""Running a piece of Python in a process of its own, for what a test process must not do to itself."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def start(script: str, environment: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
    """The script as a child process whose output can be read."""
    # Python 3.12 and newer warn of fork in any process with threads; that it works is what the tests are about.
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", textwrap.dedent(script)]
    return subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, **(environment or {})},
    )


def run(script: str, environment: Mapping[str, str] | None = None, timeout: float = 120.0) -> str:
    """What the script printed; fails the test with its error text if it did not end well."""
    child = start(script, environment)
    try:
        output, errors = child.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        child.kill()
        output, errors = child.communicate()
        raise AssertionError(f"the script hangs; it printed {output!r} and {errors!r}") from None
    assert child.returncode == 0, errors
    return output
