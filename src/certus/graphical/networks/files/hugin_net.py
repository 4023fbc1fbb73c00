"""Hugin's NET language, for discrete chance nodes."""

from __future__ import annotations

import re
from typing import Any

from certus.graphical.networks.files.file_tokens import Tokens, quoted
from certus.graphical.networks.files.network_draft import NetworkDraft, NetworkFileError, number_of

_WHOLE = "certus_name"  # the attribute that keeps a name which is no identifier


def read(text: str) -> Any:
    """A network from the text of a file."""
    tokens = Tokens(text, comments=r"%[^\n]*", marks="{}()|=;")
    draft = NetworkDraft()
    names: dict[str, str] = {}
    while tokens.peek().kind != "end":
        line = tokens.line()
        kind = tokens.keyword("net", "node", "discrete", "potential")
        if kind == "net":
            draft.properties["net"] = _attributes(tokens)
        elif kind == "potential":
            _potential(tokens, draft, names, line)
        else:
            if kind == "discrete":
                tokens.keyword("node")
            _node(tokens, draft, names, line)
    return draft.network()


def _attributes(tokens: Tokens) -> dict[str, str]:
    tokens.mark("{")
    found = {}
    while not tokens.is_mark("}"):
        name = tokens.name("an attribute")
        tokens.mark("=")
        found[name] = tokens.raw_until(";")
    return found


def _strings(text: str, line: int) -> list[str]:
    tokens = Tokens(text, comments=r"%[^\n]*", marks="()")
    try:
        tokens.mark("(")
        found = []
        while not tokens.is_mark(")"):
            found.append(tokens.name("a state"))
    except NetworkFileError as error:
        raise NetworkFileError(f"the states are malformed ({error}).", line) from None
    return found


def _node(tokens: Tokens, draft: NetworkDraft, names: dict[str, str], line: int) -> None:
    identifier = tokens.name("the name of a node")
    attributes = _attributes(tokens)
    if "states" not in attributes:
        raise NetworkFileError(f"the node {identifier!r} has no states; only discrete nodes are read.", line)
    name = identifier
    if _WHOLE in attributes:
        name = Tokens(attributes.pop(_WHOLE), comments=r"%[^\n]*", marks=";").name()
    names[identifier] = name
    draft.declare(name, _strings(attributes.pop("states"), line), line)
    if attributes:
        draft.properties.setdefault("nodes", {})[name] = attributes


def _potential(tokens: Tokens, draft: NetworkDraft, names: dict[str, str], line: int) -> None:
    tokens.mark("(")
    listed = [tokens.name("a node")]
    tokens.is_mark("|")
    while not tokens.is_mark(")"):
        listed.append(tokens.name("a parent"))
    name, *parents = (names.get(found, found) for found in listed)
    shape = draft.define(name, parents, line)
    attributes = _attributes(tokens)
    if "data" not in attributes:
        raise NetworkFileError(f"the potential of {name!r} has no data; only tables are read.", line)
    words = re.sub(r"%[^\n]*|[()]", " ", attributes["data"]).split()
    draft.fill(name, [number_of(word, line) for word in words], shape, line)


def write(network: Any) -> str:
    """The text of a network; labels are written as strings."""
    kept = network.properties
    identifiers = _identifiers(network.nodes)
    lines = ["net", "{", *(f"  {name} = {text};" for name, text in kept.get("net", {}).items()), "}"]
    for name in network.nodes:
        states = " ".join(quoted(str(state), plain="(?!)") for state in network.states(name))
        lines += [f"node {identifiers[name]}", "{", f"  states = ({states});"]
        if identifiers[name] != name:
            lines.append(f"  {_WHOLE} = {quoted(name, plain='(?!)')};")
        lines += [f"  {own} = {text};" for own, text in kept.get("nodes", {}).get(name, {}).items()] + ["}"]
    for name in network.nodes:
        given = " ".join(identifiers[parent] for parent in network.parents(name))
        values = " ".join(map(repr, network.table(name).ravel().tolist()))
        lines += [f"potential ({identifiers[name]}{' | ' + given if given else ''})", "{", f"  data = ({values});", "}"]
    return "\n".join(lines) + "\n"


def _identifiers(names: tuple[str, ...]) -> dict[str, str]:
    """For every name an identifier of its own."""
    found: dict[str, str] = {}
    used = {name for name in names if re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII)}
    for place, name in enumerate(names):
        own = name
        if name not in used:
            own = f"node_{place}"
            while own in used:
                own += "_"
            used.add(own)
        found[name] = own
    return found
