"""The page that a study writes: what was asked, how good, how sure, what next; then the details."""

from __future__ import annotations

import base64
import re
from html import escape
from typing import Any

import jinja2
import numpy as np
from markupsafe import Markup

from certus import __version__
from certus.evaluation import (
    RANK_DISTANCE,
    CalibrationDisplay,
    DendrogramDisplay,
    Display,
    ImportancesDisplay,
    LearningCurveDisplay,
    RaceDisplay,
    RowMapDisplay,
)
from certus.guarantees.records import ASSUMPTIONS
from certus.workflow import Study


def render_study(study: Study) -> str:
    """The report as one HTML document. All text of the user's is escaped."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("certus.report"), autoescape=True, undefined=jinja2.StrictUndefined
    )
    environment.filters["short"] = short
    environment.filters["breakable"] = breakable
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
        notes={} if study.findings.row_map is None else {_rows_title(study): study.findings.row_map.told},
        network=_network(study),
        facts=[line.split(": ", 1) for line in study.best.about_],
        sections=_sections(study),
        command=f"certus predict {study.folder_name}/model.certus NEW_TABLE -o predictions.csv",
        promises=promises,
        assumed=list(dict.fromkeys(token for item in promises for token in item.assumptions)),
        meanings=ASSUMPTIONS,
        estimates=[item for item in study.certificates if not item.guaranteed],
        vacuous=[item for item in study.certificates.vacuous if item.guaranteed],
    )


def _sections(study: Study) -> list[tuple[str, str]]:
    """The table of contents: anchors and titles of the sections that this study has."""
    there = {
        "guaranteed": ("What is guaranteed", True),
        "looks": ("Looks at the test rows", study.look is not None),
        "next": ("What next", True),
        "leaderboard": ("Leaderboard", True),
        "pictures": ("Pictures", True),
        "clusters": ("The clusters", study.findings.clusters),
        "network": ("The network", study.findings.network),
        "labels": ("Label by label", study.findings.labels),
        "errs": ("Where it errs", study.findings.subgroups),
        "alone": ("When it may decide alone", study.findings.guards),
        "data": ("The data", True),
        "origin": ("Where it comes from", True),
    }
    return [(anchor, title) for anchor, (title, present) in there.items() if present]


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


def breakable(name: str) -> Markup:
    """The name of a class, which a narrow card may divide between its words."""
    return Markup(re.sub(r"(?<=[a-z])(?=[A-Z])", "<wbr>", escape(name)))


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
    judged = [row for row in rows if row["validation_value"] is not None]
    # By the candidates that are shown: beside the baseline they would all look alike, so its bar is cut off.
    raced = [abs(row["validation_value"]) for row in judged if not row["baseline"] and row["rank"] in shown]
    longest = max(raced, default=0.0) or max(abs(row["validation_value"]) for row in judged) or 1.0
    return [
        {
            "name": study.winner.short_name if row["learner"] == study.winner.name else row["learner"],
            "value": row["validation_value"],
            "width": min(100.0, 100.0 * abs(row["validation_value"] or 0.0) / longest),
            "rows": row["rows"],
            "shown": row["rank"] in shown,
            "cut": row["baseline"] and abs(row["validation_value"] or 0.0) > longest,
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
        seen = "" if len(study.split.calibration) else ", on rows that it learned from"
        bars = ImportancesDisplay(findings.importances, measure, findings.importance_spread)
        shown.append((f"Which columns matter{seen}", bars))
    if findings.quality is not None and len(findings.quality.numbers) > 2:
        names = [f"cluster {number}" for number in findings.quality.numbers]
        shown.append(("Clusters next to each other", DendrogramDisplay(findings.quality.merges, names)))
    if findings.row_map is not None:
        rows = findings.row_map
        axes = [f"component {place} ({100 * share:.1f} %)" for place, share in enumerate(rows.shares, 1)]
        display = RowMapDisplay(rows.points, rows.values, (axes[0], axes[1]), rows.colored_by)
        shown.append((_rows_title(study), display))
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
    raced = [trial for trial in study.trials if trial.values]
    winners = {index for index, trial in enumerate(raced) if trial in study.winner.trials}
    lines, names = [trial.values for trial in raced], [trial.candidate.title for trial in raced]
    race = RaceDisplay(lines, winners, f"{measure}{as_loss} (validation)", study.baseline, names)
    shown.append(("The race", race))
    return [(title, _named(display.svg(), title)) for title, display in shown]


def _rows_title(study: Study) -> str:
    assert study.findings.row_map is not None
    return f"The rows by {study.findings.row_map.colored_by}"


def _named(svg: str, title: str) -> str:
    """The picture with its name for those who hear it, and for whoever points at it."""
    start = re.sub(r"^<svg ", f'<svg role="img" aria-label="{escape(title)}" ', svg, count=1)
    return start.replace(">", f"><title>{escape(title)}</title>", 1)


def _network(study: Study) -> dict[str, str] | None:
    """The graph of a Bayesian network as an image of its own, whose style cannot reach the page, and its text."""
    found = study.findings.network
    if found is None:
        return None
    drawn = base64.b64encode(found.shown.to_svg().encode()).decode()
    arrows = "; ".join(f"{parent} → {child}" for parent, child in found.shown.edges)
    return {"picture": f"data:image/svg+xml;base64,{drawn}", "text": f"A graph with the arrows {arrows}"}
