"""XDSL files of SMILE and GeNIe: chance nodes with tables, and deterministic ones. Read only."""

from __future__ import annotations

from typing import Any

import numpy as np

from certus.graphical.networks.files.network_draft import NetworkDraft, NetworkFileError, numbers_of
from certus.graphical.networks.files.xml_nodes import XmlNode, parse_xml


def read(text: str) -> Any:
    """A network from the text of a file; nodes are called by their ids."""
    root = parse_xml(text)
    if root.tag != "smile":
        raise NetworkFileError(f"the root must be <smile>, got <{root.tag}>.", root.line)
    draft = NetworkDraft()
    nodes = root.one("nodes").children
    for node in nodes:
        if node.tag not in ("cpt", "deterministic"):
            raise NetworkFileError(f"only <cpt> and <deterministic> nodes are read, got <{node.tag}>.", node.line)
        draft.declare(node.attribute("id"), [state.attribute("id") for state in node.all("state")], node.line)
    for node in nodes:
        name = node.attribute("id")
        parents = [word for found in node.all("parents") for word in found.text.split()]
        shape = draft.define(name, parents, node.line)
        values = _sure(draft, node, name) if node.tag == "deterministic" else numbers_of(_text(node), node.line)
        draft.fill(name, values, shape, node.line)
    return draft.network()


def _text(node: XmlNode) -> str:
    return node.one("probabilities").text


def _sure(draft: NetworkDraft, node: XmlNode, name: str) -> list[float]:
    """Rows with probability 1 at the states that the node names."""
    states, found = draft.states[name], node.one("resultingstates").text.split()
    for state in found:
        if state not in states:
            raise NetworkFileError(f"{state!r} is no state of {name!r}.", node.line)
    places = [states.index(state) for state in found]
    return list(np.eye(len(states))[places].ravel().tolist())
