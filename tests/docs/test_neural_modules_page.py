"""The page about modules and certificates of networks: its examples run, its pictures are what is drawn."""

import doctest
import re
from pathlib import Path

import pytest

from docs.pages.module_pictures import FOLDER, PICTURES

PAGE = Path(__file__).parents[2] / "docs" / "neural-modules.md"


def test_examples_of_the_page_run() -> None:
    found = doctest.testfile(str(PAGE), module_relative=False)
    assert found.attempted > 20
    assert found.failed == 0


def test_the_page_shows_every_picture() -> None:
    shown = re.findall(r"\]\(pictures/modules/([\w-]+)\.svg\)", PAGE.read_text(encoding="utf-8"))
    assert sorted(shown) == sorted(PICTURES)
    assert sorted(path.stem for path in FOLDER.glob("*.svg")) == sorted(PICTURES)


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_says_what_is_drawn(name: str) -> None:
    def texts(svg: str) -> list[str]:
        return re.findall(r"<text[^>]*>([^<]*)</text>", svg)

    drawn = PICTURES[name]().svg()
    assert texts(drawn)
    assert texts(drawn) == texts((FOLDER / f"{name}.svg").read_text(encoding="utf-8"))


def test_statements_stand_on_the_page() -> None:
    """What cannot be imported is said: size of networks for all functions, hardness, architectures by name."""
    text = " ".join(PAGE.read_text(encoding="utf-8").split())
    for said in (
        "must grow exponentially with d",
        "unless P = NP",
        "deep Boltzmann machines and variational autoencoders",
        "gated recurrent unit",
    ):
        assert said in text
