"""The page of guarantees is what the gate gives."""

import re

from docs.pages import guarantees
from tests.guarantees import bounds, combined_gate, gate


def test_page_is_up_to_date():
    """The parts that can be made in seconds are made again and must be equal."""
    text = guarantees.PAGE.read_text(encoding="utf-8")
    assert guarantees.enumerated_section() in text
    assert all(f"| {case} |" in text for case in combined_gate.CASES)
    assert guarantees.conformal_section() in text
    assert guarantees.mutants_section() in text


def test_page_shows_every_bound_on_every_kind_of_losses_within_its_level():
    text = guarantees.PAGE.read_text(encoding="utf-8")
    for losses in gate.DISTRIBUTIONS:
        start = text.index(f"### {losses.name},")
        section = text[start : text.find("\n#", start + 3)]
        rows = re.findall(r"^\| ([a-z-]+) \| (\d+) \| (.*) \|$", section, flags=re.MULTILINE)
        assert {(name, int(size)) for name, size, _ in rows} == {(n, s) for n in bounds.NAMES for s in gate.SIZES}
        for _, _, cells in rows:
            shares = [float(cell.split(" / ")[0]) for cell in cells.split(" | ")]
            for share, delta in zip(shares, gate.DELTAS, strict=True):
                assert share <= gate.allowed(delta, gate.REPLICATES)
