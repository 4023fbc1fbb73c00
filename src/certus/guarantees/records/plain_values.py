"""Plain values: what may be written into a certificate, frozen in memory and safe as JSON."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

SCALARS = {float, int, bool, str, type(None)}
PLAIN_TYPES = {np.dtype(kind) for kind in ("f8", "f4", "i8", "i4", "?")}
FLOAT_TAG = "$float"  # {"$float": "inf"}: JSON has no infinities


class FrozenDict(dict[str, Any]):
    """A dictionary that cannot be changed, can be hashed, and survives copying and pickling."""

    def _refuse(self, *_args: object, **_kwargs: object) -> NoReturn:
        raise TypeError("a certificate cannot be changed.\nHint: build a new one.")

    __setitem__ = __delitem__ = clear = pop = popitem = setdefault = update = _refuse
    __ior__ = _refuse

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __reduce__(self) -> tuple[Any, ...]:
        return (FrozenDict, (dict(self),))

    def __copy__(self) -> "FrozenDict":
        return self

    def __deepcopy__(self, _memo: object) -> "FrozenDict":
        return self


def freeze(value: Any, where: str) -> Any:
    """Turn `value` into nested tuples, FrozenDicts, numbers, strings and None; refuse anything else."""
    if type(value) in SCALARS or type(value) is FrozenDict:
        return value
    if isinstance(value, np.generic):
        return freeze(value.item(), where)
    if isinstance(value, (int, float, str)):
        return value
    if isinstance(value, np.ndarray):
        if value.dtype in PLAIN_TYPES and value.ndim in (1, 2):  # numbers need no second look
            return tuple(value.tolist()) if value.ndim == 1 else tuple(map(tuple, value.tolist()))
        return freeze(value.tolist(), where)
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str) or key == FLOAT_TAG:
                raise ValueError(f"{where}: the key {key!r} is not allowed.\nHint: keys are strings.")
        return FrozenDict(
            {key: x if type(x) in SCALARS else freeze(x, f"{where}[{key!r}]") for key, x in value.items()}
        )
    if isinstance(value, (list, tuple)) or (isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray))):
        if set(map(type, value)) <= SCALARS:  # long lists of coefficients need no second look
            return tuple(value)
        return tuple(freeze(item, f"{where}[{i}]") for i, item in enumerate(value))
    raise ValueError(
        f"{where}: a {type(value).__name__} cannot be stored in a certificate.\n"
        "Hint: use numbers, strings, lists, dictionaries with string keys, or small numpy arrays."
    )


def encode(value: Any) -> Any:
    """Frozen value -> what `json.dumps(..., allow_nan=False)` accepts."""
    if isinstance(value, float) and not math.isfinite(value):
        return {FLOAT_TAG: "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"}
    if isinstance(value, tuple):
        return [encode(item) for item in value]
    if isinstance(value, FrozenDict):
        return {key: encode(item) for key, item in value.items()}
    return value


def decode(value: Any, where: str) -> Any:
    """Inverse of `encode`, for data from outside: anything unexpected is a ValueError."""
    if isinstance(value, dict):
        if FLOAT_TAG in value:
            if len(value) != 1 or value[FLOAT_TAG] not in ("nan", "inf", "-inf"):
                raise ValueError(f"{where}: malformed special number {value!r}.")
            return float(value[FLOAT_TAG])
        return FrozenDict({key: decode(item, f"{where}[{key!r}]") for key, item in value.items()})
    if isinstance(value, (list, tuple)):
        return tuple(decode(item, f"{where}[{i}]") for i, item in enumerate(value))
    return freeze(value, where)
