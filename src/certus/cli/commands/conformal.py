"""``certus conformal``: prediction intervals and sets of labels."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from certus.cli import options
from certus.cli.output import certificates_of, facts_of_rows, print_json, print_report, print_text, say


def command(
    table: options.Table,
    target: options.Target,
    prediction: options.Prediction = None,
    model: options.Model = None,
    label: Annotated[
        list[str] | None,
        typer.Option(
            help="LABEL=COLUMN: the column with that label's probability; once per label.", show_default=False
        ),
    ] = None,
    group: Annotated[
        str | None, typer.Option(help="Column with groups: the promise holds in each.", show_default=False)
    ] = None,
    confidence: options.Confidence = 0.9,
    assurance: Annotated[
        float | None,
        typer.Option(help="Let the coverage hold for these very rows with this probability.", show_default=False),
    ] = None,
    apply: Annotated[Path | None, typer.Option(help="Rows to give intervals or sets to.", show_default=False)] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="File for these.", show_default=False)] = None,
    key: options.Key = None,
    allow_training_rows: options.AllowTrainingRows = False,
    skip_missing: options.SkipMissing = False,
    json: options.Json = False,
) -> None:
    """Calibrate prediction intervals (or sets of labels) on a table of held-out rows.

    The predictions come from a column, from probability columns, or from a saved model. With --apply and
    --output the intervals or sets of new rows are written to a file.
    """
    from certus.cli.model_tables import check_output, column, labels_like, values_of, with_truth
    from certus.verbs import conformal

    if (apply is None) != (output is None):
        raise ValueError("--apply and --output belong together.\nHint: --apply new.csv --output sets.csv")
    check_output(output, table, model, apply)
    source = _Source(prediction, model, label)
    frame = with_truth(source.read(table, target), [target], skip_missing)
    y_true = labels_like(source, column(frame, target, "--target"))
    groups = None if group is None else values_of(frame, group, "--group")
    wrapped = conformal(
        **source.given(frame, target),
        y_cal=y_true,
        groups=groups,
        confidence=confidence,
        assurance=assurance,
        allow_training_rows=allow_training_rows,
    )
    written = None
    if apply is not None and output is not None:
        written = _write(wrapped, source, source.read(apply), group, output, key or [])
    size = _size(wrapped, source.response(frame), groups)
    if json:
        told = {"rows": len(y_true), "output": output and str(output), "size": size}
        print_json({**told, "certificates": certificates_of(wrapped.report_), **facts_of_rows(wrapped.report_)})
    else:
        print_report(wrapped.report_)
        print_text(_size_in_words(size))
    if written is not None:
        say(f"{written} rows written to {output}")


class _Source:
    """Where predictions come from: a column, one column per label, or a saved model."""

    def __init__(self, prediction: str | None, model: Path | None, label: list[str] | None) -> None:
        self.kind = options.one_of(prediction=prediction, model=model, label=label)
        self.columns = [prediction] if prediction is not None else []
        self.classes_: Any = None
        if self.kind == "label":
            pairs = [item.rpartition("=") for item in label or ()]
            if not all(middle and name for name, middle, _ in pairs):
                raise ValueError(f"--label must read LABEL=COLUMN, got {label}.\nHint: --label yes=p_yes")
            self.classes_ = [name for name, _, _ in pairs]
            self.columns = [name for _, _, name in pairs]
        elif self.kind == "model":
            from certus.base import persistence

            self.model = persistence.load(Path(str(model)))
            self.classes_ = getattr(self.model, "classes_", None)

    def read(self, table: Path, target: str | None = None) -> Any:
        """A table; in the types that the model learned, if there is one."""
        from certus.cli.model_tables import read_for_model, read_table

        return read_for_model(self.model, table, target) if self.kind == "model" else read_table(table)

    def response(self, frame: Any) -> Any:
        """Predictions of a table's rows, in the form that the calibrated object expects."""
        import numpy as np

        from certus.cli.model_tables import input_of, values_of

        if self.kind == "model":
            return input_of(self.model, frame)
        arrays = [values_of(frame, str(name), f"--{self.kind}") for name in self.columns]
        return arrays[0] if self.kind == "prediction" else np.column_stack(arrays)

    def given(self, frame: Any, target: str) -> dict[str, Any]:
        """The arguments that say where predictions come from."""
        if self.kind == "model":
            return {"model": self.model, "X_cal": self.response(frame.drop(target))}
        known = {"classes": self.classes_} if self.kind == "label" else {}
        return {"y_pred": self.response(frame), **known}


def _size(wrapped: Any, response: Any, groups: Any) -> dict[str, Any]:
    """How wide the intervals, or how large the sets, of these rows are: coverage is only half an answer."""
    import numpy as np

    if hasattr(wrapped, "predict_interval"):
        ends = wrapped.predict_interval(response, groups)
        widths = ends[:, 1] - ends[:, 0]
        finite = widths[np.isfinite(widths)]
        shown = {"mean_width": float(finite.mean()), "median_width": float(np.median(finite))} if len(finite) else {}
        return {"kind": "interval", **shown, "infinite": int(len(widths) - len(finite))}
    labels = wrapped.predict_set(response, groups).sum(axis=1)
    shares = {str(size): float(np.mean(labels == size)) for size in np.unique(labels).tolist()}
    return {"kind": "set", "mean_labels": float(labels.mean()), "shares": shares}


def _size_in_words(size: dict[str, Any]) -> str:
    if size["kind"] == "set":
        shares = ", ".join(f"{share:.1%} {number}" for number, share in size["shares"].items())
        return f"Sets of these rows have {size['mean_labels']:.3g} labels on average ({shares})."
    infinite = f"; {size['infinite']} of them are infinite" if size["infinite"] else ""
    if "mean_width" not in size:
        return "All intervals are infinite: there are too few rows for this confidence."
    mean, median = size["mean_width"], size["median_width"]
    if abs(mean - median) <= 1e-9 * abs(mean):
        return f"Intervals are {mean:.4g} wide (±{mean / 2:.4g}){infinite}."
    return f"Intervals of these rows are {mean:.4g} wide on average (median {median:.4g}){infinite}."


def _write(wrapped: Any, source: _Source, frame: Any, group: str | None, output: Path, keys: list[str]) -> int:
    import polars as pl

    from certus.cli.model_tables import beside, column, values_of, write_table

    groups = None if group is None else values_of(frame, group, "--group")
    response = source.response(frame)
    if hasattr(wrapped, "predict_interval"):
        ends = wrapped.predict_interval(response, groups)
        middle = source.model.predict(response) if source.kind == "model" else response
        found = pl.DataFrame({"prediction": middle, "lower": ends[:, 0], "upper": ends[:, 1]})
    else:
        inside = wrapped.predict_set(response, groups)
        found = pl.DataFrame({str(name): inside[:, index] for index, name in enumerate(wrapped.classes_)})
    write_table(beside([column(frame, name, "--key") for name in keys], found), output)
    return found.height
