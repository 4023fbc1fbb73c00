"""``certus select``: the best of several candidates, with the price of having looked."""

from __future__ import annotations

from typing import Annotated

import typer

from certus.cli import options
from certus.cli.output import certificates_of, print_json, print_report, print_text


def command(
    table: options.Table,
    target: options.Target,
    prediction: options.Predictions,
    loss: options.Loss = "auto",
    loss_range: options.Range = None,
    confidence: options.Confidence = 0.95,
    tried: Annotated[
        int | None,
        typer.Option(help="Candidates ever scored on these rows, if more than given.", show_default=False),
    ] = None,
    seed: options.Seed = 0,
    skip_missing: options.SkipMissing = False,
    json: options.Json = False,
) -> None:
    """Choose the best column of predictions and bound its error, paying for every candidate."""
    from certus.cli.model_tables import read_table, values_of, with_truth
    from certus.verbs import select

    frame = with_truth(read_table(table), [target], skip_missing)
    found = select(
        {name: values_of(frame, name, "--prediction") for name in prediction},
        y_true=values_of(frame, target, "--target"),
        loss=loss,
        loss_range=loss_range,
        confidence=confidence,
        tried=tried,
        seed=seed,
    )
    if json:
        told = {"rows": frame.height, "winner": found.winner, "shortlist": list(found.shortlist)}
        certificates = certificates_of(found.report)
        print_json({**told, "mean_losses": dict(found.losses), "certificates": certificates})
    else:
        print_text(f"{found.winner} is the best of {len(found.losses)} on these rows.")
        print_report(found.report)
