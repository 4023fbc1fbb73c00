"""The options of a study are listed once: Python and the command line offer the same, and messages name them."""

from __future__ import annotations

import inspect
from dataclasses import fields

import pytest

import certus
from certus.cli.commands.study import command
from certus.cli.spelling import as_typed, flag, modern
from certus.workflow import StudyError
from certus.workflow.options import Options, described

NAMES = [one.name for one in fields(Options)]


def test_the_signature_of_the_study_is_the_list_of_options() -> None:
    offered = inspect.signature(certus.study).parameters
    assert list(offered) == ["table", *NAMES, "journal", "progress"]
    defaults = Options()
    for name in NAMES:
        assert offered[name].kind is inspect.Parameter.KEYWORD_ONLY
        assert (offered[name].default or None) == (getattr(defaults, name) or None)
        assert f"    {name} : " in certus.study.__doc__
        assert described()[name].help.split("``")[0] in certus.study.__doc__
    with pytest.raises(TypeError, match="confidnce"):
        certus.study(confidnce=0.9)


def test_the_command_offers_the_list_of_options_and_where_to_write() -> None:
    offered = inspect.signature(command).parameters
    assert list(offered) == ["table", *NAMES, "out", "resume", "force", "quiet", "json"]
    assert [flag(name) for name in ("loss_range", "costs", "refit_all", "time")] == [
        "--range",
        "--cost",
        "--refit-all",
        "--time",
    ]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"confidence": 1.0}, "confidence must lie strictly between 0 and 1, got 1.0."),
        ({"holdout": -1}, "holdout must lie strictly between 0 and 1, got -1."),
        ({"trials": 0}, "trials must be at least 1, got 0."),
        ({"time": 0.0}, "time must be a positive number of seconds, got 0.0."),
        ({"task": "ranking"}, "task must be one of 'classification', 'ordinal', .*, got 'ranking'."),
    ],
)
def test_values_that_cannot_be_are_refused_by_name(given: dict[str, object], message: str) -> None:
    with pytest.raises(StudyError, match=message) as caught:
        Options(**given)
    (name,) = given
    assert caught.value.options == (name,)
    assert as_typed(str(caught.value), caught.value.options).startswith(f"--{name} must")


@pytest.mark.parametrize(
    ("text", "names", "typed"),
    [
        ("choose task='classification'.", ["task"], "choose --task classification."),
        ("sql='select …'.", ["sql"], "--sql 'select …'."),
        ("(target=NAME predicts)", ["target"], "(--target NAME predicts)"),
        ("order: no column 'order', nor reorder", ["order"], "--order: no column 'order', nor reorder"),
        ("the loss needs its loss_range", ["loss_range"], "the loss needs its --range"),
    ],
)
def test_the_command_line_adds_the_dashes(text: str, names: list[str], typed: str) -> None:
    assert as_typed(text, names) == typed


def test_old_spellings_are_understood() -> None:
    assert modern(["--truth", "y", "--json"]) == ["--target", "y", "--json"]
    assert modern(["--truth=y"]) == ["--target=y"]
    assert modern(["--low", "1", "--high=5"]) == ["--range", "1", "5"]
    assert modern(["--high", "5"]) == ["--range", "0", "5"]


def test_options_that_do_not_decide_a_result_do_not_end_a_journal() -> None:
    one, other = Options(trials=3, threads=1), Options(time=9.0, refit_all=True)
    assert one.fingerprint() == other.fingerprint()
    assert one.fingerprint() != Options(seed=1).fingerprint()
    # As version 0.1.0 wrote it into its journals.
    assert Options(target=["a", "b"], costs={("x", "y"): 2.0}).fingerprint() == {
        "target": "('a', 'b')",
        "task": "None",
        "measure": "None",
        "positive": "None",
        "levels": "()",
        "confidence": "0.95",
        "holdout": "0.2",
        "group": "None",
        "order": "None",
        "families": "()",
        "loss_range": "None",
        "costs": "((('x', 'y'), 2.0),)",
        "seed": "0",
    }
