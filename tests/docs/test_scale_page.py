"""The examples of the page about tables that do not fit run and say what they claim."""

import doctest
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "scale.md"


def test_examples_of_the_page() -> None:
    pytest.importorskip("pyarrow")
    found = doctest.testfile(str(PAGE), module_relative=False)
    assert found.attempted >= 15
    assert found.failed == 0
