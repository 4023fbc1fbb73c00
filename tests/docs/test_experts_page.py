"""The examples of the page about experts print what the page says, and its statements stand."""

import doctest
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "experts.md"


def test_examples_of_the_page() -> None:
    found = doctest.testfile(str(PAGE), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert found.attempted >= 20
    assert found.failed == 0


def test_statements_of_the_page() -> None:
    text = " ".join(PAGE.read_text(encoding="utf-8").split())
    for sentence in (
        "Updates multiply weights, so that the price of n experts is only ln n",
        "experts may be all members of a structured class",
        "the right-hand side of a theorem is a *bound* on it",
        "Disk idle times, arrivals of packets, portfolios and topics of texts",
    ):
        assert sentence in text
