"""What is said about an option of a study besides its default, and how its value is read where it was typed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import Field, dataclass, field, fields
from typing import Any, ClassVar


@dataclass(frozen=True)
class Described:
    """What is said about an option besides its default.

    Attributes
    ----------
    type : str
        Its type in the words of a docstring.
    help : str
        What it means; other options are named in double backticks.
    typed : type
        Its type on the command line.
    choices : tuple of str
        The allowed values, where they are few.
    flag : str
        How the command line calls it, if not by its name.
    typing : str
        What else must be known to type it there.
    read : callable or None
        Makes its value from what was typed.
    decides : bool
        Whether another value makes another study, which does not continue the journal of this one.
    later : bool
        Whether journals of earlier releases do not know it: its default leaves no trace there.
    """

    type: str
    help: str
    typed: Any
    choices: tuple[str, ...] = ()
    flag: str = ""
    typing: str = ""
    read: Callable[[Any], Any] | None = None
    decides: bool = True
    later: bool = False


def option(default: Any, type: str, help: str, typed: Any, **more: Any) -> Any:
    """A field of `Options`."""
    return field(default=default, metadata={"described": Described(type, help, typed, **more)})


class DescribedOptions:
    """What can be told of options that are dataclass fields made by `option`."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def told(self) -> str:
        """What was asked for, in the spelling of Python: every option that does not have its default."""
        # Addresses and paths are nobody else's business, and test rows no short text.
        secret = {"database", "looks", "audit_rows", "test"}
        asked = [(one.name, getattr(self, one.name), one.default) for one in fields(self) if one.name not in secret]
        kept = [(name, value) for name, value, default in asked if value != default and value not in ({}, ())]
        return ", ".join(f"{name}={value!r}" for name, value in kept) or "none"

    def fingerprint(self) -> dict[str, str]:
        """The options that must be equal for a journal to be continued, as text."""
        unsaid = {one.name: one.default for one in fields(self) if one.metadata["described"].later}
        found = {one.name: getattr(self, one.name) for one in fields(self) if one.metadata["described"].decides}
        found = {name: value for name, value in found.items() if name not in unsaid or value != unsaid[name]}
        return {name: str(value) for name, value in {**found, "costs": tuple(found["costs"].items())}.items()}


def read_costs(typed: Sequence[str]) -> Mapping[tuple[Any, Any], float]:
    """Prices of mistakes from texts like ``sick as healthy=10``."""
    from certus.workflow.declared_costs import parse_costs  # with the table's library, which the help does without

    return parse_costs(typed)


def read_names(typed: Sequence[str]) -> list[str]:
    """Columns from texts with commas, given once or several times."""
    return [name for one in typed for name in read_list(one)]


def read_kinds(typed: Sequence[str]) -> dict[str, str]:
    """Columns and their kinds from texts like ``zip=category``."""
    found = {}
    for one in typed:
        name, equals, kind = one.rpartition("=")
        if not equals:
            from certus.workflow.study_error import StudyError

            message = f"types must look like COLUMN=category, got {one!r}.\nHint: types zip=category"
            raise StudyError(message, options=["types"])
        found[name] = kind
    return found


def read_list(names: str) -> list[str]:
    """The pieces of a text between commas."""
    return [name.strip() for name in names.split(",")]
