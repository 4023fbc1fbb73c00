"""A model as JSON nodes that refer to arrays.

A node is a scalar (see `scalars`), or an object whose ``type`` says what it is: ``list``, ``tuple``, ``dict``,
``numbers`` (a dict of many texts with a whole number each), ``slice``, ``array``, ``labels``, ``sparse``, ``dtype``,
``scalar-type`` or ``object`` (a learner or a part).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from certus.base.persistence.archive import ArchiveWriter, to_json
from certus.base.persistence.arrays import storable
from certus.base.persistence.classes import Kind, kind_of
from certus.base.persistence.foreign import FOREIGN_STATE
from certus.base.persistence.labels import encode_labels, is_labels, text_fits
from certus.base.persistence.limits import MAX_DEPTH
from certus.base.persistence.scalars import encode_scalar, encode_type, is_scalar
from certus.base.persistence.sparse_parts import SPARSE_FIELDS
from certus.guarantees import Report
from certus.guarantees.records import CertusFileError

_SMALL_DICT = 64  # entries that are written one by one


class Encoder:
    """Turns values into nodes and writes their arrays.

    Parameters
    ----------
    archive : ArchiveWriter
        Where the arrays go.

    Attributes
    ----------
    reports : list of dict
        The reports of the learners met so far.
    classes : set of str
        Import paths of the classes met so far.
    """

    def __init__(self, archive: ArchiveWriter) -> None:
        self._archive = archive
        self._depth = 0
        self.reports: list[dict[str, Any]] = []
        self.classes: set[str] = set()

    def encode(self, value: Any, where: str) -> Any:
        """The node of a value; `where` names its place in error messages."""
        if is_scalar(value):
            return encode_scalar(value, where)
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise CertusFileError(f"{where} is nested more than {MAX_DEPTH} levels deep, or contains itself.")
        node = self._encode_container(value, where)
        self._depth -= 1
        return node

    def _encode_container(self, value: Any, where: str) -> dict[str, Any]:
        if type(value) in (np.ndarray, np.memmap):
            return self._encode_array(value, where)
        if type(value) in (list, tuple):
            items = [self.encode(item, f"{where}[{place}]") for place, item in enumerate(value)]
            return {"type": type(value).__name__, "items": items}
        if type(value) is dict and _is_numbering(value):
            keys, numbers = np.array(list(value), dtype=object), np.array(list(value.values()), dtype=np.int64)
            return {
                "type": "numbers",
                "keys": self._encode_array(keys, f"the keys of {where}"),
                "values": self._encode_array(numbers, where),
            }
        if type(value) is dict:
            pairs = [
                [self.encode(key, f"a key of {where}"), self.encode(item, f"{where}[{key!r}]")]
                for key, item in value.items()
            ]
            return {"type": "dict", "items": pairs}
        if type(value) is slice:
            ends = (value.start, value.stop, value.step)
            return {"type": "slice", "items": [self.encode(end, where) for end in ends]}
        if sparse.issparse(value):
            return self._encode_sparse(value, where)
        described = encode_type(value)
        if described is not None:
            return described
        kind = kind_of(value)
        if kind is None:
            raise CertusFileError(_refusal(value, where))
        return self._encode_object(value, kind, where)

    def _encode_array(self, array: Any, where: str) -> dict[str, Any]:
        if is_labels(array):
            text = to_json(encode_labels(array, where))
            if not text_fits(array, len(text)):
                raise CertusFileError(
                    f"{where} is a text array in which one long text makes {len(array)} cells wide.\n"
                    "Hint: use an array of dtype object."
                )
            return {"type": "labels", "member": self._archive.add_labels(text, where)}
        if not storable(array.dtype):
            raise CertusFileError(f"{where} is an array of the type {array.dtype}, which cannot be saved.")
        return {"type": "array", "member": self._archive.add_array(array)}

    def _encode_sparse(self, matrix: Any, where: str) -> dict[str, Any]:
        fields = SPARSE_FIELDS.get(matrix.format)
        if fields is None:
            raise CertusFileError(
                f"{where} is a sparse matrix of the format {matrix.format!r}; only "
                f"{', '.join(SPARSE_FIELDS)} can be saved.\nHint: convert it with .tocsr() first."
            )
        arrays = {name: self.encode(getattr(matrix, name), f"{where}.{name}") for name in fields}
        return {"type": "sparse", "class": type(matrix).__name__, "shape": list(matrix.shape), "fields": arrays}

    def _encode_object(self, value: Any, kind: Kind, where: str) -> dict[str, Any]:
        ask = getattr(value, "_saved_parameters", None) or (lambda: value.get_params(deep=False))
        parameters = ask() if kind.estimator else {}
        lost = kind.unlisted(value, set(parameters))
        if lost is not None:
            raise CertusFileError(
                f"{where} is a {kind.path} with the attribute {lost!r}, which this release does not know how to save."
            )
        self.classes.add(kind.path)
        state = kind.state_of(value)
        node: dict[str, Any] = {
            "type": "object",
            "class": kind.path,
            "parameters": {name: self.encode(item, f"{where}.{name}") for name, item in parameters.items()},
            "state": {name: self.encode(item, f"{where}.{name}") for name, item in state.items()},
        }
        report = getattr(value, "report_", None)
        if isinstance(report, Report):
            node["report"] = self.add_report(report)
        return node

    def add_report(self, report: Report) -> int:
        """Keep a report for the list of certificates; returns its place there."""
        self.reports.append(report.to_dict())
        return len(self.reports) - 1


def _is_numbering(value: dict[Any, Any]) -> bool:
    """Whether a dict is one of many texts with a whole number each, such as a vocabulary: stored as two arrays."""
    return len(value) > _SMALL_DICT and all(
        type(key) is str and type(number) is int and abs(number) < 2**63 for key, number in value.items()
    )


def _refusal(value: Any, where: str) -> str:
    """Why a value cannot be in a file, by name, and what to do."""
    kind = type(value)
    if isinstance(value, np.random.RandomState | np.random.Generator):
        return (
            f"{where} is a random generator, whose inner state is not saved.\n"
            "Hint: use a whole number, such as random_state=0, or None."
        )
    if hasattr(value, "fit") and not isinstance(value, type):
        allowed = ", ".join(path.rsplit(".", 1)[1] for path in FOREIGN_STATE)
        return (
            f"{where} is a {kind.__module__}.{kind.__qualname__}, which cannot be saved: a file may hold learners "
            f"of Certus and, of scikit-learn, {allowed}.\nHint: replace it by one of these."
        )
    if callable(value):
        name = getattr(value, "__qualname__", None) or kind.__qualname__
        module = getattr(value, "__module__", None) or kind.__module__
        return (
            f"{where} is the function {module}.{name}; a file holds no code.\n"
            "Hint: use a named option, a list of columns or an array instead."
        )
    return (
        f"{where} is a {kind.__module__}.{kind.__qualname__}, which cannot be saved.\n"
        "Hint: use numbers, strings, lists, dictionaries or NumPy arrays."
    )
