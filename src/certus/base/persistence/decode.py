"""Inverse of `encode`, for files from anywhere: only allowed classes are built, only listed attributes set."""

from __future__ import annotations

from typing import Any

import numpy as np

from certus.base.params import check_parameters
from certus.base.persistence.archive import ArchiveReader
from certus.base.persistence.classes import Kind, find_kind
from certus.base.persistence.foreign import check_foreign_version
from certus.base.persistence.labels import decode_labels
from certus.base.persistence.limits import MAX_DEPTH
from certus.base.persistence.scalars import decode_scalar, decode_type
from certus.base.persistence.shared_rules import check_shared_state
from certus.base.persistence.sparse_parts import build_sparse, sparse_fields
from certus.guarantees import Report
from certus.guarantees.records import CertusFileError

_KEYS = {
    "list": {"items"},
    "tuple": {"items"},
    "dict": {"items"},
    "numbers": {"keys", "values"},
    "slice": {"items"},
    "array": {"member"},
    "labels": {"member"},
    "sparse": {"class", "shape", "fields"},
    "object": {"class", "parameters", "state"},
}


class Decoder:
    """Turns nodes back into values.

    Parameters
    ----------
    archive : ArchiveReader
        Where the arrays are.
    reports : list of Report
        The reports, which nodes refer to by position.
    versions : dict
        The library versions that wrote the file.

    Attributes
    ----------
    classes : set of str
        Import paths of the classes met so far.
    """

    def __init__(self, archive: ArchiveReader, reports: list[Report], versions: dict[str, Any]) -> None:
        self._archive = archive
        self._reports = reports
        self._versions = versions
        self._depth = 0
        self.classes: set[str] = set()

    def decode(self, node: Any) -> Any:
        """The value of a node."""
        if not isinstance(node, dict) or node.get("type") in ("float", "numpy"):
            return decode_scalar(node)
        if node.get("type") in ("dtype", "scalar-type"):
            return decode_type(node)
        kind = node.get("type")
        optional = {"report"} if kind == "object" else set()
        if not isinstance(kind, str) or set(node) - {"type"} - optional != _KEYS.get(kind):
            raise CertusFileError(f"a value of the type {kind!r} is unknown or malformed.")
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise CertusFileError(f"the model is nested more than {MAX_DEPTH} levels deep.")
        value = self._decode_container(kind, node)
        self._depth -= 1
        return value

    def _decode_container(self, kind: str, node: dict[str, Any]) -> Any:
        if kind == "array":
            return self._archive.read_array(node["member"])
        if kind == "labels":
            record, size = self._archive.read_labels(node["member"])
            return decode_labels(record, size, node["member"])
        if kind == "sparse":
            names = sparse_fields(node["class"])
            fields = node["fields"]
            if not isinstance(fields, dict) or set(fields) != set(names):
                raise CertusFileError(f"a {node['class']} needs the arrays {', '.join(names)}.")
            return build_sparse(node["class"], node["shape"], {name: self.decode(fields[name]) for name in names})
        if kind == "object":
            return self._decode_object(node)
        if kind == "numbers":
            return self._decode_numbers(node)
        return self._decode_items(kind, node["items"])

    def _decode_numbers(self, node: dict[str, Any]) -> dict[str, int]:
        keys, values = self.decode(node["keys"]), self.decode(node["values"])
        arrays = isinstance(keys, np.ndarray) and isinstance(values, np.ndarray)
        if not arrays or keys.ndim != 1 or values.dtype != np.int64 or keys.shape != values.shape:
            raise CertusFileError("a dict of numbers is malformed.")
        found = dict(zip(keys.tolist(), values.tolist(), strict=True))
        if len(found) != len(keys) or not all(type(key) is str for key in found):
            raise CertusFileError("a dict of numbers has keys that are repeated or no texts.")
        return found

    def _decode_items(self, kind: str, items: Any) -> Any:
        if not isinstance(items, list):
            raise CertusFileError(f"a {kind} is malformed.")
        if kind == "dict":
            if not all(isinstance(pair, list) and len(pair) == 2 for pair in items):
                raise CertusFileError("a dict is malformed.")
            return {self.decode(key): self.decode(item) for key, item in items}
        values = [self.decode(item) for item in items]
        if kind == "slice":
            if len(values) != 3 or not all(end is None or isinstance(end, int | str) for end in values):
                raise CertusFileError("a slice is malformed.")
            return slice(*values)
        return tuple(values) if kind == "tuple" else values

    def _decode_object(self, node: dict[str, Any]) -> Any:
        path, parameters, state = node["class"], node["parameters"], node["state"]
        kind = find_kind(path) if isinstance(path, str) else None
        if kind is None:
            raise CertusFileError(
                f"the file holds a {path!r}, which is not a learner of this release.\n"
                "Hint: a newer release of Certus may know it; nothing else is ever built from a file."
            )
        self.classes.add(kind.path)
        if kind.foreign:
            check_foreign_version(self._versions.get("scikit-learn"))
        _check_names(kind, "parameter", parameters, kind.parameter_names())
        _check_names(kind, "attribute", state, set(kind.state))
        given = {name: self.decode(item) for name, item in parameters.items()}
        # A learner's constructor only stores; a component has none that we could call.
        built = kind.built(**given) if kind.estimator else object.__new__(kind.built)
        for name, item in state.items():
            object.__setattr__(built, name, self.decode(item))
        if "report" in node:
            object.__setattr__(built, "report_", self._report(node["report"]))
        return _restored(built, kind)

    def _report(self, place: Any) -> Report:
        if type(place) is not int or not 0 <= place < len(self._reports):
            raise CertusFileError(f"the model refers to the report {place!r}, which is not in the file.")
        return self._reports[place]


def _check_names(kind: Kind, what: str, given: Any, allowed: set[str]) -> None:
    if not isinstance(given, dict):
        raise CertusFileError(f"the {what}s of a {kind.path} are malformed.")
    for name in given:
        if name not in allowed:
            raise CertusFileError(
                f"the file gives {kind.path} the {what} {name!r}, which it does not have in this release."
            )


def _restored(built: Any, kind: Kind) -> Any:
    """Let a fitted object check what compiled code will rely on, and rebuild what is not saved."""
    if not kind.foreign:
        try:
            if kind.estimator and (kind.state_of(built) or hasattr(built, "report_")):
                rules = getattr(kind.built, "_constraints", {})
                check_parameters(kind.built.__name__, rules, built.get_params(deep=False))
            check_shared_state(built)
            if hasattr(built, "_restored"):
                built._restored()
        except (ValueError, TypeError, AttributeError, LookupError, ArithmeticError) as error:
            raise CertusFileError(f"the fitted state of a {kind.path} does not fit together: {error}") from error
    return built
