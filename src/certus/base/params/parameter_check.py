"""One function checks the parameters of every learner against their rules."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

from certus.base.params.parameter_rules import Constraints, OneOf, Rule


class ParameterError(ValueError, TypeError):
    """A parameter of a learner or function has a value that is not allowed."""


def check_parameters(owner: str, constraints: Constraints, values: Mapping[str, Any]) -> None:
    """Raise `ParameterError` for the first value that satisfies none of its rules."""
    for name, rules in constraints.items():
        if name in values and not any(rule.allows(values[name]) for rule in rules):
            raise ParameterError(violation(owner, name, list(rules), values[name]))


def violation(owner: str, name: str, rules: list[Rule], value: Any) -> str:
    """The message for a value that is not allowed."""
    allowed = [str(rule) for rule in rules]
    listed = allowed[0] if len(allowed) == 1 else ", ".join(allowed[:-1]) + " or " + allowed[-1]
    message = f"The {name!r} parameter of {owner} must be {listed}. Got {value!r} instead."
    options = [option for rule in rules if isinstance(rule, OneOf) for option in rule.options]
    close = difflib.get_close_matches(value, options, n=1) if isinstance(value, str) else []
    return f"{message}\nHint: did you mean {name}={close[0]!r}?" if close else message
