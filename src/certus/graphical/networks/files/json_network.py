"""Our own format: JSON that keeps names, labels of any plain kind, tables and properties."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from certus.graphical.conditional_gaussian_network import ConditionalGaussianNetwork
from certus.graphical.linear_normal import LinearNormal
from certus.graphical.networks.files.network_draft import NetworkDraft, NetworkFileError

FORMAT = "certus-network"


def read(text: str) -> Any:
    """A network from the text of a file."""
    try:
        found = json.loads(text, parse_constant=lambda name: _refuse(f"{name} is no number"))
    except json.JSONDecodeError as error:
        raise NetworkFileError(f"this is no JSON ({error.msg}).", error.lineno, error.colno) from None
    except ValueError as error:  # a whole number of thousands of digits
        raise NetworkFileError(f"a number is too long ({str(error).split(';')[0]}).", 1) from None
    except RecursionError:
        raise NetworkFileError("this is nested too deeply.", 1) from None
    if not isinstance(found, dict) or found.get("format") != FORMAT or found.get("version") not in (1, 2):
        _refuse(f"this is no network: 'format' must be {FORMAT!r} and 'version' 1 or 2")
    nodes = found.get("nodes")
    if not isinstance(nodes, list) or not all(isinstance(node, dict) for node in nodes):
        _refuse("'nodes' must be a list of objects")
    numbers = [node for node in nodes if "normal" in node]
    draft = _draft([node for node in nodes if "normal" not in node])
    if numbers:
        return _with_normals(draft, numbers)
    properties = found.get("properties", {})
    draft.properties = properties if isinstance(properties, dict) else {}
    return draft.network()


def _draft(nodes: list[Any]) -> NetworkDraft:
    """The nodes with states."""
    draft = NetworkDraft()
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
        if not _are_numbers(table):
            _refuse(f"the table of {name!r} must be a list of numbers")
        draft.fill(name, table, shape, 1)
    return draft


def _with_normals(draft: NetworkDraft, nodes: list[Any]) -> ConditionalGaussianNetwork:
    """A network whose other nodes are continuous."""
    parents: dict[str, Any] = dict(draft.parents)
    for node in nodes:
        name, own = node.get("name"), node.get("parents")
        if not isinstance(name, str) or not isinstance(own, list) or not all(isinstance(each, str) for each in own):
            _refuse(f"a continuous node must have a name and a list of parents, got {str(node)[:80]}")
        if name in parents:
            _refuse(f"the node {name!r} is declared twice")
        parents[name] = own
    try:
        normals = {node["name"]: _normal(node, parents, draft) for node in nodes}
        return ConditionalGaussianNetwork(parents, draft.states, draft.tables, normals)
    except (ValueError, MemoryError) as error:
        if isinstance(error, NetworkFileError):
            raise
        return _refuse(str(error).rstrip("."))


def _normal(node: Any, parents: Mapping[str, Any], draft: NetworkDraft) -> LinearNormal:
    """The numbers of a continuous node, flat in the file."""
    name, given = node["name"], node["normal"]
    cards = [len(draft.states[parent]) for parent in parents[name] if parent in draft.states]
    linked = sum(parent in parents and parent not in draft.states for parent in parents[name])
    fields = []
    for field, shape in (("intercept", cards), ("coefficients", [*cards, linked]), ("variance", cards)):
        values: Any = given.get(field) if isinstance(given, dict) else None
        if not _are_numbers(values):
            _refuse(f"the {field} of {name!r} must be a list of numbers")
        if len(values) != math.prod(shape):
            _refuse(f"the {field} of {name!r} must hold {math.prod(shape)} numbers, got {len(values)}")
        fields.append(np.array(values, dtype=np.float64).reshape(shape))
    return LinearNormal(*fields)


def _are_numbers(values: Any) -> bool:
    """Whether this is a list of numbers in the range of doubles."""
    kinds = (int, float)
    return isinstance(values, list) and all(
        type(value) in kinds and abs(value) <= sys.float_info.max for value in values
    )


def _refuse(message: str) -> Any:
    raise NetworkFileError(message + ".", 1)


def write(network: Any) -> str:
    """The text of a network, discrete or with continuous nodes."""
    normals = network.continuous if isinstance(network, ConditionalGaussianNetwork) else ()
    nodes = [_plain(network, name, name in normals) for name in network.nodes]
    content = {"format": FORMAT, "version": 2 if normals else 1, "nodes": nodes}
    content |= {} if normals else {"properties": network.properties}
    try:
        return json.dumps(content, ensure_ascii=False, allow_nan=False, indent=1) + "\n"
    except (TypeError, ValueError) as error:
        raise ValueError(f"The labels and properties must be plain values to be written as JSON ({error}).") from None


def _plain(network: Any, name: str, is_normal: bool) -> dict[str, Any]:
    if not is_normal:
        states, table = list(network.states(name)), network.table(name).ravel().tolist()
        return {"name": name, "states": states, "parents": list(network.parents(name)), "table": table}
    normal = network.normal(name)
    fields = {field: np.ravel(getattr(normal, field)).tolist() for field in ("intercept", "coefficients", "variance")}
    return {"name": name, "parents": list(network.parents(name)), "normal": fields}
