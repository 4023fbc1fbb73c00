"""Runs pytest in copies of one process that has imported the libraries: importing takes longer than most runs.

The launcher is this module run as a script: it reads a request in JSON per line, forks, runs pytest in the copy and
answers with the exit code. Nothing is swapped before the fork, so that a copy is as good as a new process.
"""

import atexit
import functools
import importlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from sklearn.utils.discovery import all_estimators

from tests.upstream.upstream_runner import table


def run_pytest(arguments: list[str], environment: dict[str, str], folder: Path) -> tuple[int, str]:
    """Exit code and output of pytest with these arguments, in this environment and folder."""
    if not hasattr(os, "fork"):
        line = [sys.executable, "-m", "pytest", *arguments]
        done = subprocess.run(line, env=environment, cwd=folder, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr
    output = folder / "output.txt"
    request = {"arguments": arguments, "environment": environment, "folder": str(folder), "output": str(output)}
    launcher = _launcher()
    try:
        launcher.stdin.write(json.dumps(request) + "\n")
        return int(launcher.stdout.readline()), output.read_text()
    except BaseException:  # a test that is stopped here takes the launcher along, whose answer would come too late
        _launcher.cache_clear()
        os.killpg(launcher.pid, signal.SIGKILL)
        raise


@functools.cache
def _launcher() -> subprocess.Popen:
    paths = [str(table.FOLDER.parents[1]), os.environ.get("PYTHONPATH", "")]
    launcher = subprocess.Popen(
        [sys.executable, "-m", __name__],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        bufsize=1,
        start_new_session=True,
    )
    atexit.register(launcher.communicate)  # it ends with its input
    return launcher


def serve() -> None:
    """Import what the runs need, then fork for every request."""
    all_estimators()
    for path in {path for file in table.load().files.values() for path in file.swap.values()}:
        importlib.import_module(path.rsplit(".", 1)[0])
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            os._exit(_run(**json.loads(line)))
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)  # noqa: T201


def _run(arguments: list[str], environment: dict[str, str], folder: str, output: str) -> int:
    os.environ.clear()
    os.environ.update(environment)
    sys.path[:0] = environment["PYTHONPATH"].split(os.pathsep)
    os.chdir(folder)
    with open(os.devnull) as nothing, open(output, "w") as told:  # noqa: PTH123
        os.dup2(nothing.fileno(), 0)
        os.dup2(told.fileno(), 1)
        os.dup2(told.fileno(), 2)
    code = pytest.main(arguments)
    sys.stdout.flush()
    sys.stderr.flush()
    return int(code)


if __name__ == "__main__":
    serve()
