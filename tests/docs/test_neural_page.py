"""The examples of the page about neural networks run and say what they claim."""

import doctest
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "neural.md"


def test_examples_of_the_page() -> None:
    found = doctest.testfile(str(PAGE), module_relative=False)
    assert found.attempted >= 10
    assert found.failed == 0
