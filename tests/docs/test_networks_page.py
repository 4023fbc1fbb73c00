"""The examples of the page about Bayesian networks run and say what they claim; its picture is the drawn one."""

import doctest
from pathlib import Path

from docs.pages.networks import PICTURE, drawn

PAGE = Path(__file__).parents[2] / "docs" / "networks.md"


def test_examples_of_the_page() -> None:
    found = doctest.testfile(str(PAGE), module_relative=False)
    assert found.attempted >= 25
    assert found.failed == 0


def test_the_picture_is_the_drawn_one() -> None:
    assert PICTURE.name in PAGE.read_text()
    assert PICTURE.read_text(encoding="utf-8") == drawn()
