"""The examples of the page about neural networks run and say what they claim; its picture can be drawn."""

import doctest
from pathlib import Path

from docs.pages.neural import PICTURE, drawn

PAGE = Path(__file__).parents[2] / "docs" / "neural.md"


# What follows needs torch; tests/deep runs it.
DEEP = "## Deep networks\n"


def run_examples(text: str) -> doctest.TestResults:
    """Run the examples of a part of the page."""
    test = doctest.DocTestParser().get_doctest(text, {}, PAGE.name, str(PAGE), 0)
    return doctest.DocTestRunner().run(test)


def test_examples_of_the_page() -> None:
    found = run_examples(PAGE.read_text(encoding="utf-8").partition(DEEP)[0])
    assert found.attempted >= 10
    assert found.failed == 0


def test_the_picture_can_be_drawn() -> None:
    assert PICTURE.name in PAGE.read_text()
    assert PICTURE.exists()
    assert len(drawn().axes) == 2
