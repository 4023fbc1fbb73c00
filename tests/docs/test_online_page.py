"""The examples of the page about online run and say what they claim."""

import doctest
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "online.md"


def test_examples_of_the_page() -> None:
    found = doctest.testfile(str(PAGE), module_relative=False)
    assert found.attempted >= 7
    assert found.failed == 0
