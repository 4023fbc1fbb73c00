"""A monitor in words: text, HTML and plain values."""

from __future__ import annotations

import html as markup
import math
from typing import TYPE_CHECKING, Any

from certus.guarantees.records.wording import count, number, percent, plural

if TYPE_CHECKING:
    from certus.guarantees.monitoring.monitor import Monitor


def headline(monitor: Monitor) -> str:
    """One sentence: is there an alarm, and how sure is that."""
    alarm = monitor.setting.alarm
    if monitor.alarm is not None:
        return f"ALARM at row {count(monitor.alarm_row or 0)}. {monitor.alarm.claim}"
    kept = f"a false alarm has a chance of at most {percent(alarm.false_alarm)} over the whole stream"
    return f"No alarm after {plural(monitor.rows, 'row')} ({kept})."


def remarks(monitor: Monitor) -> list[str]:
    """What limits the monitor: a void account, or a reference too small to ever alarm."""
    found = []
    if monitor.void:
        found.append(
            f"VOID: alarm and averages promise nothing from there on: {monitor.void}. "
            "Rows are still counted; an earlier alarm and all other promises are untouched."
        )
    if not monitor.able:
        found.append("The reference is so small that no stream can raise the alarm; more reference rows are needed.")
    return found


def text(monitor: Monitor) -> str:
    """The monitor as lines of text."""
    lines = [headline(monitor), *remarks(monitor)]
    if monitor.rows:
        lines.append(f"mean so far: {number(monitor.mean)} on {plural(monitor.rows, 'row')}")
    lines += [f"void: {item.claim} ({reason})" for item, reason in monitor.voided]
    lines += [f"stands: {item}" for item in monitor.report if item is not monitor.alarm and not item.vacuous]
    return "\n".join(lines)


def summary(monitor: Monitor) -> dict[str, Any]:
    """The monitor as plain values."""
    evidence = monitor.log_evidence
    return {
        "rows": monitor.rows,
        "mean": monitor.mean if monitor.rows else None,
        "alarm": monitor.alarm is not None,
        "alarm_row": monitor.alarm_row,
        "false_alarm": monitor.setting.alarm.false_alarm,
        "log_evidence": evidence if math.isfinite(evidence) else None,
        "able": monitor.able,
        "void": monitor.void or None,
        "voided": [{"reason": reason, "certificate": item.to_dict()} for item, reason in monitor.voided],
        "certificates": [item.to_dict() for item in monitor.report],
    }


def html(monitor: Monitor) -> str:
    """The monitor as a fragment of HTML."""
    lines = "".join(f"<p>{markup.escape(line)}</p>" for line in (headline(monitor), *remarks(monitor)))
    rows = "".join(
        f"<tr><td>void</td><td>{markup.escape(item.claim)}</td><td>{markup.escape(reason)}</td></tr>"
        for item, reason in monitor.voided
    ) + "".join(
        f"<tr><td>stands</td><td>{markup.escape(item.claim)}</td><td>{markup.escape(item.standing)}</td></tr>"
        for item in monitor.report
        if not item.vacuous
    )
    table = f"<table><tr><th></th><th>claim</th><th>why</th></tr>{rows}</table>" if rows else ""
    return f'<div class="certus-monitor">{lines}{table}</div>'
