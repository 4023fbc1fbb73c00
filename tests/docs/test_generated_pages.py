"""Pages say what the catalogue and benchmarks/results/ say."""

from __future__ import annotations

import importlib

import pytest


@pytest.mark.parametrize("name", ["learners", "quality", "speed"])
def test_page_is_up_to_date(name: str) -> None:
    writer = importlib.import_module(f"docs.pages.{name}")
    assert writer.PAGE.read_text(encoding="utf-8") == writer.page(), f"Hint: python -m docs.pages.{name}"
