"""How the tables of docs/quality.md are written."""

from __future__ import annotations

from typing import Any

from docs.pages import quality


def table(task: str, ours: float, other: float | None) -> dict[str, Any]:
    systems: dict[str, Any] = {"Certus": {"value": ours, "trained_rows": 1200, "promised": 0.5, "hidden_rate": 0.25}}
    systems["other"] = {"failure": "out of memory"} if other is None else {"value": other}
    return {"task": task, "systems": systems}


def test_losses_are_shown() -> None:
    tables = {"lost": table("classification", 0.25, 0.2), "won": table("regression", 2.0, None)}
    text = quality.budget({"seconds": 30.0, "tables": tables})
    assert "| `lost` | 1,200 | 0.25 | **0.2** | 5.00 points | 0.500 | 0.250 |" in text
    assert "| `won` | 1,200 | **2** | - | 0.00 % | 0.500 | 0.250 |" in text
    assert "Mean ranks: Certus 1.50 (1.00 to 2.00) · other 1.50 (1.00 to 2.00)." in text


def test_a_system_that_was_not_measured_everywhere_has_no_rank() -> None:
    tables = {"one": table("classification", 0.25, 0.2), "two": table("classification", 0.25, 0.3)}
    del tables["two"]["systems"]["other"]
    text = quality.budget({"seconds": 30.0, "seed": 2, "tables": tables})
    assert "other" not in text
    assert "30 seconds, seed 2" in text
