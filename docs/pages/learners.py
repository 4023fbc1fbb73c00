"""Write docs/learners.md from the catalogue: python -m docs.pages.learners."""

from pathlib import Path

from certus.base import catalogue

PAGE = Path(__file__).parents[1] / "learners.md"
HEAD = """# Learners

Generated from the catalogue by `python -m docs.pages.learners`; `certus learners` prints the same.

| learner | what it is | tasks | guarantees | cost |
| --- | --- | --- | --- | --- |
"""


def page() -> str:
    """The page as text."""
    rows = (
        f"| `{entry.path}` | {entry.summary}{_needs(entry)} | {', '.join(entry.tasks)} | "
        f"{'; '.join(entry.guarantees)} | {entry.cost} |"
        for entry in catalogue.entries()
    )
    failures = [
        f"- `{entry.path}`: `{check}`: {reason}"
        for entry in catalogue.entries()
        for check, reason in entry.known_failures.items()
    ]
    listed = "\n".join(failures) if failures else "None."
    return HEAD + "\n".join(rows) + "\n\n## scikit-learn checks that cannot hold\n\n" + listed + "\n"


def _needs(entry: catalogue.Entry) -> str:
    return "" if entry.needs is None else f" Needs `certus[{entry.needs}]`."


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
