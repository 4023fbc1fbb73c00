"""The pictures of the page on clustering are those that its program draws."""

import re
from pathlib import Path

import pytest

from docs.pages.clustering_pictures import FOLDER, PICTURES

PAGE = Path(__file__).parents[2] / "docs" / "clustering.md"


def test_the_page_shows_every_picture() -> None:
    shown = re.findall(r"\]\(pictures/([\w-]+)\.svg\)", PAGE.read_text(encoding="utf-8"))
    assert sorted(shown) == sorted(PICTURES)
    assert sorted(path.stem for path in FOLDER.glob("*.svg")) == sorted(PICTURES)


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_says_what_is_drawn(name: str) -> None:
    def texts(svg: str) -> list[str]:
        return re.findall(r"<text[^>]*>([^<]*)</text>", svg)

    drawn = PICTURES[name]().svg()
    assert texts(drawn)
    assert texts(drawn) == texts((FOLDER / f"{name}.svg").read_text(encoding="utf-8"))
