"""What a notebook shows of a study: a few lines in its own style, nothing that reaches beyond them."""

from __future__ import annotations

from html import escape

from certus.workflow import Study

_GOOD, _BAD = "#0b6e63", "#b3261e"


def render_summary(study: Study) -> str:
    """The verdict, the winner, the bound and the short leaderboard, with inline styles only."""
    color = _GOOD if study.verdict == "better" else _BAD
    _, *lines = str(study).splitlines()
    rows = "".join(
        f"<tr><td>{escape(str(row['rank']))}</td><td>{escape(_named(study, row['learner']))}</td>"
        f"<td>{row['validation_value']:.4g}</td><td>{row['rows']}</td></tr>"
        for row in study.short_board
    )
    told = "".join(f"<div>{escape(line)}</div>" for line in lines)
    head = f"<tr><th></th><th>learner</th><th>{escape(study.task.measure.title)}</th><th>rows</th></tr>"
    return (
        f'<div><div style="color:{color};font-weight:bold">{escape(study.judgment.headline)}</div>'
        f"<div><small>{escape(study.judgment.reason)}</small></div>{told}<table>{head}{rows}</table></div>"
    )


def _named(study: Study, name: str) -> str:
    return study.winner.short_name if name == study.winner.name else name
