"""A spreadsheet as a spreadsheet program saves it: numbers, truth values, dates and times in cells, texts inline."""

from __future__ import annotations

import datetime
import zipfile
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import polars as pl

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_PARTS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_OFFICE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_FIRST_DAY = datetime.datetime(1899, 12, 30)
_STYLES = {datetime.date: 1, datetime.datetime: 2, datetime.time: 3}  # 14, 22 and 21 of the built-in formats


def write_spreadsheet(frame: pl.DataFrame, path: Path) -> None:
    """One sheet with the names of the columns in its first row."""
    rows = [frame.columns, *frame.rows()]
    sheet = "".join(f"<row>{''.join(map(_cell, row))}</row>" for row in rows)
    formats = "".join(f'<xf numFmtId="{number}" applyNumberFormat="1"/>' for number in (0, 14, 22, 21))
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(
            "[Content_Types].xml",
            f'<Types xmlns="{_PACKAGE}/content-types">'
            '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            f'<Override PartName="/xl/workbook.xml" ContentType="{_OFFICE}.sheet.main+xml"/>'
            f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{_OFFICE}.worksheet+xml"/>'
            f'<Override PartName="/xl/styles.xml" ContentType="{_OFFICE}.styles+xml"/></Types>',
        )
        archive.writestr("_rels/.rels", _relations(("officeDocument", "xl/workbook.xml")))
        archive.writestr(
            "xl/_rels/workbook.xml.rels", _relations(("worksheet", "worksheets/sheet1.xml"), ("styles", "styles.xml"))
        )
        archive.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{_MAIN}" xmlns:r="{_PARTS}"><sheets>'
            '<sheet name="rows" sheetId="1" r:id="r0"/></sheets></workbook>',
        )
        archive.writestr("xl/styles.xml", f'<styleSheet xmlns="{_MAIN}"><cellXfs>{formats}</cellXfs></styleSheet>')
        archive.writestr(
            "xl/worksheets/sheet1.xml", f'<worksheet xmlns="{_MAIN}"><sheetData>{sheet}</sheetData></worksheet>'
        )


def _relations(*targets: tuple[str, str]) -> str:
    each = "".join(
        f'<Relationship Id="r{number}" Type="{_PARTS}/{kind}" Target="{target}"/>'
        for number, (kind, target) in enumerate(targets)
    )
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{each}</Relationships>'


def _cell(value: Any) -> str:
    if value is None:
        return "<c/>"
    if isinstance(value, bool):
        return f'<c t="b"><v>{int(value)}</v></c>'
    if isinstance(value, int | float):
        return f"<c><v>{value!r}</v></c>"
    if isinstance(value, datetime.date | datetime.time):
        return f'<c s="{_STYLES[type(value)]}"><v>{_serial(value)!r}</v></c>'
    return f'<c t="inlineStr"><is><t xml:space="preserve">{escape(str(value))}</t></is></c>'


def _serial(value: Any) -> float:
    """Days since the spreadsheet's first day; of times the part of a day."""
    if isinstance(value, datetime.time):
        return (value.hour * 3600 + value.minute * 60 + value.second) / 86400
    moment = value if isinstance(value, datetime.datetime) else datetime.datetime.combine(value, datetime.time())
    return (moment - _FIRST_DAY) / datetime.timedelta(days=1)
