"""XMLBIF 0.3."""

from __future__ import annotations

import re
from typing import Any
from xml.sax import saxutils

from certus.graphical.networks.files.network_draft import NetworkDraft, NetworkFileError, numbers_of
from certus.graphical.networks.files.xml_nodes import parse_xml

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\ufffe\uffff]")
_DTD = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE BIF [
<!ELEMENT BIF ( NETWORK )*>
<!ATTLIST BIF VERSION CDATA #REQUIRED>
<!ELEMENT NETWORK ( NAME, ( PROPERTY | VARIABLE | DEFINITION )* )>
<!ELEMENT NAME (#PCDATA)>
<!ELEMENT VARIABLE ( NAME, ( OUTCOME | PROPERTY )* )>
<!ATTLIST VARIABLE TYPE (nature|decision|utility) "nature">
<!ELEMENT OUTCOME (#PCDATA)>
<!ELEMENT DEFINITION ( FOR | GIVEN | TABLE | PROPERTY )* >
<!ELEMENT FOR (#PCDATA)>
<!ELEMENT GIVEN (#PCDATA)>
<!ELEMENT TABLE (#PCDATA)>
<!ELEMENT PROPERTY (#PCDATA)>
]>
"""


def read(text: str) -> Any:
    """A network from the text of a file."""
    root = parse_xml(text)
    if root.tag.upper() != "BIF":
        raise NetworkFileError(f"the root must be <BIF>, got <{root.tag}>.", root.line)
    source = root.one("NETWORK")
    draft = NetworkDraft()
    names = source.all("NAME")
    kept = [node.text for node in source.all("PROPERTY")]
    draft.properties["network"] = {"name": names[0].text.strip() if names else "", "properties": kept}
    for node in source.all("VARIABLE"):
        if node.attributes.get("TYPE", "nature") != "nature":
            raise NetworkFileError("only variables of the type 'nature' are read.", node.line)
        name = node.one("NAME").text.strip()
        draft.declare(name, [state.text.strip() for state in node.all("OUTCOME")], node.line)
        if node.all("PROPERTY"):
            draft.properties.setdefault("variables", {})[name] = [own.text for own in node.all("PROPERTY")]
    for node in source.all("DEFINITION"):
        name, table = node.one("FOR").text.strip(), node.one("TABLE")
        shape = draft.define(name, [parent.text.strip() for parent in node.all("GIVEN")], node.line)
        draft.fill(name, numbers_of(table.text, table.line), shape, table.line)
        if node.all("PROPERTY"):
            draft.properties.setdefault("probabilities", {})[name] = [own.text for own in node.all("PROPERTY")]
    return draft.network()


def escape(text: str) -> str:
    """A text in XML, which has no control characters."""
    if _CONTROL.search(text):
        raise ValueError(f"Names and states must have no control characters in XML, got {text!r}.\nHint: write JSON.")
    return saxutils.escape(text)


def write(network: Any) -> str:
    """The text of a network; labels are written as texts, whose outer spaces are lost."""
    kept = network.properties
    own = kept.get("network", {})
    lines = ['<BIF VERSION="0.3">', "<NETWORK>", f"<NAME>{escape(own.get('name') or 'unknown')}</NAME>"]
    lines += [f"<PROPERTY>{escape(text)}</PROPERTY>" for text in own.get("properties", ())]
    for name in network.nodes:
        lines += ['<VARIABLE TYPE="nature">', f"  <NAME>{escape(name)}</NAME>"]
        lines += [f"  <OUTCOME>{escape(str(state))}</OUTCOME>" for state in network.states(name)]
        lines += [f"  <PROPERTY>{escape(text)}</PROPERTY>" for text in kept.get("variables", {}).get(name, ())]
        lines.append("</VARIABLE>")
    for name in network.nodes:
        lines += ["<DEFINITION>", f"  <FOR>{escape(name)}</FOR>"]
        lines += [f"  <GIVEN>{escape(parent)}</GIVEN>" for parent in network.parents(name)]
        lines.append(f"  <TABLE>{' '.join(map(repr, network.table(name).ravel().tolist()))}</TABLE>")
        lines += [f"  <PROPERTY>{escape(text)}</PROPERTY>" for text in kept.get("probabilities", {}).get(name, ())]
        lines.append("</DEFINITION>")
    return _DTD + "\n".join([*lines, "</NETWORK>", "</BIF>"]) + "\n"
