"""One page per verb: the examples say what the commands print, and what Python is shown runs."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import certus
from certus.cli.app import COMMANDS
from docs.pages import assumptions, verbs


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    with verbs.example_folder():
        return {verb.name: verbs.page(verb) for verb in verbs.VERBS}


@pytest.mark.parametrize("name", [verb.name for verb in verbs.VERBS])
def test_examples_say_what_the_commands_print(name: str, pages: dict[str, str]) -> None:
    written = (verbs.FOLDER / f"{name}.md").read_text(encoding="utf-8")
    assert verbs.comparable(written) == verbs.comparable(pages[name]), "Hint: python -m docs.pages.verbs"


def test_every_command_has_a_page() -> None:
    assert {verb.name for verb in verbs.VERBS} == set(COMMANDS) - {"study", "learners", "network"}
    assert (verbs.FOLDER / "README.md").read_text(encoding="utf-8") == verbs.index()


def test_what_python_is_shown_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    with verbs.example_folder():
        held_out, shown = pl.read_csv("held_out.csv"), pl.read_csv("predictions.csv")
        spending, X = pl.read_csv("spending.csv"), held_out.select("calls", "years")
        known = {
            "certus": certus,
            "model": certus.load("model.certus"),
            "X": X,
            "X_held_out": X,
            "y_held_out": held_out["left"].to_numpy(),
            "y": shown["left"].to_numpy(),
            "predictions_a": shown["a"].to_numpy(),
            "predictions_b": shown["b"].to_numpy(),
            "scores": shown["score"].to_numpy(),
            "guesses": spending["guess"].to_numpy(),
            "truth": spending["spent"].to_numpy(),
            "held_out": shown["left"].to_numpy(),
            "predictions": shown["a"].to_numpy(),
        }
        for verb in verbs.VERBS:
            assert eval(verb.python, dict(known)) is not None, verb.name


def test_assumptions_are_all_explained() -> None:
    assert assumptions.PAGE.read_text(encoding="utf-8") == assumptions.page(), "Hint: python -m docs.pages.assumptions"


def test_pages_are_linked() -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    for page in ("docs/verbs/README.md", "docs/which-guarantee.md", "docs/study.md"):
        assert f"({page})" in readme
