"""The page that a study writes: what was asked, how good, how sure, what next; then the details."""

from __future__ import annotations

from typing import Any

import jinja2
import numpy as np

from certus import __version__
from certus.guarantees import Certificate
from certus.workflow.result import Study

_PLOTTED_POINTS = 500


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
        confusion=_confusion(study) if study.task.classification else None,
        scatter=None if study.task.classification else _scatter(study),
        promises=[item for item in study.certificates if not item.vacuous],
        vacuous=study.certificates.vacuous,
    )


def short(value: Any) -> str:
    """A number with four digits, anything else as text."""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _answer(study: Study) -> dict[str, str]:
    """The three big numbers of the first screen."""
    certificate, value = study.certificate, study.evaluation.value
    percent = study.task.classification
    shown, baseline = (f"{100 * v:.2f} %" if percent else f"{v:.4g}" for v in (value, study.baseline))
    return {
        "good": shown,
        "baseline": baseline,
        "sure": _percent_up(certificate),
        "confidence": f"{100 * certificate.confidence:g} %",
    }


def _percent_up(certificate: Certificate) -> str:
    """The bound as a percentage, rounded to the safe side."""
    assert isinstance(certificate.value, float)
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


def _confusion(study: Study) -> dict[str, Any]:
    """Counts of (true label, answer) on the test rows."""
    truth, answers = study.evaluation.truth, study.evaluation.answers
    labels = np.unique(np.concatenate([truth, answers]))
    counts = np.zeros((len(labels), len(labels)), dtype=int)
    np.add.at(counts, (np.searchsorted(labels, truth), np.searchsorted(labels, answers)), 1)
    return {"labels": [str(label) for label in labels], "counts": counts.tolist(), "largest": int(counts.max())}


def _scatter(study: Study) -> dict[str, Any]:
    """True value against answer on (at most 500 of) the test rows, scaled to a 100 x 100 square."""
    step = max(1, len(study.evaluation.truth) // _PLOTTED_POINTS)
    truth, answers = study.evaluation.truth[::step], study.evaluation.answers[::step]
    low, high = float(min(truth.min(), answers.min())), float(max(truth.max(), answers.max()))
    span = (high - low) or 1.0
    points = [(100 * (t - low) / span, 100 - 100 * (a - low) / span) for t, a in zip(truth, answers, strict=True)]
    return {"points": points, "low": low, "high": high}
