"""Single values as JSON that keeps their type.

None, truth values, whole numbers, finite floats and strings are themselves; everything else is an object with
the key ``type``. NumPy's scalars keep their dtype.
"""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np

from certus.guarantees.records import CertusFileError

_NUMPY: dict[str, type] = {
    kind.__name__: kind
    for kind in (
        np.bool_, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64,
        np.float16, np.float32, np.float64, np.str_,
    )
}  # fmt: skip
_SPECIAL = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
_TYPES: dict[str, type] = {
    **{kind.__name__: kind for kind in (bool, int, float, str, object)},
    **{f"numpy.{name}": kind for name, kind in _NUMPY.items()},
}
_DTYPE = re.compile(r"[<>|=]?(?:O|b1|[iu][1248]|f[248]|c(?:8|16)|[SU]\d{1,9}|[Mm]8(?:\[\d{0,6}[a-zA-Z]{1,2}\])?)")


def is_scalar(value: Any) -> bool:
    """Whether `encode_scalar` can write the value."""
    return value is None or type(value) in (bool, int, float, str) or _numpy_name(value) in _NUMPY


def encode_scalar(value: Any, where: str) -> Any:
    """One label or number as JSON."""
    if type(value) is float and not math.isfinite(value):
        return {"type": "float", "value": "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"}
    if value is None or type(value) in (bool, int, float, str):
        return value
    if _numpy_name(value) in _NUMPY:
        plain = "".join(value) if type(value) is np.str_ else value.item()  # item() would drop NULs at the end
        return {"type": "numpy", "dtype": _numpy_name(value), "value": encode_scalar(plain, where)}
    raise CertusFileError(
        f"{where} is a {type(value).__name__}, which cannot be saved.\n"
        "Hint: use strings, whole numbers, floats, truth values or None."
    )


def decode_scalar(node: Any) -> Any:
    """Inverse of `encode_scalar`, for JSON from outside."""
    if not isinstance(node, dict):
        if node is None or isinstance(node, bool | int | float | str):
            return node
        raise CertusFileError(f"a label is a {type(node).__name__}, which is not allowed.")
    if node.get("type") == "float" and set(node) == {"type", "value"} and node["value"] in _SPECIAL:
        return _SPECIAL[node["value"]]
    if node.get("type") == "numpy" and set(node) == {"type", "dtype", "value"} and node["dtype"] in _NUMPY:
        return _numpy_scalar(_NUMPY[node["dtype"]], decode_scalar(node["value"]))
    raise CertusFileError(f"a value of the type {node.get('type')!r} is malformed or not allowed here.")


def _numpy_name(value: Any) -> str | None:
    """The name of a NumPy scalar's type; C's ``long long`` is called by its width, as on other systems."""
    if not isinstance(value, np.generic):
        return None
    return "str_" if type(value) is np.str_ else value.dtype.name


def _numpy_scalar(kind: type, value: Any) -> Any:
    fitting = {"b": bool, "i": int, "u": int, "f": float, "U": str}[np.dtype(kind).kind]
    if type(value) is not fitting:
        raise CertusFileError(f"{value!r} is not a {kind.__name__}.")
    return kind(value)


def encode_type(value: Any) -> dict[str, Any] | None:
    """A dtype, or a scalar type such as ``float`` or ``numpy.float32``; None if the value is neither."""
    if isinstance(value, np.dtype) and _DTYPE.fullmatch(value.str):
        return {"type": "dtype", "name": value.str}
    found = [name for name, kind in _TYPES.items() if value is kind]
    return {"type": "scalar-type", "name": found[0]} if found else None


def decode_type(node: dict[str, Any]) -> Any:
    """Inverse of `encode_type`, for JSON from outside."""
    name = node.get("name")
    if set(node) == {"type", "name"} and isinstance(name, str):
        if node["type"] == "scalar-type" and name in _TYPES:
            return _TYPES[name]
        if node["type"] == "dtype" and _DTYPE.fullmatch(name):
            return np.dtype(name)
    raise CertusFileError(f"the type {name!r} is not allowed.")
