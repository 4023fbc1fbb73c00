"""Pages say what the catalogue and benchmarks/results/ say."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("page", ["learners", "quality", "speed"])
def test_page_is_up_to_date(page: str) -> None:
    written = runpy.run_path(str(DOCS / f"generate_{page}.py"))["page"]()
    assert (DOCS / f"{page}.md").read_text(encoding="utf-8") == written, f"Hint: python docs/generate_{page}.py"
