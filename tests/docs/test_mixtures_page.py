"""The examples of the page about mixtures run and print what the notes say."""

import re
from pathlib import Path

import pytest

from docs.pages.mixture_pictures import PICTURES

PAGE = Path(__file__).parents[2] / "docs" / "mixtures.md"


def test_examples_of_the_page(capsys) -> None:
    examples = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(examples) >= 3
    names: dict[str, object] = {}  # later examples use what earlier ones import
    for example in examples:
        exec(compile(example, "mixtures.md", "exec"), names)
    said = capsys.readouterr().out
    assert "2 True" in said
    assert re.findall(r"^(\d\.\d{4}) ", said, re.MULTILINE) == ["0.9927", "1.3422", "1.4268"]


@pytest.mark.parametrize("name", PICTURES)
def test_pictures_are_there_and_can_be_drawn(name: str) -> None:
    assert (PAGE.parent / "mixture-pictures" / f"{name}.svg").read_text(encoding="utf-8").startswith("<svg")
    assert f"mixture-pictures/{name}.svg" in PAGE.read_text(encoding="utf-8")
    assert PICTURES[name]().svg().startswith("<svg")
