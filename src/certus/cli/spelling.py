"""How the command line spells the parameters of the Python functions, and what it called them before."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

import typer

# Old spellings that still work, without being shown.
_RENAMED = {"--truth": "--target"}
_ENDS = ("--low", "--high")


def flag(name: str) -> str:
    """The option of a parameter."""
    from certus.workflow.options import described

    about = described().get(name)
    return "--" + (about.flag if about is not None and about.flag else name.replace("_", "-"))


def as_typed(text: str, names: Sequence[str]) -> str:
    """A sentence with parameters spelled as options: ``measure='auc'`` as ``--measure auc``, ``time`` as ``--time``.

    Words in quotes are the user's own and stay as they are, and so do words that are told about (``positive is sick``).
    """
    for name in names:
        pattern = rf"(?<![\w'\"-]){name}(?:=(?P<quoted>'[^']*')|=(?P<bare>[\w-]+))?(?![\w'\"-]| is )"
        option = flag(name)
        text = re.sub(pattern, lambda match, option=option: _spelled(option, match), text)  # type: ignore[misc]
    return text


def with_flags(text: str, names: Collection[str]) -> str:
    """A message of a Python function in the words of the command line, for a command with these parameters.

    ``loss_range=(low, high)`` is ``--range LOW HIGH``, ``recall=0.95`` is ``--recall 0.95``, ``positive must …`` is
    ``--positive must …``, ``certus.conformal`` the command, and rows count from 1. Other words are not touched.
    """
    known = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
    if not known:
        return text
    text = re.sub(rf"(?<![\w.'\"(-])({known})=\((\w+), (\w+)\)", _two_values, text)
    text = re.sub(rf"(?<![\w.'\"(-])({known})=('[^']*'|[\w.+-]*\w)", _one_value, text)
    text = re.sub(rf"^({known})(?= must )", lambda match: flag(match[1]), text)
    text = re.sub(r"; row (\d+) (is|has)\b", lambda match: f"; row {int(match[1]) + 1} {match[2]}", text)
    return re.sub(r"\bcertus\.(certify|compare|conformal|guard|monitor|plan|select|study)\b", r"'certus \1'", text)


def _two_values(match: re.Match[str]) -> str:
    return f"{flag(match[1])} {match[2].upper()} {match[3].upper()}"


def _one_value(match: re.Match[str]) -> str:
    value = match[2].strip("'")
    return f"{flag(match[1])} {match[2] if ' ' in value else value}"


def _spelled(option: str, match: re.Match[str]) -> str:
    quoted, bare = match["quoted"], match["bare"]
    if bare is None and quoted is None:
        return option
    value = bare if quoted is None else quoted if " " in quoted else quoted.strip("'")
    return f"{option} {value}"


def modern(arguments: Sequence[str]) -> list[str]:
    """Arguments with old spellings replaced: ``--truth`` by ``--target``, ``--low`` and ``--high`` by ``--range``."""
    found: list[str] = []
    ends: dict[str, str] = {}
    rest = iter(arguments)
    for argument in rest:
        name, equals, value = argument.partition("=")
        if name in _ENDS:
            ends[name] = value if equals else next(rest, "")
        else:
            found.append(_RENAMED.get(name, name) + equals + value)
    if ends and "--high" not in ends:
        raise typer.BadParameter("--low needs --high.\nHint: --range LOW HIGH gives both ends of the loss.")
    return [*found, "--range", ends.get("--low", "0"), ends["--high"]] if ends else found
