"""Write docs/which-guarantee.md, what each guarantee means and assumes: python -m docs.pages.assumptions."""

from pathlib import Path

from certus.guarantees.records import ASSUMPTIONS
from docs.pages.markdown import table

PAGE = Path(__file__).parents[1] / "which-guarantee.md"
HEAD = """# Which guarantee means what

A certificate says what is claimed, how surely, by which theorem, and what it assumes. Its `kind` tells how surely:

| kind | how it reads | what it means |
| --- | --- | --- |
| `exact` | "within 1e-8 of its minimum" | holds for this model, without chance; rounding errors are counted |
| `probable` | "with confidence 95 % the error is at most 4.6 %" | of such statements at most 5 % are false |
| `anytime` | "with confidence 95 %, at every look" | the same, however often one looks while rows arrive |
| `expectation` | "on average over calibration sets" | holds on average; this very set may be above or below |
| `estimate` | "an estimate, not a guarantee" | nobody promises it; the reason stands beside it |

A bound that says no more than could be said without data is called *vacuous*. Of a study that is a bound above what the
best constant answer has on the same rows.

Which one do I need?

- *How wrong is this model on new rows?* A bound from held-out rows: [certify](verbs/certify.md). It needs rows that
  nobody used, and says nothing about rows that behave differently.
- *What can I say about one new row?* A set or an interval: [conformal](verbs/conformal.md). Its level holds on average
  over rows, not for every kind of row; `--group` promises it in every group.
- *Which threshold keeps my promise?* [guard](verbs/guard.md).
- *Is it still as good as it was?* [monitor](verbs/monitor.md), whose promise holds at every look.
- *Is the training finished?* `model.report_`: how far the objective can be from its minimum; nothing on new rows.
- *I looked at these rows before.* Then the promise is gone or has a price: [looks](looks.md).

## What is assumed

No guarantee is free of assumptions, and no program can check these. Every certificate names its own by the words below
(`certificate.assumptions`); a report explains them where they are used, on hover and in print. The first question is
always whether the rows are like those that the claim is about.

"""


def page() -> str:
    """The page as text."""
    return HEAD + table(["word", "meaning"], [[f"`{word}`", text] for word, text in ASSUMPTIONS.items()]) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
