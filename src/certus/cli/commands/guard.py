"""``certus guard``: thresholds that keep a named rate."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import typer

from certus.cli import options
from certus.cli.failures import BROKEN_PROMISE
from certus.cli.output import certificates_of, facts_of_rows, print_json, print_report, print_text


def command(
    table: options.Table,
    target: options.Target,
    score: options.Score = None,
    model: options.Model = None,
    recall: Annotated[
        float | None, typer.Option(help="Flag at least this fraction of positives.", show_default=False)
    ] = None,
    precision: Annotated[
        float | None, typer.Option(help="At least this fraction of flags is right.", show_default=False)
    ] = None,
    false_alarm: Annotated[
        float | None, typer.Option(help="Flag at most this fraction of negatives.", show_default=False)
    ] = None,
    alarm_rate: Annotated[
        float | None, typer.Option(help="Flag at most this fraction of all rows.", show_default=False)
    ] = None,
    positive: options.Positive = None,
    confidence: options.Confidence = 0.95,
    prefer: Annotated[
        Literal["high", "low"] | None,
        typer.Option(help="Which of several thresholds to take.", show_default=False),
    ] = None,
    allow_training_rows: options.AllowTrainingRows = False,
    skip_missing: options.SkipMissing = False,
    json: options.Json = False,
) -> None:
    """Find a threshold that keeps the rates asked for, all together with the confidence.

    Rows with a score of at least the threshold are flagged. Exit 1 if no threshold can be promised.
    """
    from certus.verbs import guard

    scores, rows, labels, positive_label = _inputs(table, target, score, model, positive, skip_missing)
    found = guard(
        scores,
        rows,
        labels,
        recall=recall,
        precision=precision,
        false_alarm=false_alarm,
        alarm_rate=alarm_rate,
        positive=positive_label,
        confidence=confidence,
        prefer=prefer,
        allow_training_rows=allow_training_rows,
    )
    told = {name: getattr(found, name) for name in ("feasible", "threshold", "reason", "rows_needed")}
    if json:
        print_json(
            {"rows": len(labels), **told, "certificates": certificates_of(found.report), **facts_of_rows(found.report)}
        )
    elif found.feasible:
        print_text(f"threshold: {found.threshold!r}")
        print_report(found.report)
    else:
        more = "" if found.rows_needed is None else f"\nAbout {found.rows_needed} rows would help."
        print_text(f"{found}{more}")
    if not found.feasible:
        raise typer.Exit(BROKEN_PROMISE)


def _inputs(
    table: Any, target: str, score: str | None, model: Any, positive: str | None, skip: bool
) -> tuple[Any, ...]:
    """Scores (or a model and rows), labels, and the positive label."""
    from certus.cli.model_tables import (
        column,
        input_of,
        label_like,
        labels_like,
        read_for_model,
        read_table,
        scores_of,
        values_of,
        with_truth,
    )

    if options.one_of(score=score, model=model) == "score":
        frame = with_truth(read_table(table), [target], skip)
        labels = values_of(frame, target, "--target")
        return scores_of(frame, str(score), "--score"), None, labels, label_like(positive, labels, "--positive")
    from certus.base import persistence

    loaded = persistence.load(model)
    frame = with_truth(read_for_model(loaded, table, target), [target], skip)
    labels = labels_like(loaded, column(frame, target, "--target"))
    return loaded, input_of(loaded, frame.drop(target)), labels, label_like(positive, labels, "--positive")
