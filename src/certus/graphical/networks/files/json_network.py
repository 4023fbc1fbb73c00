"""Our own format: JSON that keeps names, labels of any plain kind, tables and properties."""

from __future__ import annotations

import json
from typing import Any

from certus.graphical.networks.files.network_draft import NetworkDraft, NetworkFileError

FORMAT = "certus-network"


def read(text: str) -> Any:
    """A network from the text of a file."""
    try:
        found = json.loads(text, parse_constant=lambda name: _refuse(f"{name} is no number"))
    except json.JSONDecodeError as error:
        raise NetworkFileError(f"this is no JSON ({error.msg}).", error.lineno, error.colno) from None
    except RecursionError:
        raise NetworkFileError("this is nested too deeply.", 1) from None
    if not isinstance(found, dict) or found.get("format") != FORMAT or found.get("version") != 1:
        _refuse(f"this is no network: 'format' must be {FORMAT!r} and 'version' 1")
    draft = NetworkDraft()
    nodes = found.get("nodes")
    if not isinstance(nodes, list) or not all(isinstance(node, dict) for node in nodes):
        _refuse("'nodes' must be a list of objects")
    for node in nodes:
        name, states = node.get("name"), node.get("states")
        if not isinstance(name, str) or not isinstance(states, list):
            _refuse(f"a node must have a name and states, got {str(node)[:80]}")
        if not all(isinstance(state, str | int | float | bool) for state in states):
            _refuse(f"the states of {name!r} must be texts, numbers or truth values")
        draft.declare(name, states, 1)
    for node in nodes:
        name, parents, table = node["name"], node.get("parents"), node.get("table")
        if not isinstance(parents, list) or not all(isinstance(parent, str) for parent in parents):
            _refuse(f"the parents of {name!r} must be a list of names")
        shape = draft.define(name, parents, 1)
        if not isinstance(table, list) or not all(type(value) in (int, float) for value in table):
            _refuse(f"the table of {name!r} must be a list of numbers")
        draft.fill(name, table, shape, 1)
    properties = found.get("properties", {})
    draft.properties = properties if isinstance(properties, dict) else {}
    return draft.network()


def _refuse(message: str) -> Any:
    raise NetworkFileError(message + ".", 1)


def write(network: Any) -> str:
    """The text of a network."""
    nodes = [
        {
            "name": name,
            "states": list(network.states(name)),
            "parents": list(network.parents(name)),
            "table": network.table(name).ravel().tolist(),
        }
        for name in network.nodes
    ]
    content = {"format": FORMAT, "version": 1, "nodes": nodes, "properties": network.properties}
    try:
        return json.dumps(content, ensure_ascii=False, allow_nan=False, indent=1) + "\n"
    except (TypeError, ValueError) as error:
        raise ValueError(f"The labels and properties must be plain values to be written as JSON ({error}).") from None
