"""Text arrays, and arrays of mixed labels, as typed JSON: ``{"dtype": "<U5", "shape": [2], "values": [...]}``."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base.persistence.limits import text_budget
from certus.base.persistence.scalars import decode_scalar, encode_scalar
from certus.guarantees.records import CertusFileError

_TEXT = re.compile(r"[<>|]?U\d{1,9}")


def is_labels(array: NDArray[Any]) -> bool:
    """Whether the array is written as labels: fixed-width text, variable-width text, or objects."""
    return array.dtype.kind in "UO" or array.dtype == np.dtypes.StringDType()


def encode_labels(array: NDArray[Any], where: str) -> dict[str, Any]:
    """The array as plain JSON values; an object array may hold strings, numbers, truth values and None."""
    dtype = {"O": "object", "T": "string"}.get(array.dtype.kind, array.dtype.str)
    cells = array.ravel().tolist()  # the elements of an object array stay what they are
    values = [encode_scalar(value, f"{where}[{place}]") for place, value in enumerate(cells)]
    return {"dtype": dtype, "shape": list(array.shape), "values": values}


def text_fits(array: NDArray[Any], json_bytes: int) -> bool:
    """Whether the array may be read back: not much larger in memory than in the file."""
    return array.dtype.kind != "U" or array.nbytes <= text_budget(json_bytes)


def decode_labels(record: Any, json_bytes: int, name: str) -> NDArray[Any]:
    """Inverse of `encode_labels`, for JSON of `json_bytes` bytes from outside."""
    if not isinstance(record, dict) or set(record) != {"dtype", "shape", "values"}:
        raise CertusFileError(f"{name} is not a list of labels.")
    shape, values = record["shape"], record["values"]
    if not isinstance(shape, list) or not all(type(size) is int and size >= 0 for size in shape):
        raise CertusFileError(f"{name} has the shape {shape!r}, which is not one.")
    if not isinstance(values, list) or math.prod(shape) != len(values):
        raise CertusFileError(f"{name} has the shape {shape}, but another number of labels.")
    dtype = _dtype(record["dtype"], len(values), json_bytes, name)
    array = np.empty(len(values), dtype)
    for place, value in enumerate(values):
        label = decode_scalar(value)
        if dtype.kind != "O" and not isinstance(label, str):
            raise CertusFileError(f"{name} holds {label!r} among its texts.")
        array[place] = label
    return array.reshape(shape)


def _dtype(described: Any, count: int, json_bytes: int, name: str) -> np.dtype[Any]:
    if described == "object":
        return np.dtype(object)
    if described == "string":
        return np.dtypes.StringDType()
    if not isinstance(described, str) or not _TEXT.fullmatch(described):
        raise CertusFileError(f"{name} has labels of the type {described!r}, which is not allowed.")
    width = 4 * int(described.split("U")[1])
    if width * count > text_budget(json_bytes):
        raise CertusFileError(f"{name} would need {width * count} bytes of memory for {json_bytes} bytes of text.")
    return np.dtype(described)
