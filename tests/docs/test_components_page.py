"""The examples of the page about components run and say what they claim; its picture can be drawn."""

import doctest
from pathlib import Path

from docs.pages.components import PICTURE, drawn

PAGE = Path(__file__).parents[2] / "docs" / "components.md"


def test_examples_of_the_page() -> None:
    found = doctest.testfile(str(PAGE), module_relative=False)
    assert found.attempted >= 15
    assert found.failed == 0


def test_the_picture_can_be_drawn() -> None:
    assert PICTURE.name in PAGE.read_text()
    assert PICTURE.exists()
    assert len(drawn().axes) == 2
