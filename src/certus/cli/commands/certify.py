"""``certus certify``: how wrong can these predictions, or this model, be."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from certus.cli import options
from certus.cli.failures import BROKEN_PROMISE
from certus.cli.output import certificates_of, facts_of_rows, print_json, print_report, say


def command(
    table: options.Table,
    target: options.Target,
    prediction: options.Prediction = None,
    model: options.Model = None,
    score: options.Score = None,
    positive: options.Positive = None,
    loss: options.Loss = "auto",
    loss_range: options.Range = None,
    confidence: options.Confidence = 0.95,
    jointly: Annotated[bool, typer.Option(help="All promises together hold with the confidence.")] = False,
    at_most: Annotated[
        float | None,
        typer.Option(help="Demand that the error (or mean loss) is proven to be at most this.", show_default=False),
    ] = None,
    seed: options.Seed = 0,
    allow_training_rows: options.AllowTrainingRows = False,
    looks: options.Looks = None,
    sealed: options.Sealed = False,
    sealed_steps: options.SealedSteps = None,
    not_adapted: options.NotAdapted = False,
    skip_missing: options.SkipMissing = False,
    json: options.Json = False,
) -> None:
    """Bound what predictions, or a saved model, get wrong, from rows that served neither training nor choice.

    TABLE may be a folder of tables when a --model is judged; a file at a time is in memory then. Exit 1 if --at-most
    was given and is not proven.
    """
    from certus.cli.look_stores import store_of_looks
    from certus.cli.model_tables import (
        input_of,
        known_by,
        label_like,
        labels_like,
        read_for_model,
        read_table,
        scores_of,
        values_of,
        with_truth,
    )
    from certus.guarantees.holdout import certify

    source = options.one_of(prediction=prediction, model=model)
    loaded = None
    if source == "model" and model is not None:
        from certus.base import persistence

        loaded = persistence.load(model)
    asked: dict[str, Any] = {
        "loss": loss,
        "loss_range": loss_range,
        "confidence": confidence,
        "jointly": jointly,
        "seed": seed,
        "allow_training_rows": allow_training_rows,
        "looks": store_of_looks(looks),
        "sealed": sealed,
        "sealed_steps": sealed_steps,
        "not_adapted": not_adapted,
    }
    if table.is_dir():
        from certus.cli.folders import held_out_rows

        asked |= held_out_rows(loaded, table, target, skip_missing)
        y_true = asked["y"]
    else:
        frame = read_table(table) if loaded is None else read_for_model(loaded, table, target)
        frame = with_truth(frame, [target], skip_missing)
        others = [name for name in (target, prediction, score) if name in frame.columns]
        asked["rows"] = known_by(frame, target, others)
        y_true = values_of(frame, target, "--target")
        if loaded is not None:
            y_true = labels_like(loaded, frame[target])
            asked |= {"model": loaded, "X": input_of(loaded, frame.drop(target)), "y": y_true}
        else:
            asked |= {"y_true": y_true, "y_pred": values_of(frame, str(prediction), "--prediction")}
            asked |= {"y_score": None if score is None else scores_of(frame, score, "--score")}
    report = certify(**asked, positive=label_like(positive, y_true, "--positive"))
    proven = None if at_most is None else _proven(report, at_most)
    if json:
        print_json(
            {"rows": len(y_true), "proven": proven, "certificates": certificates_of(report), **facts_of_rows(report)}
        )
    else:
        print_report(report)
    if proven is False:
        say(f"not proven: at most {at_most:g}")
        raise typer.Exit(BROKEN_PROMISE)


def _proven(report: Any, at_most: float) -> bool:
    """Whether the error or the mean loss, all that `certify` bounds from above, is small enough."""
    return any(item.guaranteed and item.direction == "upper" and item.value <= at_most for item in report)
