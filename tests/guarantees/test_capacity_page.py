"""The page of bounds without held-out rows is what the gate gives."""

import re

from tests.guarantees import write_capacity_page


def test_page_is_up_to_date():
    """The parts that can be made in seconds are made again and must be equal."""
    text = write_capacity_page.PAGE.read_text(encoding="utf-8")
    assert write_capacity_page.HEAD.strip() in text
    assert write_capacity_page.compression_section() in text
    assert write_capacity_page.mutants_section() in text


def test_page_shows_every_scheme_within_its_level():
    text = write_capacity_page.PAGE.read_text(encoding="utf-8")
    for case in write_capacity_page.CASES:
        shown = re.search(rf"^\| {re.escape(case)} \| ([\d.]+) \| ([\d.]+) \|", text, flags=re.MULTILINE)
        assert shown, case
        assert float(shown[1]) <= float(shown[2])
