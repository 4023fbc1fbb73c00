"""The page that a study writes: what was asked, how good, how sure, what next; then the details."""

from __future__ import annotations

from typing import Any

import jinja2
import numpy as np

from certus import __version__
from certus.evaluation import (
    RANK_DISTANCE,
    CalibrationDisplay,
    DendrogramDisplay,
    Display,
    ImportancesDisplay,
    LearningCurveDisplay,
    RaceDisplay,
)
from certus.guarantees.records import ASSUMPTIONS
from certus.workflow import Study


def render_study(study: Study) -> str:
    """The report as one HTML document. All text of the user's is escaped."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("certus.report"), autoescape=True, undefined=jinja2.StrictUndefined
    )
    environment.filters["short"] = short
    promises = [item for item in study.certificates if item.guaranteed and not item.vacuous]
    return environment.get_template("study.html").render(
        study=study,
        version=__version__,
        headline=_headline(study),
        caution=study.findings.caution,
        look_caution="" if study.look is None else study.look.caution,
        bars=_bars(study),
        further=_further(study),
        figures=_figures(study),
        command=f"certus predict {study.folder_name}/model.certus NEW_TABLE -o predictions.csv",
        promises=promises,
        assumed=list(dict.fromkeys(token for item in promises for token in item.assumptions)),
        meanings=ASSUMPTIONS,
        estimates=[item for item in study.certificates if not item.guaranteed],
        vacuous=[item for item in study.certificates.vacuous if item.guaranteed],
    )


def _further(study: Study) -> str:
    """Other measures of numbers on the test rows, and where the size of a large error comes from."""
    if study.task.kind != "regression":
        return ""
    truth, predictions = study.evaluation.truth, study.evaluation.predictions
    errors = np.asarray(truth - predictions, dtype=float)
    spread = float(np.sum((truth - np.mean(truth)) ** 2))
    fit = "" if spread == 0.0 else f", R² {1.0 - float(np.sum(errors**2)) / spread:.3f}"
    return f"RMSE {np.sqrt(np.mean(errors**2)):.4g}, MAE {np.mean(np.abs(errors)):.4g}{fit}"


def short(value: object) -> str:
    """A number with four digits, anything else as text."""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _headline(study: Study) -> dict[str, str]:
    """The big numbers of the first screen."""
    certificate = study.certificate
    return {
        "good": study.task.shown(study.evaluation.value),
        "baseline": study.task.shown(study.evaluation.baseline),
        "sure": study.task.shown_bound(certificate),
        "vacuous": study.task.shown_trivial(certificate) if certificate.vacuous else "",
        "confidence": f"{100 * certificate.confidence:g} %",
    }


def _bars(study: Study) -> list[dict[str, Any]]:
    rows = study.leaderboard
    shown = [row["rank"] for row in study.short_board]
    longest = max(abs(row["validation_value"]) for row in rows if row["validation_value"] is not None) or 1.0
    return [
        {
            "name": study.winner.short_name if row["learner"] == study.winner.name else row["learner"],
            "value": row["validation_value"],
            "width": 100.0 * abs(row["validation_value"]) / longest if row["validation_value"] is not None else 0.0,
            "rows": row["rows"],
            "shown": row["rank"] in shown,
            "why": row["dropped"] or (f"same as {row['same_predictions_as']}" if row["same_predictions_as"] else ""),
            "seconds": row["seconds"],
            "failure": row["failure"],
            "dropped": row["dropped"],
            "mark": "winner" if row["learner"] == study.winner.name else "baseline" if row["baseline"] else "",
        }
        for row in rows
    ]


def _figures(study: Study) -> list[tuple[str, str]]:
    """Titles and pictures, as SVG: those of the task, then those that every study has."""
    findings, measure, confidence = study.findings, study.task.measure.title, study.certificate.confidence
    as_loss = " as a loss" if study.task.measure.score else ""
    shown: list[tuple[str, Display]] = study.task.figures(study.evaluation, confidence)
    if findings.bins:
        intervals = [(one.low, one.high) for one in findings.bins]
        given, right = [one.probability for one in findings.bins], [one.right for one in findings.bins]
        shown.append(("Predicted and observed probability", CalibrationDisplay(given, right, intervals, confidence)))
    if findings.importances:
        shown.append(("Which columns matter", ImportancesDisplay(findings.importances, measure)))
    if findings.quality is not None and len(findings.quality.numbers) > 2:
        names = [f"cluster {number}" for number in findings.quality.numbers]
        shown.append(("Clusters next to each other", DendrogramDisplay(findings.quality.merges, names)))
    if findings.alike is not None:
        tree = DendrogramDisplay(findings.alike.merges, findings.alike.columns, RANK_DISTANCE)
        shown.append(("Columns that carry the same information", tree))
    if findings.curve is not None and len(findings.curve.rows) > 1:
        curve = LearningCurveDisplay(
            findings.curve.rows,
            findings.curve.values,
            f"{measure}{as_loss}",
            findings.curve.errors,
        )
        shown.append((f"Rows and {measure}", curve))
    lines = [trial.values for trial in study.trials if trial.values]
    winners = {index for index, trial in enumerate(study.trials) if trial in study.winner.trials}
    shown.append(
        (
            "The race",
            RaceDisplay(lines, winners, f"{measure}{as_loss} (validation)", study.baseline),
        )
    )
    return [(title, display.svg()) for title, display in shown]
