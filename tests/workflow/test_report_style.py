"""The page of a study in the light, in the dark, on paper and on a phone: what its template says."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from importlib import resources

Rules = dict[str, dict[str, str]]
PAGE = (resources.files("certus.report") / "templates" / "study.html").read_text(encoding="utf-8")


def parsed(css: str) -> dict[str, Rules]:
    """Declarations by medium ("" for all media) and selector."""
    found: dict[str, Rules] = {"": {}}
    blocks = re.findall(r"@media ([^{]+)\{((?:[^{}]*\{[^{}]*\})*)\s*\}", css)
    rest = re.sub(r"@media [^{]+\{(?:[^{}]*\{[^{}]*\})*\s*\}", "", css)
    for medium, text in [("", rest), *((medium.strip(), text) for medium, text in blocks)]:
        for selectors, body in re.findall(r"([^{}]+)\{([^{}]*)\}", text):
            pairs = (declaration.split(":", 1) for declaration in body.split(";") if ":" in declaration)
            declared = {name.strip(): value.strip() for name, value in pairs}
            for selector in selectors.split(","):
                found.setdefault(medium, {}).setdefault(selector.strip(), {}).update(declared)
    return found


def luminance(color: str) -> float:
    """Relative luminance of #rgb or #rrggbb, as the accessibility guidelines (WCAG 2) define it."""
    digits = color[1:] if len(color) == 7 else "".join(2 * digit for digit in color[1:])
    parts = [int(digits[place : place + 2], 16) / 255 for place in (0, 2, 4)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted(map(luminance, (one, other)))
    return (lighter + 0.05) / (darker + 0.05)


class Tables(HTMLParser):
    """The classes of everything around each table."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.around: list[list[str]] = []
        self.tables: list[list[str]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self.tables.append([name for names in self.around for name in names])
        if tag in ("div", "section", "table", "figure", "details", "main"):
            self.around.append((dict(attributes).get("class") or "").split())

    def handle_endtag(self, tag: str) -> None:
        if tag in ("div", "section", "table", "figure", "details", "main"):
            self.around.pop()


STYLE = parsed(re.findall(r"<style>(.*?)</style>", PAGE, re.S)[0])


def test_every_color_exists_in_light_and_dark_and_can_be_read_in_both() -> None:
    light, dark = STYLE[""][":root"], STYLE["(prefers-color-scheme: dark)"][":root"]
    assert light["color-scheme"] == "light dark"
    colors = {name for name in light if name.startswith("--")}
    assert colors == set(dark)
    for scheme in (light, dark):
        for text in ("--ink", "--soft", "--accent", "--warn"):
            for ground in ("--page", "--card"):
                assert contrast(scheme[text], scheme[ground]) >= 4.5, (text, ground)
    assert luminance(light["--page"]) > 0.8 > 0.05 > luminance(dark["--page"])


def test_rules_use_the_colors_of_the_scheme() -> None:
    body = STYLE[""]["body"]
    assert (body["background"], body["color"]) == ("var(--page)", "var(--ink)")
    fixed = [selector for selector, rule in STYLE[""].items() if re.search("#[0-9a-f]{3}", str(rule))]
    assert fixed == [":root"]


def test_paper_is_white_and_nothing_is_cut_in_two() -> None:
    paper = STYLE["print"]
    assert paper["body"]["background"] == "#fff"
    assert paper[".card"]["break-inside"] == paper["figure"]["break-inside"] == "avoid"


def test_a_narrow_screen_needs_no_sideways_scrolling_of_the_page() -> None:
    assert '<meta name="viewport" content="width=device-width, initial-scale=1">' in PAGE
    tables = Tables(PAGE).tables
    assert len(tables) >= 2
    assert all("wide" in around for around in tables)
    rules = STYLE[""]
    assert rules[".wide"]["overflow-x"] == "auto"
    assert (rules["figure svg"]["width"], rules["figure svg"]["height"]) == ("100%", "auto")
    assert rules["p"]["overflow-wrap"] == rules["h1"]["overflow-wrap"] == "anywhere"
    for grid in (".cards", ".figures"):
        least = re.search(r"minmax\(([^)]+\)?),", rules[grid]["grid-template-columns"])
        assert least
        assert "100%" in least[1] or float(least[1].removesuffix("rem")) * 16 <= 320 - 2 * 16
