"""The page of bounds without held-out rows is what the gate gives."""

import re

from docs.pages import capacity


def test_page_is_up_to_date():
    """The parts that can be made in seconds are made again and must be equal."""
    text = capacity.PAGE.read_text(encoding="utf-8")
    assert capacity.HEAD.strip() in text
    assert capacity.compression_section() in text
    assert capacity.mutants_section() in text


def test_page_shows_every_scheme_within_its_level():
    text = capacity.PAGE.read_text(encoding="utf-8")
    for case in capacity.CASES:
        shown = re.search(rf"^\| {re.escape(case)} \| ([\d.]+) \| ([\d.]+) \|", text, flags=re.MULTILINE)
        assert shown, case
        assert float(shown[1]) <= float(shown[2])
