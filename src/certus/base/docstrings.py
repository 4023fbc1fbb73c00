"""Docstrings are written once: what a base class or a method of the same name documents, its heirs inherit.

`register` calls `complete_docstrings`. In the docstring of a learner's class

- the section Parameters gets an entry for every argument of the constructor, in its order: the learner's own entry,
  else that of the nearest base class; where an entry names no default, the default of the signature is added;
- the section Attributes gets, behind the learner's own entries, those of its base classes.

A method may have a docstring of one line, or none. Its sections Parameters and Returns come from the method that it
overrides, else from the texts by method that the learner's classes hold in `_arguments`, else from
`certus.base.method_texts`. So a base class documents what all its heirs have, an heir only what
differs, and ``help`` shows everything.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any
from weakref import WeakSet

from certus.base import method_texts

Entries = dict[str, str]  # name -> its entry: the line with the type and the indented text below
_FOREIGN = ("builtins", "abc", "typing", "sklearn")  # whose docstrings stay as they are and are not inherited

_completed: WeakSet[type] = WeakSet()  # classes whose methods are done: bases have many heirs


def complete_docstrings(learner: type, without: tuple[str, ...] = ()) -> None:
    """Fill in what the docstrings of a class and of its methods inherit, except the attributes `without`."""
    if not learner.__doc__:
        return  # Python runs without docstrings
    owners = [kind for kind in learner.__mro__ if kind.__module__.partition(".")[0] not in _FOREIGN]
    _complete_class(learner, [_sections(vars(kind).get("__doc__")) for kind in owners], without)
    for place, owner in reversed(list(enumerate(owners))):
        for name, method in () if owner in _completed else _public_methods(owner):
            overridden = (_sections(vars(kind)[name].__doc__) for kind in owners[place + 1 :] if name in vars(kind))
            _complete_method(owner, name, method, next(overridden, {}))
    _completed.update(owners)


def _complete_class(learner: type, documented: list[dict[str, str]], without: tuple[str, ...]) -> None:
    own = documented[0]
    described = _entries(own.get("Parameters", ""))
    known = _nearest([_entries(sections.get("Parameters", "")) for sections in documented])
    parameters = [
        _with_default(known[name], parameter, own=name in described)
        for name, parameter in inspect.signature(learner).parameters.items()
        if name in known
    ]
    attributes = _nearest([_entries(sections.get("Attributes", "")) for sections in documented])
    report = [attributes.pop("report_")] if "report_" in attributes else []
    own["Parameters"] = _joined(parameters)
    own["Attributes"] = _joined([*(text for name, text in attributes.items() if name not in without), *report])
    learner.__doc__ = _written(own)


def _complete_method(owner: type, name: str, method: Callable[..., Any], overridden: dict[str, str]) -> None:
    own = _sections(method.__doc__)
    texts = method_texts.SECTIONS.get(name, {})
    parameters = inspect.signature(method).parameters
    optional = {name for name, parameter in parameters.items() if parameter.default is None}
    summary = own.get("") or overridden.get("") or texts.get("", "")
    known = _nearest(
        [
            _entries(own.get("Parameters", "")),
            _entries(overridden.get("Parameters", "")),
            *_shared_arguments(owner, name),
            _entries(method_texts.UNUSED) if "y" in optional else {},
            _entries(method_texts.parameters_of(name, takes_sparse=getattr(owner, "_takes_sparse", False))),
            _entries(method_texts.ARGUMENTS),
        ]
    )
    names = [name for name in parameters if name in known]
    own["Parameters"] = _joined([known[name] for name in names])
    own["Returns"] = own.get("Returns") or overridden.get("Returns") or texts.get("Returns", "")
    if summary:
        method.__doc__ = _written({**own, "": summary})


def _shared_arguments(owner: type, method: str) -> Iterator[Entries]:
    """What the classes of a learner say of the arguments of this method, or of all (under ""), nearest first."""
    for kind in owner.__mro__:
        texts = vars(kind).get("_arguments", {})
        yield from (_entries(texts[key]) for key in (method, "") if key in texts)


def _public_methods(owner: type) -> Iterator[tuple[str, Callable[..., Any]]]:
    """The methods that a class defines itself; those that exist only in some states are looked through."""
    for name, member in list(vars(owner).items()):
        method = getattr(member, "fn", member)
        if not name.startswith("_") and isinstance(method, FunctionType):
            yield name, method


def _sections(text: str | None) -> dict[str, str]:
    """The text above the first heading under the key "", then the sections by their headings, in order."""
    pieces = re.split(r"^(\S.*)\n-{3,}\n", inspect.cleandoc(text or "") + "\n", flags=re.MULTILINE)
    return {
        "": pieces[0].strip(),
        **{heading: body.strip("\n") for heading, body in zip(pieces[1::2], pieces[2::2], strict=True)},
    }


def _entries(section: str) -> Entries:
    """The entries of a section by name; one that names several (``a, b : int``) stands under each name."""
    found: Entries = {}
    for entry in re.split(r"\n(?=\S)", section.strip("\n")):
        names = entry.partition("\n")[0].partition(" :")[0]
        found.update({name.strip().lstrip("*"): entry.rstrip() for name in names.split(",") if name.strip()})
    return found


def _nearest(documented: list[Entries]) -> Entries:
    """One entry per name: the first that documents it."""
    merged: Entries = {}
    for entries in documented:
        merged.update({name: entry for name, entry in entries.items() if name not in merged})
    return merged


def _with_default(entry: str, parameter: inspect.Parameter, *, own: bool) -> str:
    head, line, body = entry.partition("\n")
    head = head if own else re.sub(r", default=.*$", "", head)  # of the base, it may be another one here
    if parameter.default is inspect.Parameter.empty or "default" in head or "," in head.partition(" :")[0]:
        return entry
    default = repr(parameter.default)
    if isinstance(parameter.default, str):
        raw = "r" if "\\" in default else ""  # a pattern, as it is written in code
        default = f'{raw}"{parameter.default}"'
    return f"{head}, default={default}{line}{body}"


def _joined(entries: list[str]) -> str:
    return "\n".join(dict.fromkeys(entries))


def _written(sections: dict[str, str]) -> str:
    """A docstring in numpydoc's order."""
    text = sections[""]
    for heading in sorted((name for name in sections if name and sections[name]), key=_rank):
        text += f"\n\n{heading}\n{'-' * len(heading)}\n{sections[heading]}"
    return text + "\n"


def _rank(heading: str) -> int:
    order = ("Parameters", "Attributes", "Returns", "Yields", "Raises")
    return order.index(heading) if heading in order else len(order)
