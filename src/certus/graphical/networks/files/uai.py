"""The format of the UAI competitions: numbers only, so that names and labels are places."""

from __future__ import annotations

from typing import Any

from certus.graphical.networks.files.file_tokens import Tokens
from certus.graphical.networks.files.network_draft import NetworkDraft, NetworkFileError


def read(text: str) -> Any:
    """A network from the text of a file; nodes are called x0, x1, ... and states 0, 1, ..."""
    tokens = Tokens(text, comments="(?!)", marks="\0")
    tokens.keyword("BAYES")
    draft = NetworkDraft()
    nodes = _count(tokens, "nodes")
    for node in range(nodes):
        line = tokens.line()
        draft.declare(f"x{node}", list(range(_count(tokens, "states"))), line)
    tables = _count(tokens, "tables")
    if tables != nodes:
        raise NetworkFileError(f"there must be a table for each of the {nodes} nodes, got {tables}.", tokens.line())
    scopes = []
    for _ in range(tables):
        line = tokens.line()
        scope = [f"x{_count(tokens, 'a node', 0)}" for _ in range(_count(tokens, "nodes of a table"))]
        scopes.append((scope, draft.define(scope[-1], scope[:-1], line)))
    for scope, shape in scopes:
        line = tokens.line()
        count = _count(tokens, "numbers")
        if count > draft.cells:
            raise NetworkFileError(f"the table of {scope[-1]!r} cannot have {count} numbers.", line)
        draft.fill(scope[-1], [tokens.number() for _ in range(count)], shape, line)
    if tokens.peek().kind != "end":
        tokens.fail("the end of the file", tokens.peek())
    return draft.network()


def _count(tokens: Tokens, what: str, least: int = 1) -> int:
    line = tokens.line()
    found = tokens.number()
    if found != int(found) or not least <= found <= 10**7:
        raise NetworkFileError(f"a whole number ({what}) must stand here, got {found:g}.", line)
    return int(found)


def write(network: Any) -> str:
    """The text of a network; names and labels are lost."""
    place = {name: node for node, name in enumerate(network.nodes)}
    lines = [
        "BAYES",
        str(len(place)),
        " ".join(str(len(network.states(name))) for name in network.nodes),
        str(len(place)),
    ]
    for name in network.nodes:
        scope = [place[member] for member in (*network.parents(name), name)]
        lines.append(f"{len(scope)} {' '.join(map(str, scope))}")
    for name in network.nodes:
        values = network.table(name).ravel().tolist()
        lines += [str(len(values)), " ".join(map(repr, values))]
    return "\n".join(lines) + "\n"
