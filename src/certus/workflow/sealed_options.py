"""What cannot be asked for together with a sealed study: whatever shows more of its test rows than a bound."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from certus.workflow.options import Options

_SHOWN_BY = {
    "not_adapted": "what it shows is paid for, adapted or not",
    "audit_rows": "it writes the test rows to a file",
    "refit_all": "that model knows the test rows",
    "group": "a mean over groups has no outcomes that can be counted",
}


def problem_with_sealed(options: Options) -> tuple[str, ...] | None:
    """The message about options that do not fit together, and their names; None if all do."""
    steps = options.sealed_steps
    if not options.sealed:
        return None if steps is None else ("sealed_steps must come with sealed.", "sealed_steps", "sealed")
    if steps is not None and steps < 2:
        return f"sealed_steps must be at least 2, got {steps!r}.", "sealed_steps"
    if given := options.given(*_SHOWN_BY):
        return f"sealed and {given[0]} exclude each other: {_SHOWN_BY[given[0]]}.", "sealed", given[0]
    return None
