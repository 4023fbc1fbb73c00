"""The options of a study as parameters of a function: its signature and its documentation."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import MISSING, Field, fields
from typing import Any, get_type_hints

from certus.workflow.described_option import Described
from certus.workflow.options import Options


def parameters() -> Iterator[inspect.Parameter]:
    """Every option as a keyword parameter."""
    types = get_type_hints(Options)
    for one in fields(Options):
        kind = inspect.Parameter.KEYWORD_ONLY
        yield inspect.Parameter(one.name, kind, default=_default(one), annotation=types[one.name])


def _default(one: Field[Any]) -> Any:
    assert one.default is not MISSING
    return one.default


def _paragraph(one: Field[Any]) -> str:
    """A parameter in the form of numpydoc."""
    about: Described = one.metadata["described"]
    kind = "{" + ", ".join(f'"{choice}"' for choice in about.choices) + "}" if about.choices else about.type
    return f"    {one.name} : {kind}, default={_default(one)!r}\n        {about.help}"


def takes_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator: writes every option into the signature and the docstring of a function of ``**given``."""
    own = [p for p in inspect.signature(function).parameters.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
    first, last = (
        [p for p in own if (p.kind is inspect.Parameter.KEYWORD_ONLY) == keyword] for keyword in (False, True)
    )
    returns = inspect.signature(function).return_annotation
    signature = inspect.Signature([*first, *parameters(), *last], return_annotation=returns)
    function.__signature__ = signature  # type: ignore[attr-defined]
    function.__annotations__ = {name: p.annotation for name, p in signature.parameters.items()} | {"return": returns}
    paragraphs = "\n".join(_paragraph(one) for one in fields(Options))
    function.__doc__ = (function.__doc__ or "").replace("    <options>", paragraphs)
    return function
