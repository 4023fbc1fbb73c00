"""The Interchange Format for Bayesian networks, 0.15 (BIF)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from certus.graphical.networks.files.file_tokens import Tokens, quoted
from certus.graphical.networks.files.network_draft import NetworkDraft, NetworkFileError

_PLAIN = r"[A-Za-z0-9_][A-Za-z0-9_.+<>=:\-]*"


def read(text: str) -> Any:
    """A network from the text of a file."""
    tokens = Tokens(text, comments=r"//[^\n]*|/\*.*?\*/", marks="{}()[]|,;", opening=r"/\*")
    draft = NetworkDraft()
    while tokens.peek().kind != "end":
        kind = tokens.keyword("network", "variable", "probability")
        if kind == "network":
            _network(tokens, draft)
        elif kind == "variable":
            _variable(tokens, draft)
        else:
            _probability(tokens, draft)
    return draft.network()


def _network(tokens: Tokens, draft: NetworkDraft) -> None:
    name = "" if tokens.peek().kind == "mark" else tokens.name()
    tokens.mark("{")
    kept = []
    while not tokens.is_mark("}"):
        tokens.keyword("property")
        kept.append(tokens.raw_until(";"))
    draft.properties["network"] = {"name": name, "properties": kept}


def _variable(tokens: Tokens, draft: NetworkDraft) -> None:
    line = tokens.line()
    name = tokens.name("the name of a variable")
    tokens.mark("{")
    states: list[Any] | None = None
    kept = []
    while not tokens.is_mark("}"):
        if tokens.keyword("type", "property") == "property":
            kept.append(tokens.raw_until(";"))
            continue
        tokens.keyword("discrete")
        tokens.mark("[")
        count = tokens.number()
        tokens.mark("]")
        tokens.mark("{")
        states = [tokens.name("a state")]
        while not tokens.is_mark("}"):
            tokens.is_mark(",")
            states.append(tokens.name("a state"))
        tokens.mark(";")
        if len(states) != count:
            raise NetworkFileError(f"the variable {name!r} must have {count:g} states, got {len(states)}.", line)
    if states is None:
        raise NetworkFileError(f"the variable {name!r} has no type.", line)
    draft.declare(name, states, line)
    if kept:
        draft.properties.setdefault("variables", {})[name] = kept


def _probability(tokens: Tokens, draft: NetworkDraft) -> None:
    line = tokens.line()
    tokens.mark("(")
    name = tokens.name("the name of a variable")
    parents = []
    if tokens.is_mark("|"):
        parents.append(tokens.name("a parent"))
    while not tokens.is_mark(")"):
        tokens.mark(",")
        parents.append(tokens.name("a parent"))
    shape = draft.define(name, parents, line)
    table = np.full(shape, np.nan)
    default: list[float] | None = None
    kept = []
    tokens.mark("{")
    while not tokens.is_mark("}"):
        at = tokens.line()
        if tokens.is_mark("("):
            place = _row(tokens, draft, parents, at)
            if not np.isnan(table[place]).all():
                raise NetworkFileError(f"this row of the table of {name!r} is given twice.", at)
            table[place] = _numbers(tokens, shape[-1], name)
            continue
        kind = tokens.keyword("table", "default", "property")
        if kind == "property":
            kept.append(tokens.raw_until(";"))
        elif kind == "default":
            default = _numbers(tokens, shape[-1], name)
        else:  # the variables in the order of the head, the last one fastest
            values = np.array(_numbers(tokens, math.prod(shape), name)).reshape(shape[-1:] + shape[:-1])
            table = np.moveaxis(values, 0, -1)
    _finish(draft, name, table, default, line)
    if kept:
        draft.properties.setdefault("probabilities", {})[name] = kept


def _row(tokens: Tokens, draft: NetworkDraft, parents: list[str], line: int) -> tuple[int, ...]:
    """The place of a row that is named by the states of the parents."""
    place = []
    for at, parent in enumerate(parents):
        if at:
            tokens.mark(",")
        state = tokens.name("a state")
        if state not in draft.states[parent]:
            raise NetworkFileError(f"{state!r} is no state of {parent!r}.", line)
        place.append(draft.states[parent].index(state))
    tokens.mark(")")
    return tuple(place)


def _numbers(tokens: Tokens, count: int, name: str) -> list[float]:
    line = tokens.line()
    values = []
    while not tokens.is_mark(";"):
        values.append(tokens.number())
        tokens.is_mark(",")
        if len(values) > count:
            break
    if len(values) != count:
        raise NetworkFileError(f"{count} numbers of {name!r} must stand here, got {len(values)}.", line)
    return values


def _finish(draft: NetworkDraft, name: str, table: Any, default: list[float] | None, line: int) -> None:
    lacking = np.isnan(table).any(axis=-1)
    if lacking.any() and default is None:
        place = np.argwhere(np.atleast_1d(lacking))[0]
        row = [str(draft.states[parent][int(at)]) for parent, at in zip(draft.parents[name], place, strict=False)]
        raise NetworkFileError(f"the table of {name!r} has no row for ({', '.join(row)}).", line)
    if default is not None:
        table[lacking] = default
    draft.tables[name] = np.ascontiguousarray(table)


def write(network: Any) -> str:
    """The text of a network; labels are written as strings."""
    kept = network.properties
    own = kept.get("network", {})
    lines = [f"network {quoted(own.get('name') or 'unknown', plain=_PLAIN)} {{"]
    lines += [f"  property {text};" for text in own.get("properties", ())] + ["}"]
    for name in network.nodes:
        states = ", ".join(quoted(str(state), plain=_PLAIN) for state in network.states(name))
        lines += [f"variable {quoted(name, plain=_PLAIN)} {{"]
        lines += [f"  type discrete [ {len(network.states(name))} ] {{ {states} }};"]
        lines += [f"  property {text};" for text in kept.get("variables", {}).get(name, ())] + ["}"]
    for name in network.nodes:
        lines += _block(network, name, kept.get("probabilities", {}).get(name, ()))
    return "\n".join(lines) + "\n"


def _block(network: Any, name: str, kept: Any) -> list[str]:
    parents, table = network.parents(name), network.table(name)
    given = " | " + ", ".join(quoted(parent, plain=_PLAIN) for parent in parents) if parents else ""
    lines = [f"probability ( {quoted(name, plain=_PLAIN)}{given} ) {{"]
    if not parents:
        lines.append(f"  table {', '.join(map(repr, table.tolist()))};")
    else:
        for place in np.ndindex(*table.shape[:-1]):
            row = (str(network.states(parent)[at]) for parent, at in zip(parents, place, strict=True))
            states = ", ".join(quoted(state, plain=_PLAIN) for state in row)
            lines.append(f"  ({states}) {', '.join(map(repr, table[place].tolist()))};")
    return [*lines, *(f"  property {text};" for text in kept), "}"]
