"""Write docs/curriculum.md from docs/curriculum.tsv: python -m docs.pages.curriculum."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path

from docs.pages.markdown import table

DOCS = Path(__file__).parents[1]
PAGE = DOCS / "curriculum.md"
MAP = DOCS / "curriculum.tsv"
MARKS = {"done": "● done", "partial": "◐ partly", "absent": "○"}
TOPICS = (
    "The study in six steps",
    "Learnability: PAC, VC dimension, Rademacher, no free lunch, sample sizes",
    "Validation, statistical tests and comparison",
    "Least squares, ridge, lasso, logistic regression, feature selection, convexity and duality",
    "Perceptrons, linear discriminants and reductions to two classes",
    "Support vector machines",
    "Kernels and kernel machines",
    "Decision trees",
    "Bagging, forests, boosting and stacking",
    "Nearest neighbors and their theory",
    "Clustering",
    "Mixtures, EM and density estimation",
    "Linear algebra and principal components",
    "Probability, estimation, conjugate priors and information",
    "Naive Bayes and text",
    "Bayesian networks",
    "Markov chain Monte Carlo and Langevin dynamics",
    "Prediction with expert advice",
    "Online linear learning and Boolean functions",
    "Bandits",
    "Multitask learning with memory and matrix completion",
    "Learning on graphs",
    "Neural networks",
    "Reinforcement learning",
    "Ranking, and formulas as networks",
    "Figures",
)
HEAD = """# The curriculum map

Generated from `docs/curriculum.tsv` by `python -m docs.pages.curriculum`.

What courses on machine learning teach, item by item: algorithms, theorems, worked numbers and exercises.
**{counts}**

For every item that is done, *where* names what to import (or the page that says it, where the item is a statement),
and *test* the test that fails without it; a worked number is done if a test asserts that number. Of an item that is
done partly, the mark says what is missing. The ids are those of the lecture notes that the list was made from.
"""


@dataclass(frozen=True)
class Item:
    """A line of the map; ``where`` and ``test`` hold names separated by spaces."""

    id: str
    title: str
    topic: str
    status: str
    where: str
    test: str
    missing: str


def items() -> list[Item]:
    """The lines of the map, in their order."""
    head, *lines = (line.split("\t") for line in MAP.read_text(encoding="utf-8").splitlines())
    expected = [field.name for field in fields(Item)]
    if head != expected:
        raise ValueError(f"The columns of {MAP.name} must be {expected}, got {head}.")
    return [Item(*line) for line in lines]


def page() -> str:
    """The page as text."""
    by_topic: dict[str, list[Item]] = {topic: [] for topic in TOPICS}
    for item in items():
        by_topic[item.topic].append(item)
    overview = [[f"[{topic}](#{anchor(topic)})", *counted(found)] for topic, found in by_topic.items()]
    everything = [item for found in by_topic.values() for item in found]
    number = Counter(item.status for item in everything)
    counts = f"{len(everything)} items: {number['done']} done, {number['partial']} partly, {number['absent']} not yet."
    parts = [HEAD.format(counts=counts).strip(), table(["topic", "items", "done", "partly", "not yet"], overview)]
    return "\n\n".join([*parts, *(section(topic, found) for topic, found in by_topic.items())]) + "\n"


def counted(found: Iterable[Item]) -> list[str]:
    """All, and of each status."""
    number = Counter(item.status for item in found)
    return [str(value) for value in (number.total(), *(number[status] for status in MARKS))]


def section(topic: str, found: list[Item]) -> str:
    """A topic and its table."""
    rows = [[item.id, escaped(item.title), mark(item), linked_places(item), linked_tests(item)] for item in found]
    return f"## {topic}\n\n" + table(["id", "item", "", "where", "test"], rows)


def mark(item: Item) -> str:
    """The sign of the status, and what is missing."""
    return MARKS[item.status] + (f"; missing: {escaped(item.missing)}" if item.missing else "")


def linked_places(item: Item) -> str:
    """Names with links to the folder of their package, pages with links to themselves."""
    return ", ".join(f"[`{name}`]({folder(name)})" for name in item.where.split())


def folder(name: str) -> str:
    """Where a name lives, seen from ``docs/``: ``certus.svm.SVC`` in ``../src/certus/svm``."""
    if name.startswith("docs/"):
        return name.removeprefix("docs/")
    return "/".join(["../src", *name.split(".")[:-1][:2]])


def linked_tests(item: Item) -> str:
    """Names of tests with links to their files."""
    pairs = (node.split("::") for node in item.test.split())
    return ", ".join(f"[`{name}`](../{file})" for file, name in pairs)


def escaped(text: str) -> str:
    """Text for a cell: signs that Markdown would read are taken literally; bars may be escaped already."""
    text = re.sub(r"(?<!\\)\|", r"\\|", text)
    return re.sub(r"([*_])", r"\\\1", text).replace("<", "&lt;")


def anchor(title: str) -> str:
    """What a heading is called in links."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
