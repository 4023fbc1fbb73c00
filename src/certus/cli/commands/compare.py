"""``certus compare``: is A really better than B on these rows."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import typer

from certus.cli import options
from certus.cli.output import certificates_of, print_json, print_report, print_text


def command(
    table: options.Table,
    target: options.MaybeTarget = None,
    prediction: Annotated[
        list[str] | None,
        typer.Option(help="Column with predictions; give it once per candidate.", show_default=False),
    ] = None,
    scores: Annotated[
        list[str] | None,
        typer.Option(help="Column with scores of folds, the higher the better; once per learner.", show_default=False),
    ] = None,
    test: Annotated[
        Literal["paired-t", "corrected-t", "wilcoxon", "friedman", "nemenyi"] | None,
        typer.Option(help="Classical test of scores of folds: an estimate, not a guarantee.", show_default=False),
    ] = None,
    test_share: Annotated[
        float | None, typer.Option(help="corrected-t: test rows / training rows of a fold.", show_default=False)
    ] = None,
    loss: options.Loss = "auto",
    loss_range: options.Range = None,
    confidence: options.Confidence = 0.95,
    seed: options.Seed = 0,
    skip_missing: options.SkipMissing = False,
    json: options.Json = False,
) -> None:
    """Compare two or more columns of predictions on the same rows: who is better, or that nobody can tell.

    If nobody can tell, it says about how many rows would. With --scores and --test, learners are compared by their
    scores in cross-validation.
    """
    from certus.cli.model_tables import read_table, values_of, with_truth
    from certus.verbs import compare

    frame = read_table(table)
    if scores or test:
        if not scores or test is None or target is not None or prediction:
            raise ValueError("--scores and --test go together, without --target and --prediction.")
        columns = {name: values_of(frame, name, "--scores") for name in scores}
        judged = compare(columns, test=test, test_share=test_share, confidence=confidence)
        print_json(judged.to_dict()) if json else print_text(str(judged))
        return
    if target is None or not prediction:
        raise ValueError("--target and --prediction must be given.\nHint: or --scores and --test for scores of folds.")
    if len(dict.fromkeys(prediction)) < 2:
        raise ValueError(
            f"--prediction must name at least two different columns, got {', '.join(map(repr, prediction))}.\n"
            "Hint: --prediction one --prediction other"
        )
    frame = with_truth(frame, [target], skip_missing)
    candidates = {name: values_of(frame, name, "--prediction") for name in prediction}
    found = compare(
        candidates,
        y_true=values_of(frame, target, "--target"),
        loss=loss,
        loss_range=loss_range,
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
