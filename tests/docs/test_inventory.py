"""Every name in docs/inventory.md exists: the place can be imported, the test is defined."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROW = re.compile(r"^\| (?P<item>[^|]+) \| `(?P<where>[^`]+)` \| `(?P<test>[^`]+)` \|$")


def rows() -> list[pytest.ParameterSet]:
    lines = (ROOT / "docs" / "inventory.md").read_text().splitlines()
    tables = [line for line in lines if line.startswith("|") and not line.startswith(("| item |", "| --- |"))]
    found = []
    for line in tables:
        match = ROW.match(line)
        assert match, f"not a row of the inventory: {line}"
        found.append(pytest.param(match["where"], match["test"], id=match["item"]))
    return found


@pytest.mark.parametrize(("where", "test"), rows())
def test_named_places_and_tests_exist(where: str, test: str) -> None:
    if where.startswith("certus."):
        parent, name = where.rsplit(".", 1)
        try:
            assert hasattr(importlib.import_module(parent), name), where
        except ModuleNotFoundError:
            owner, kind = parent.rsplit(".", 1)
            assert hasattr(getattr(importlib.import_module(owner), kind), name), where
    else:
        assert (ROOT / where).exists(), where
    file, name = test.split("::")
    assert re.search(rf"^\s*def {name}\(", (ROOT / file).read_text(), re.MULTILINE), test
