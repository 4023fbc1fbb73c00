"""The examples of the page about neural networks run and say what they claim; its picture can be drawn."""

import doctest
from pathlib import Path

from docs.pages.neural import PICTURE, drawn

PAGE = Path(__file__).parents[2] / "docs" / "neural.md"


def test_examples_of_the_page() -> None:
    found = doctest.testfile(str(PAGE), module_relative=False)
    assert found.attempted >= 10
    assert found.failed == 0


def test_the_picture_can_be_drawn() -> None:
    assert PICTURE.name in PAGE.read_text()
    assert PICTURE.exists()
    assert len(drawn().axes) == 2
