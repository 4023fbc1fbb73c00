"""Arrays as ``.npy`` (format 1.0): numbers, times and byte strings, never objects.

The header is matched against the one form that NumPy writes, instead of being evaluated, and the size that it
announces is compared with the bytes that are there before anything is allocated.
"""

from __future__ import annotations

import math
import re
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from certus.guarantees.records import CertusFileError

_MAGIC = b"\x93NUMPY\x01\x00"
_TYPE = r"[<>|](?:b1|[iu][1248]|f[248]|c(?:8|16)|S\d{1,9}|[Mm]8(?:\[\d{0,6}[a-zA-Z]{1,2}\])?)"
_HEADER = re.compile(
    rf"\{{'descr': '(?P<descr>{_TYPE})', "
    r"'fortran_order': (?P<fortran>True|False), "
    r"'shape': \((?P<shape>(?:\d{1,19},|\d{1,19}(?:, \d{1,19})+)?)\), \} *\n"
)
_CHUNK = 2**20
_LONGEST_EMPTY = 10**7  # an array without entries costs no bytes, but a loop over its other side takes time


class Source(Protocol):
    """Where an array is read from."""

    def read(self, size: int, /) -> bytes:
        """At most `size` bytes."""
        ...


class Sink(Protocol):
    """Where an array is written to."""

    def write(self, data: Any, /) -> int:
        """Append the bytes."""
        ...


def storable(dtype: np.dtype[Any]) -> bool:
    """Whether arrays of this type can be written as ``.npy``."""
    return dtype.names is None and dtype.subdtype is None and re.fullmatch(_TYPE, dtype.str) is not None


def write_npy(sink: Sink, array: NDArray[Any]) -> None:
    """Write an array whose type is `storable`."""
    np.lib.format.write_array(sink, array, version=(1, 0), allow_pickle=False)


def read_npy(source: Source, size: int, name: str) -> NDArray[Any]:
    """Read an array from exactly `size` bytes."""
    start = _exactly(source, 10, name)
    if start[:8] != _MAGIC:
        raise CertusFileError(f"{name} is not an array in the .npy format 1.0.")
    length = int.from_bytes(start[8:10], "little")
    match = _HEADER.fullmatch(_exactly(source, length, name).decode("latin-1"))
    if match is None:
        raise CertusFileError(f"{name} has an array header that is not allowed: only plain numbers may be stored.")
    dtype = np.dtype(match["descr"])
    shape = tuple(int(part) for part in match["shape"].split(",") if part.strip())
    if math.prod(shape) * dtype.itemsize != size - 10 - length:
        raise CertusFileError(
            f"{name} announces the shape {shape} of {dtype} but has {size - 10 - length} bytes of data."
        )
    if 0 in shape and max(shape) > _LONGEST_EMPTY:
        raise CertusFileError(f"{name} announces the shape {shape} without any data.")
    array = np.empty(shape[::-1] if match["fortran"] == "True" else shape, dtype)
    _fill(array, source, name)
    return array.T if match["fortran"] == "True" else array


def _fill(array: NDArray[Any], source: Source, name: str) -> None:
    flat = array.reshape(-1).view(np.uint8) if array.size and array.itemsize else np.empty(0, np.uint8)
    for begin in range(0, flat.size, _CHUNK):
        part = flat[begin : begin + _CHUNK]
        part[:] = np.frombuffer(_exactly(source, part.size, name), np.uint8)
    if array.dtype == np.bool_ and flat.size and flat.max() > 1:
        raise CertusFileError(f"{name} holds truth values that are neither 0 nor 1.")


def _exactly(source: Source, size: int, name: str) -> bytes:
    data = source.read(size)
    if len(data) != size:
        raise CertusFileError(f"{name} ends too early: the file was cut off.")
    return data
