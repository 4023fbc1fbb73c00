"""How the lines of docs/speed.md are written."""

from __future__ import annotations

from typing import Any

from docs.pages import speed


def measured(competitor: str, warm: float, equal_quality: bool = True) -> dict[str, Any]:
    return {
        "competitor": competitor,
        "warm_seconds": warm,
        "memory_bytes": 3 << 20,
        "quality": 0.5,
        "equal_quality": equal_quality,
    }


def task(rows: list[dict[str, Any]], peer: str | None, ratio: float | None) -> dict[str, Any]:
    return {
        "about": "a fit",
        "shape": {"rows": 1000, "columns": 2},
        "quality": {"name": "error"},
        "fastest_peer": peer,
        "ratio_fastest_peer_to_ours": ratio,
        "rows": rows,
        "date": "2026-11-16T00:00:00+00:00",
        "threads": 2,
        "machine": {"cpu": "some"},
    }


def test_line_shows_both_times_and_the_ratio() -> None:
    text = speed.line("fast", task([measured("certus", 0.002), measured("other", 3.0)], "other", 1500.0))
    assert text == (
        "| `fast` | a fit | 1,000 x 2 | 2.00 ms | other, 3.00 s | 1500.00 | 3 MB / 3 MB | error 0.5 / 0.5 |"
    )


def test_losses_are_counted_and_missing_peers_named() -> None:
    skipped = {"competitor": "other", "skipped": "not finished in 5 s"}
    tasks = {
        "lost": task([measured("certus", 1.0), measured("other", 0.5)], "other", 0.5),
        "alone": task([measured("certus", 1.0), skipped], None, None),
    }
    text = speed.family({"family": "some", "file": "some", "tasks": tasks})
    assert "2 lines, 1 with a ratio: median 0.50, 1 below 1." in text
    assert "- `alone`, other: not finished in 5 s" in text
    assert "| 1.00 s | - | - | 3 MB / - | error 0.5 / - |" in text


def test_peers_that_were_given_up_bound_the_ratio() -> None:
    given_up = {"competitor": "other", "skipped": "6 s for error 0.7, not refined", "stopped_after_seconds": 6.0}
    text = speed.line("far", task([measured("certus", 2.0), given_up], None, None))
    assert "| 2.00 s | - | > 3 |" in text


def test_learners_at_several_settings_are_all_shown() -> None:
    text = speed.line("grows", task([measured("certus a", 0.5), measured("certus b", 0.25)], None, None))
    assert "| certus a 500 ms; certus b 250 ms | - | - |" in text
