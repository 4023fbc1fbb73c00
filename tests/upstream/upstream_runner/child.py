"""Starts the child pytest for one upstream file."""

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.upstream.upstream_runner import launcher, table


def command(file: table.UpstreamFile, folder: Path, extra: tuple[str, ...] = ()) -> list[str]:
    return [sys.executable, "-m", "pytest", *arguments(file, folder, extra)]


def arguments(file: table.UpstreamFile, folder: Path, extra: tuple[str, ...] = ()) -> list[str]:
    return [
        *("-c", str(table.FOLDER / "upstream.ini")),
        *("-p", "tests.upstream.upstream_runner.plugin", "--upstream-file", file.key, "--upstream-folder", str(folder)),
        *("--pyargs", file.module),
        *extra,
    ]


def environment() -> dict[str, str]:
    """The caller's environment with the plugin importable and float32 tests switched on."""
    inherited = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    paths = [str(table.FOLDER.parents[1]), *(str(Path(path).resolve()) for path in inherited)]
    quiet = {name: value for name, value in os.environ.items() if name != "PYTEST_ADDOPTS"}
    return quiet | {"PYTHONPATH": os.pathsep.join(paths), "SKLEARN_RUN_FLOAT32_TESTS": "1"}


def run(file: table.UpstreamFile, folder: Path = table.FOLDER) -> tuple[int, str, dict[str, Any]]:
    """Run one file quietly; return the exit code, the output and the record of every test."""
    with tempfile.TemporaryDirectory() as scratch:
        record = Path(scratch) / "record.json"
        extra = ("-q", "--tb=short", "--no-header", "--disable-warnings", "--upstream-record", str(record))
        code, output = launcher.run_pytest(arguments(file, folder, extra), environment(), Path(scratch))
        outcome = json.loads(record.read_text()) if record.exists() else {"problems": [], "tests": {}}
    return code, output, outcome
