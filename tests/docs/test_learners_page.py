"""docs/learners.md says what the catalogue says."""

from __future__ import annotations

import runpy
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def test_page_is_up_to_date() -> None:
    generator = runpy.run_path(str(DOCS / "generate_learners.py"))
    hint = "Hint: python docs/generate_learners.py"
    assert (DOCS / "learners.md").read_text(encoding="utf-8") == generator["page"](), hint
