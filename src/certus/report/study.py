"""The page that a study writes: what was asked, how good, how sure, what next; then the details."""

from __future__ import annotations

from typing import Any

import jinja2
import numpy as np

from certus import __version__
from certus.evaluation import (
    RANK_DISTANCE,
    CalibrationDisplay,
    ConfusionDisplay,
    DendrogramDisplay,
    Display,
    ImportancesDisplay,
    LearningCurveDisplay,
    MarginsDisplay,
    PrecisionRecallDisplay,
    RaceDisplay,
    ResidualsDisplay,
    RocDisplay,
)
from certus.guarantees import Certificate
from certus.guarantees.records import number
from certus.workflow import Study


def render_study(study: Study) -> str:
    """The report as one HTML document. All text of the user's is escaped."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("certus.report"), autoescape=True, undefined=jinja2.StrictUndefined
    )
    environment.filters["short"] = short
    return environment.get_template("study.html").render(
        study=study,
        version=__version__,
        answer=_answer(study),
        beaten=study.winner.value < study.baseline,
        bars=_bars(study),
        figures=_figures(study),
        promises=[item for item in study.certificates if item.guaranteed and not item.vacuous],
        estimates=[item for item in study.certificates if not item.guaranteed],
        vacuous=[item for item in study.certificates.vacuous if item.guaranteed],
    )


def short(value: Any) -> str:
    """A number with four digits, anything else as text."""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _answer(study: Study) -> dict[str, str]:
    """The three big numbers of the first screen."""
    certificate, value = study.certificate, study.evaluation.value
    percent = study.task.classification and not study.task.measure.said  # costs and log-loss are no shares
    shown, baseline = (f"{100 * v:.2f} %" if percent else f"{v:.4g}" for v in (value, study.baseline))
    return {
        "good": shown,
        "baseline": baseline,
        "sure": _rounded_up(certificate),
        "confidence": f"{100 * certificate.confidence:g} %",
    }


def _rounded_up(certificate: Certificate) -> str:
    """The bound, rounded to the safe side: a share as a percentage, anything else as a number."""
    assert isinstance(certificate.value, float)
    if certificate.trivial != 1.0:
        return number(certificate.value, "upper")
    return f"{np.ceil(certificate.value * 1e4) / 1e2:.2f} %"


def _bars(study: Study) -> list[dict[str, Any]]:
    rows = study.leaderboard
    longest = max(row["validation_value"] for row in rows if row["validation_value"] is not None) or 1.0
    return [
        {
            "name": row["learner"],
            "value": row["validation_value"],
            "width": 100.0 * row["validation_value"] / longest if row["validation_value"] is not None else 0.0,
            "seconds": row["seconds"],
            "failure": row["failure"],
            "dropped": row["dropped"],
            "mark": "winner" if row["learner"] == study.winner.name else "baseline" if row["baseline"] else "",
        }
        for row in rows
    ]


def _figures(study: Study) -> list[tuple[str, str]]:
    """Titles and pictures, as SVG."""
    findings, evaluation, measure = study.findings, study.evaluation, study.task.measure.name
    confidence = study.certificate.confidence
    shown: list[tuple[str, Display]] = []
    if study.task.several or study.task.clustering:
        pass  # their pages have tables of the labels, of the groups
    elif study.task.classification:
        confusion = ConfusionDisplay.from_predictions(evaluation.truth, evaluation.answers, confidence=confidence)
        shown.append(("Right and wrong on the test rows", confusion))
    else:
        threshold = study.certificate.quantity.threshold
        residuals = ResidualsDisplay(evaluation.truth, evaluation.answers, threshold)
        shown.append(("Errors on the test rows", residuals))
    shown += _curves(study, confidence)
    if evaluation.shares is not None and not study.task.several:
        places = study.task.positions(evaluation.truth)
        margins = MarginsDisplay.from_predictions(places, evaluation.shares, confidence=confidence)
        shown.append(("By how much it is right", margins))
    if findings.bins:
        intervals = [(one.low, one.high) for one in findings.bins]
        said, right = [one.said for one in findings.bins], [one.right for one in findings.bins]
        shown.append(("Is it as sure as it may be?", CalibrationDisplay(said, right, intervals, confidence)))
    if findings.importances:
        shown.append(("What it looks at", ImportancesDisplay(findings.importances, measure)))
    if findings.alike is not None:
        tree = DendrogramDisplay(findings.alike.merges, findings.alike.columns, RANK_DISTANCE)
        shown.append(("Columns that say the same", tree))
    if findings.curve is not None and len(findings.curve.rows) > 1:
        curve = LearningCurveDisplay(findings.curve.rows, findings.curve.values, measure)
        shown.append((f"Rows and {measure}: {findings.curve.verdict}", curve))
    lines = [trial.values for trial in study.trials if trial.values]
    winners = {place for place, trial in enumerate(study.trials) if trial in study.winner.trials}
    shown.append(("The race", RaceDisplay(lines, winners, f"{measure} (validation)", study.baseline)))
    return [(title, display.svg()) for title, display in shown]


def _curves(study: Study, confidence: float) -> list[tuple[str, Display]]:
    """ROC and precision-recall of a binary task whose test rows hold both classes."""
    shares, truth = study.evaluation.shares, study.task.positions(study.evaluation.truth)
    if study.task.kind != "binary" or shares is None or len(np.unique(truth)) < 2:
        return []
    return [
        ("Hits and false alarms", RocDisplay.from_predictions(truth, shares[:, 1], confidence=confidence)),
        ("Precision and recall", PrecisionRecallDisplay(truth, shares[:, 1], confidence)),
    ]
