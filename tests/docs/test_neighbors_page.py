"""The page about neighbors: its examples run."""

import doctest
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "neighbors.md"


def test_examples_of_the_page_run() -> None:
    found = doctest.testfile(str(PAGE), module_relative=False)
    assert found.attempted > 15
    assert found.failed == 0
