"""``certus compare``: is A really better than B on these rows."""

from __future__ import annotations

from typing import Any

from certus.cli import options
from certus.cli.output import certificates_of, print_json, print_report, print_text


def command(
    table: options.Table,
    truth: options.Truth,
    prediction: options.Predictions,
    loss: options.Loss = "auto",
    low: options.Low = None,
    high: options.High = None,
    confidence: options.Confidence = 0.95,
    seed: options.Seed = 0,
    json: options.Json = False,
) -> None:
    """Compare two or more columns of predictions on the same rows: who is better, or that nobody can tell.

    If nobody can tell, it says about how many rows would.
    """
    from certus.cli.model_tables import read_table, values_of
    from certus.verbs import compare

    frame = read_table(table)
    candidates = {name: values_of(frame, name, "--prediction") for name in prediction}
    found = compare(
        candidates,
        y_true=values_of(frame, truth, "--truth"),
        loss=loss,
        loss_range=options.loss_range(low, high),
        confidence=confidence,
        seed=seed,
    )
    if json:
        pairs = [_plain(pair) for pair in found.pairs]
        told = {"rows": frame.height, "verdict": found.verdict, "adjusted_pvalues": found.adjusted, "pairs": pairs}
        print_json({**told, "certificates": certificates_of(found.report)})
    else:
        for pair in found.pairs:
            print_text(f"{pair.finding}.")
        print_report(found.report)


def _plain(pair: Any) -> dict[str, Any]:
    names = ("first", "second", "rows", "verdict", "pvalue", "power", "rows_needed")
    return {name: getattr(pair, name) for name in names}
