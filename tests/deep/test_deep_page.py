"""The examples of the page about sequences, graphs and generators run; its pictures can be drawn."""

import doctest
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from docs.pages.deep_pictures import POINTS, TREE, points, tree

PAGE = Path(__file__).parents[2] / "docs" / "neural-deep.md"


def test_examples_of_the_page() -> None:
    found = doctest.testfile(str(PAGE), module_relative=False)
    assert found.attempted >= 40
    assert found.failed == 0


def test_the_pictures_can_be_drawn() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert TREE.name in text
    assert POINTS.name in text
    assert TREE.read_text(encoding="utf-8") == tree()
    assert POINTS.exists()
    assert len(points().axes) == 1
