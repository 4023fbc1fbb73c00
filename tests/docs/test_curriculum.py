"""The curriculum map: every item once, and every name and test that it gives exists."""

from __future__ import annotations

import ast
import functools
import pkgutil
from collections import Counter
from pathlib import Path

from docs.pages import curriculum

ROOT = Path(__file__).parents[2]
ITEMS = curriculum.items()


@functools.cache
def defined_tests(file: str) -> frozenset[str]:
    """The tests that a file defines, read and not imported."""
    path = ROOT / file
    nodes = ast.parse(path.read_text(encoding="utf-8")).body if path.is_file() else []
    return frozenset(node.name for node in nodes if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"))


@functools.cache
def exists(place: str) -> bool:
    """Whether a page is there, or a name can be imported."""
    if place.startswith("docs/"):
        return (ROOT / place).is_file()
    try:
        pkgutil.resolve_name(place)
    except (ImportError, AttributeError):
        return False
    return place.startswith("certus.")


def test_every_item_once() -> None:
    assert len(ITEMS) == 998
    assert [name for name, count in Counter(item.id for item in ITEMS).items() if count > 1] == []
    assert all(item.title and item.topic in curriculum.TOPICS for item in ITEMS)


def test_status_fits_what_is_given() -> None:
    for item in ITEMS:
        given = tuple(map(bool, (item.where, item.test, item.missing)))
        match item.status:
            case "done":
                assert given == (True, True, False), item
            case "partial":
                assert item.where, item
                assert item.missing, item
            case "absent":
                assert given == (False, False, False), item
            case _:
                raise AssertionError(item)


def test_places_exist() -> None:
    assert [(item.id, place) for item in ITEMS for place in item.where.split() if not exists(place)] == []


def test_tests_exist() -> None:
    def is_defined(node: str) -> bool:
        file, name = node.split("::")
        return name in defined_tests(file)

    assert [(item.id, node) for item in ITEMS for node in item.test.split() if not is_defined(node)] == []


def test_page_is_up_to_date() -> None:
    written = curriculum.PAGE.read_text(encoding="utf-8")
    assert written == curriculum.page(), "Hint: python -m docs.pages.curriculum"
