"""Pages that are written by a program of the same name."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def generator(request: pytest.FixtureRequest) -> dict[str, Any]:
    """The names of the program that writes the module's page, ``PAGE`` of ``docs/PAGE.md``."""
    return runpy.run_path(str(DOCS / f"generate_{request.module.PAGE}.py"))
