"""Options that several commands share, with one wording each."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

Table = Annotated[Path, typer.Argument(help="CSV, TSV, Parquet, Arrow or JSON lines.", show_default=False)]
Truth = Annotated[str, typer.Option(help="Column with the true values.", show_default=False)]
Model = Annotated[
    Path | None,
    typer.Option(help="A saved model, to be used on the table's rows.", show_default=False),
]
Prediction = Annotated[str | None, typer.Option(help="Column with the predictions.", show_default=False)]
Predictions = Annotated[
    list[str],
    typer.Option("--prediction", help="Column with predictions; give it once per candidate.", show_default=False),
]
Confidence = Annotated[float, typer.Option(help="Probability with which each promise holds.")]
Loss = Annotated[
    Literal["auto", "error", "absolute", "squared"],
    typer.Option(help="What is counted as wrong; 'auto' is the error rate of labels."),
]
Low = Annotated[float | None, typer.Option(help="Smallest possible loss.", show_default=False)]
High = Annotated[float | None, typer.Option(help="Largest possible loss.", show_default=False)]
Positive = Annotated[str | None, typer.Option(help="The label that counts as positive.", show_default=False)]
Seed = Annotated[int, typer.Option(help="Order in which betting goes through the rows.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


def loss_range(low: float | None, high: float | None) -> tuple[float, float] | None:
    """The range of the loss, if it was given."""
    if high is None and low is None:
        return None
    if high is None:
        raise ValueError("--low was given without --high.\nHint: a loss needs both ends of its range.")
    return (0.0 if low is None else low, high)


def one_of(**given: object) -> str:
    """The name of the one option that was given; exactly one must be."""
    present = [name for name, value in given.items() if value]
    if len(present) != 1:
        names = " or ".join(f"--{name}" for name in given)
        raise ValueError(f"give exactly one of {names}; {len(present)} were given.")
    return present[0]
