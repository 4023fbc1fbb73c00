"""``certus check``: certificates of a saved model, verified again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from certus.cli import options
from certus.cli.failures import BROKEN_PROMISE
from certus.cli.output import print_json, print_text


def command(
    model: options.SavedModel,
    table: Annotated[Path | None, typer.Argument(help="Rows with their targets.", show_default=False)] = None,
    target: options.MaybeTarget = None,
    require: Annotated[
        Literal["consistent", "recounted"],
        typer.Option(help="Exit 1 unless at least this much is known."),
    ] = "consistent",
    allow_training_rows: options.AllowTrainingRows = False,
    skip_missing: options.SkipMissing = False,
    json: options.Json = False,
) -> None:
    """Verify the certificates of a saved model again, and say how much of them is known.

    Recounted: the table holds the certified rows, by fingerprint, and gives the same counts. Consistent: the arithmetic
    holds, the counts are the author's; other rows, if given, do not contradict it. Contradicted: exit 1.
    """
    from certus.base import persistence
    from certus.verbs import check

    loaded = persistence.load(model)
    rows = None if table is None else _rows(loaded, table, target, skip_missing)
    result = check(loaded, rows, allow_training_rows=allow_training_rows)
    if json:
        print_json({"model": str(model), **result.to_dict()})
    else:
        print_text(str(result))
        print_text(f"level: {result.level}")
    if not result or (require == "recounted" and result.level != "recounted"):
        raise typer.Exit(BROKEN_PROMISE)


def _rows(model: Any, table: Path, target: str | None, skip: bool) -> tuple[object, object]:
    from certus.cli.model_tables import column, input_of, labels_like, read_for_model, with_truth
    from certus.cli.output import say

    if hasattr(model, "distances"):
        raise ValueError(
            "the model has no target: rows cannot be compared with the truth.\nHint: leave the table out; the "
            "certificates are derived again without it."
        )
    frame = read_for_model(model, table, target)
    if getattr(model, "several", False):
        frame = with_truth(frame, model.targets_, skip)
        return input_of(model, frame), _label_sets(model, frame, target)
    if target is None:
        known = set(getattr(model, "feature_names_in_", ()))
        others = [name for name in frame.columns if name not in known]
        if not known or len(others) != 1:
            raise ValueError(
                f"which column of {table.name!r} has the targets?\n"
                f"Hint: --target with one of {', '.join(map(repr, others))}."
            )
        target = others[0]
        say(f"targets: column {target!r}, the only one that the model does not use (--target overrides)")
    frame = with_truth(frame, [target], skip)
    truth = labels_like(model, column(frame, target, "--target"))
    return input_of(model, frame.drop(target)), truth


def _label_sets(model: Any, frame: Any, target: str | None) -> object:
    """The true labels of a model of several targets, one column for each."""
    from certus.cli.model_tables import values_of
    from certus.tables import label_matrix

    if target is not None:
        raise ValueError("--target: the model has several targets, and finds their columns by name. Leave it out.")
    for name in model.targets_:
        values_of(frame, name, "the model's target")  # refuses what is missing or empty
    return label_matrix(frame, model.targets_, model.classes_)
