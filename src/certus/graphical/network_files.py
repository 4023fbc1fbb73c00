"""Reading and writing files of Bayesian networks."""

from __future__ import annotations

import gzip
import importlib
import re
from os import PathLike
from pathlib import Path
from typing import Any

from certus.base.persistence import atomic_file
from certus.graphical.bayesian_network import BayesianNetwork
from certus.graphical.conditional_gaussian_network import ConditionalGaussianNetwork
from certus.graphical.networks.files.network_draft import NetworkFileError

# Format -> the module that knows it, and the endings of its files.
_FORMATS: dict[str, tuple[str, tuple[str, ...]]] = {
    "bif": ("bif", (".bif",)),
    "xmlbif": ("xmlbif", (".xmlbif", ".bifxml", ".xml")),
    "net": ("hugin_net", (".net", ".hugin")),
    "uai": ("uai", (".uai",)),
    "json": ("json_network", (".json",)),
    "xdsl": ("xdsl", (".xdsl",)),
}
_MOST_BYTES = 2**31
_ENCODING = re.compile(rb"<\?xml[^>]{0,200}encoding=[\"']([\w.-]+)[\"']")


def read_network(path: str | PathLike[str], format: str | None = None) -> BayesianNetwork | ConditionalGaussianNetwork:
    """Read a Bayesian network from a file, completely or not at all.

    Parameters
    ----------
    path : path
        The file; ``.gz`` at its end is unpacked.
    format : {"bif", "xmlbif", "net", "uai", "json", "xdsl"}, optional
        What the file is; by its ending if not given.

    Returns
    -------
    BayesianNetwork or ConditionalGaussianNetwork
        The latter from JSON with continuous nodes. Numbers are read in double precision. Rows that miss 1 by at most
        1e-4 are rescaled and counted in ``rescaled``. Names and states of UAI files are places.

    Raises
    ------
    NetworkFileError
        With the line, if the file does not hold a network.
    """
    name = _format_of(Path(path), format)
    content = _content(Path(path))
    declared = _ENCODING.match(content)
    encoding = declared[1].decode() if declared else "utf-8-sig"
    try:
        text = content.decode(encoding)
    except (UnicodeDecodeError, LookupError) as error:
        written = encoding.upper().removesuffix("-SIG")
        raise NetworkFileError(f"{path} is not written in {written} ({error}).", 1) from None
    network: BayesianNetwork | ConditionalGaussianNetwork = _module(name).read(text)
    return network


def write_network(
    network: BayesianNetwork | ConditionalGaussianNetwork, path: str | PathLike[str], format: str | None = None
) -> None:
    """Write a Bayesian network to a file, completely or not at all.

    Parameters
    ----------
    network : BayesianNetwork or ConditionalGaussianNetwork
        A network with tables.
    path : path
        The file; with ``.gz`` at its end it is packed.
    format : {"bif", "xmlbif", "net", "uai", "json"}, optional
        What to write; by the file's ending if not given. Only JSON keeps continuous nodes and
        labels that are no texts; UAI keeps no names.
    """
    name = _format_of(Path(path), format)
    module = _module(name)
    if not hasattr(module, "write"):
        raise ValueError(f"format must be one that can be written, got {name!r}.\nHint: write 'xmlbif' or 'bif'.")
    if isinstance(network, ConditionalGaussianNetwork):
        if name != "json":
            raise ValueError(f"format must be 'json' for a network with continuous nodes, got {name!r}.")
        network._need_numbers()
    else:
        _check_texts(network, name)
    content = module.write(network).encode()
    with atomic_file(path) as stream:
        stream.write(gzip.compress(content, mtime=0) if Path(path).suffix == ".gz" else content)


def _check_texts(network: BayesianNetwork, name: str) -> None:
    """That the states differ in a format that keeps texts."""
    network._need_tables()
    for node in network.nodes:
        texts = {str(state) for state in network.states(node)}
        if name not in ("json", "uai") and len(texts) < len(network.states(node)):
            raise ValueError(
                f"The states of {node!r} must differ as texts in a {name} file, got {network.states(node)!r}."
                "\nHint: only 'json' keeps labels that are no texts."
            )


def _format_of(path: Path, given: str | None) -> str:
    if given is not None:
        if given not in _FORMATS:
            raise ValueError(f"format must be one of {', '.join(map(repr, _FORMATS))}, got {given!r}.")
        return given
    ending = (path.with_suffix("") if path.suffix == ".gz" else path).suffix.lower()
    for name, (_module_name, endings) in _FORMATS.items():
        if ending in endings:
            return name
    known = ", ".join(ending for _module_name, endings in _FORMATS.values() for ending in endings)
    raise ValueError(
        f"The format of {path} must be known by its ending, got {ending!r}.\nHint: give format=..., or one of {known}."
    )


def _module(name: str) -> Any:
    return importlib.import_module(f"certus.graphical.networks.files.{_FORMATS[name][0]}")


def _content(path: Path) -> bytes:
    with path.open("rb") as stream:
        if path.suffix == ".gz":
            try:
                with gzip.open(stream) as unpacked:
                    found = unpacked.read(_MOST_BYTES + 1)
            except (OSError, EOFError) as error:
                raise NetworkFileError(f"{path} is damaged ({error}).", 1) from None
        else:
            found = stream.read(_MOST_BYTES + 1)
    if len(found) > _MOST_BYTES:
        raise NetworkFileError(f"{path} is larger than {_MOST_BYTES:,} bytes.", 1)
    return found
