"""How the command line spells the parameters of the Python functions, and what it called them before."""

from __future__ import annotations

import re
from collections.abc import Sequence

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
        raise typer.BadParameter("--low needs --high. Hint: --range LOW HIGH gives both ends of the loss.")
    return [*found, "--range", ends.get("--low", "0"), ends["--high"]] if ends else found
