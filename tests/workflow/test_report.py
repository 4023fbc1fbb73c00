"""The page that a study writes."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

import numpy as np
import polars as pl
import pytest

from certus.guarantees.records import ASSUMPTIONS, percent
from certus.workflow import Study, study
from certus.workflow.findings.alike import alike_columns


class Page(HTMLParser):
    """Tags that are left open, addresses that a browser would fetch, and the text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.fetched: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag not in ("meta", "link", "br", "img", "input", "hr", "wbr"):
            self.open.append(tag)
        own = dict(attributes)
        self.fetched += [str(own[name]) for name in ("src", "href", "xlink:href", "data") if name in own]
        self.fetched += ["a script"] if tag == "script" else []

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attributes)
        if self.open and self.open[-1] == tag:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture(scope="module")
def result() -> Study:
    return study(families=["linear", "trees"], trials=4)


@pytest.fixture(scope="module")
def html(result: Study) -> str:
    return result.report


@pytest.fixture(scope="module")
def page(html: str) -> Page:
    return Page(html)


def test_nothing_is_fetched_and_every_tag_is_closed(html: str, page: Page) -> None:
    assert page.open == []
    assert [address for address in page.fetched if not address.startswith(("#", "data:"))] == []
    assert not re.search(r"@import|url\((?!['\"]?#)", html)


def test_light_dark_print_and_phone(html: str) -> None:
    for needed in ("prefers-color-scheme: dark", "@media print", 'name="viewport"', "color-scheme: light dark"):
        assert needed in html


def test_the_first_screen_answers_before_the_details(page: Page) -> None:
    places = [page.text.index(words) for words in ("The winner", "How good", "How sure", "What next", "Leaderboard")]
    assert places == sorted(places)


def test_the_page_has_the_numbers_of_the_json(result: Study, page: Page) -> None:
    told = result.to_dict()
    assert f"{100 * told['winner']['test_value']:.2f} %" in page.text
    assert f"≤ {percent(told['winner']['certificate']['value'], 'upper')}" in page.text
    assert f"baseline on the same rows: {100 * told['baseline']['test_value']:.2f} %" in page.text
    assert told["comparison_with_constant"]["headline"] in page.text
    for row in told["leaderboard"]:
        assert row["learner"] in page.text
        assert row["validation_value"] is None or f"{row['validation_value']:.4g}" in page.text
    for remark in told["advice"]:
        assert remark in page.text


@pytest.mark.parametrize(
    "title",
    [
        "Right and wrong on the test rows",
        "Hits and false alarms",
        "Precision and recall",
        "Margins of the predictions",
        "Predicted and observed probability",
        "Which columns matter",
        "Columns that carry the same information",
        "Rows and error",
        "The race",
    ],
)
def test_every_figure_is_there(page: Page, title: str) -> None:
    assert title in page.text


def test_errors_of_numbers_have_their_figure() -> None:
    x = np.random.default_rng(0).normal(size=(200, 3))
    frame = pl.DataFrame({"a": x[:, 0], "b": x[:, 1], "y": x[:, 0] + 0.1 * x[:, 2]})
    page = Page(study(frame, target="y", families=["linear"], trials=2).report)
    assert "Errors on the test rows" in page.text


def alike(**columns: Any) -> list[list[float]]:
    frame = pl.DataFrame(columns)
    found = alike_columns(frame, frame.columns)
    assert found is not None
    return found.merges


def test_columns_that_say_the_same_survive_missing_values() -> None:
    rng = np.random.default_rng(0)
    x, other = rng.normal(size=(2, 300))
    holes = pl.Series(x**3).scatter(np.arange(5), None)
    merges = alike(x=x, other=other, cubed=holes)
    assert merges[0][:2] == [0.0, 2.0]
    assert merges[0][2] < 0.1 < merges[1][2]
    assert alike_columns(pl.DataFrame({"x": x, "y": x}), ["x", "y"]) is None


def test_contents_lead_to_sections_that_exist(html: str, page: Page) -> None:
    anchors = [address.removeprefix("#") for address in re.findall(r'<a href="(#[a-z]+)"', html)]
    assert anchors[:2] == ["guaranteed", "next"]
    for anchor in anchors:
        assert html.count(f'id="{anchor}"') == 1


def test_the_page_says_where_the_model_comes_from(result: Study, page: Page) -> None:
    told = dict(line.split(": ", 1) for line in result.model.about_)
    assert told["options"] == "target='diagnosis', families=('linear', 'trees'), trials=4"
    for value in (told["table digest"], told["options"], "the study took"):
        assert value in page.text
    assert "worst_area" in page.text  # the columns with their types and missing values


def test_assumptions_are_explained_on_hover_and_in_print(result: Study, html: str, page: Page) -> None:
    for token in result.certificate.assumptions:
        assert f'<abbr title="{ASSUMPTIONS[token]}">{token}</abbr>' in html
        assert ASSUMPTIONS[token] in page.text


def test_bars_tell_candidates_apart_although_the_baseline_is_far_off(html: str) -> None:
    widths = [float(one) for one in re.findall(r'class="bar[^"]*" style="width:([\d.]+)%"', html)]
    assert len({round(width) for width in widths if width < 100}) > 1
    assert 'class="bar cut"' in html


def test_importances_have_a_spread(result: Study) -> None:
    spread = result.to_dict()["findings"]["importance_spread"]
    assert set(spread) == set(result.findings.importances)
    assert any(value > 0 for value in spread.values())
