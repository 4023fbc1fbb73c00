"""Programs ask values and fields: nothing in the package takes a claim, a quantity or a rendered text apart."""

import ast
from pathlib import Path

import pytest

import certus

ROOT = Path(certus.__file__).parent
PROSE = {"claim", "quantity", "theorem", "standing", "remark", "verdict"}  # attributes that people read
TAKING_APART = {
    *("split", "rsplit", "splitlines", "partition", "rpartition", "startswith", "endswith", "find", "rfind"),
    *("removeprefix", "removesuffix", "index", "rindex", "count", "strip", "lstrip", "rstrip", "lower", "upper"),
}
MATCHING = {"match", "fullmatch", "search", "findall", "finditer", "split", "sub"}


def is_prose(node: ast.expr) -> bool:
    """Whether the expression is a text for people: an attribute of `PROSE`, `str(x)` or `x.text()`."""
    if isinstance(node, ast.Attribute):
        return node.attr in PROSE
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "str" and node.args:
        rendered = node.args[0]
        names = {part.id for part in ast.walk(rendered) if isinstance(part, ast.Name)}
        return is_prose(rendered) or bool(names & {"report", "certificate", "pair", "found", "plan", "comparison"})
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "text"


def takes_apart(node: ast.AST) -> bool:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr in TAKING_APART and is_prose(node.func.value):
            return True
        return node.func.attr in MATCHING and any(map(is_prose, node.args))
    if isinstance(node, ast.Compare):
        asked = zip(node.ops, node.comparators, strict=True)
        return any(is_prose(right) for op, right in asked if isinstance(op, ast.In | ast.NotIn))
    return isinstance(node, ast.Subscript) and is_prose(node.value)


def places(source: str) -> list[int]:
    """Lines on which prose is taken apart."""
    return [node.lineno for node in ast.walk(ast.parse(source)) if takes_apart(node)]


@pytest.mark.parametrize(
    "line",
    [
        "threshold = certificate.quantity.rpartition('> ')[2]",
        "match = PATTERN.fullmatch(certificate.quantity)",
        "said = '95%' in self.claim",
        "word = str(pair).split(' (p', 1)[0]",
        "lines = report.text().splitlines()",
        "first = item.claim[:4]",
        "gap = str(item.quantity).startswith('optimality')",
    ],
)
def test_parsing_would_be_found(line):
    assert places(line)


@pytest.mark.parametrize("line", ["a = f'{item.claim} [{item.theorem}]'", "b = item.quantity == 'error'"])
def test_showing_and_comparing_are_allowed(line):
    assert not places(line)


def test_nothing_parses_prose():
    found = {str(path.relative_to(ROOT)): lines for path in ROOT.rglob("*.py") if (lines := places(path.read_text()))}
    assert found == {}
