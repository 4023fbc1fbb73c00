"""The examples of the page on reinforcement learning run; its pictures are those that its program draws."""

import doctest
import re
from pathlib import Path

import pytest

from docs.pages.reinforce_pictures import FOLDER, PICTURES

PAGE = Path(__file__).parents[2] / "docs" / "reinforce.md"


def test_examples_of_the_page() -> None:
    found = doctest.testfile(str(PAGE), module_relative=False)
    assert found.attempted >= 25
    assert found.failed == 0


def test_the_page_shows_every_picture() -> None:
    shown = re.findall(r"\]\(([\w-]+)\.svg\)", PAGE.read_text(encoding="utf-8"))
    assert sorted(shown) == sorted(PICTURES)


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_says_what_is_drawn(name: str) -> None:
    def texts(svg: str) -> list[str]:
        return re.findall(r"<text[^>]*>([^<]*)</text>", svg)

    drawn = PICTURES[name]().svg()
    assert texts(drawn)
    assert texts(drawn) == texts((FOLDER / f"{name}.svg").read_text(encoding="utf-8"))
