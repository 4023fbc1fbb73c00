"""The examples of the page about mixtures run and print what the notes say."""

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "mixtures.md"


def test_examples_of_the_page(capsys) -> None:
    examples = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(examples) >= 2
    for example in examples:
        exec(compile(example, "mixtures.md", "exec"), {})
    said = capsys.readouterr().out
    assert [line.split()[0] for line in said.splitlines()[-3:]] == ["0.9927", "1.3422", "1.4268"]
