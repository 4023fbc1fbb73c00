"""Options that several commands share, with one wording each."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

TABLES = "CSV, TSV, Parquet, Arrow, JSON lines or Excel; - for standard input"

Table = Annotated[Path, typer.Argument(help=f"{TABLES}.", show_default=False)]
SavedModel = Annotated[Path, typer.Argument(help="A saved model.", show_default=False)]
Target = Annotated[str, typer.Option(help="Column with the true values.", show_default=False)]
MaybeTarget = Annotated[str | None, typer.Option(help="Column with the true values.", show_default=False)]
Model = Annotated[
    Path | None,
    typer.Option(help="A saved model, to be used on the table's rows.", show_default=False),
]
Prediction = Annotated[str | None, typer.Option(help="Column with the predictions.", show_default=False)]
Predictions = Annotated[
    list[str],
    typer.Option("--prediction", help="Column with predictions; give it once per candidate.", show_default=False),
]
Score = Annotated[str | None, typer.Option(help="Column with scores of the positive label.", show_default=False)]
Confidence = Annotated[float, typer.Option(help="Probability with which each promise holds.")]
Loss = Annotated[
    Literal["auto", "error", "absolute", "squared"],
    typer.Option(help="What counts as wrong; 'auto' is the error rate of labels."),
]
Range = Annotated[
    tuple[float, float] | None,
    typer.Option("--range", metavar="LOW HIGH", help="Lowest and highest possible loss.", show_default=False),
]
Positive = Annotated[str | None, typer.Option(help="The label that counts as positive.", show_default=False)]
Seed = Annotated[int, typer.Option(help="Order in which betting goes through the rows.")]
Key = Annotated[
    list[str] | None, typer.Option(help="Column to carry through, in front; once per column.", show_default=False)
]
Output = Annotated[Path | None, typer.Option("--output", "-o", help="File to write.", show_default=False)]
AllowTrainingRows = Annotated[
    bool, typer.Option("--allow-training-rows", help="Take rows that the model was trained on: an estimate.")
]
Looks = Annotated[
    str | None,
    typer.Option(
        metavar="FILE|none",
        help="Where looks at rows are counted; by default in your data folder.",
        show_default=False,
    ),
]
Sealed = Annotated[bool, typer.Option("--sealed", help="Show nothing but the bound, so that later looks can be paid.")]
SealedSteps = Annotated[
    int | None,
    typer.Option(help="Of a sealed look: round the count of errors up to one of so many steps.", show_default=False),
]
NotAdapted = Annotated[
    bool, typer.Option("--not-adapted", help="Declare: nothing was chosen after an earlier result on these rows.")
]
SkipMissing = Annotated[
    bool, typer.Option("--skip-missing", help="Leave out rows without a true value, and tell how many.")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


def one_of(**given: object) -> str:
    """The name of the one option that was given; exactly one must be."""
    present = [name for name, value in given.items() if value]
    if len(present) != 1:
        names = " or ".join(f"--{name}" for name in given)
        raise ValueError(f"exactly one of {names} must be given, got {len(present)}.")
    return present[0]
