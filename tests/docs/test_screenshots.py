"""The report fits the screens that people have, and six sheets of paper."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

import certus
from docs.pages import screenshots


def test_pictures_are_there_and_used() -> None:
    tutorial = (screenshots.FOLDER.parent / "tutorial.md").read_text(encoding="utf-8")
    for name, size in screenshots.SCREENS.items():
        content = (screenshots.FOLDER / name).read_bytes()
        assert struct.unpack(">II", content[16:24]) == size
        assert f"(images/{name})" in tutorial


@pytest.mark.slow
@pytest.mark.skipif(screenshots.browser() is None, reason="no browser to print with")
def test_the_report_of_the_built_in_table_takes_six_sheets_at_most_and_fits_every_screen(tmp_path: Path) -> None:
    report = certus.study(trials=12).save(tmp_path / "study") / "report.html"
    assert 1 <= screenshots.printed_pages(report) <= 6
    assert [screenshots.overhang(report, width) for width, _ in screenshots.SCREENS.values()] == [0, 0]
