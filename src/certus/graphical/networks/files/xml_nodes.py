"""XML as plain nodes with lines; entities are refused, whatever they would expand to."""

from __future__ import annotations

from dataclasses import dataclass, field
from xml.parsers import expat

from certus.graphical.networks.files.network_draft import NetworkFileError


@dataclass
class XmlNode:
    """One element."""

    tag: str
    attributes: dict[str, str]
    line: int
    text: str = ""
    children: list[XmlNode] = field(default_factory=list)

    def all(self, tag: str) -> list[XmlNode]:
        """Children with this tag, in any case of letters."""
        return [child for child in self.children if child.tag.upper() == tag.upper()]

    def one(self, tag: str) -> XmlNode:
        """The only child with this tag."""
        found = self.all(tag)
        if len(found) != 1:
            raise NetworkFileError(f"<{self.tag}> must have one <{tag}>, got {len(found)}.", self.line)
        return found[0]

    def attribute(self, name: str) -> str:
        """An attribute that must be there."""
        if name not in self.attributes:
            raise NetworkFileError(f"<{self.tag}> must have the attribute {name!r}.", self.line)
        return self.attributes[name]


def parse_xml(text: str) -> XmlNode:
    """The root element of a document."""
    parser = expat.ParserCreate("utf-8")  # whatever the head says: the text was decoded before
    parser.buffer_text = True
    top = XmlNode("", {}, 1)
    open_nodes = [top]

    def start(tag: str, attributes: dict[str, str]) -> None:
        if len(open_nodes) > 100:
            raise NetworkFileError("the elements are nested too deeply.", parser.CurrentLineNumber)
        node = XmlNode(tag, attributes, parser.CurrentLineNumber)
        open_nodes[-1].children.append(node)
        open_nodes.append(node)

    def characters(content: str) -> None:
        open_nodes[-1].text += content

    def refuse(*_found: object) -> int:
        raise NetworkFileError("entities must not be declared.", parser.CurrentLineNumber)

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda _tag: open_nodes.pop() and None
    parser.CharacterDataHandler = characters
    parser.EntityDeclHandler = refuse
    parser.ExternalEntityRefHandler = refuse
    try:
        parser.Parse(text.encode(), True)
    except expat.ExpatError as error:
        raise NetworkFileError(
            f"this is no XML ({expat.ErrorString(error.code)}).", error.lineno, error.offset
        ) from None
    return top.children[0]
