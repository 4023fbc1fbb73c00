"""Checks that a learner's ``_restored`` uses on state that came from a file."""

from __future__ import annotations

from typing import Any

import numpy as np


def check_shapes(learner: Any, **shapes: tuple[int | None, ...]) -> None:
    """Raise a ValueError unless the named attributes are numeric arrays of these shapes.

    Compiled code trusts the shapes that ``fit`` produces; a file could say anything. None allows any length.

    Examples
    --------
    >>> class Fitted:
    ...     coef_ = np.zeros((2, 3))
    >>> check_shapes(Fitted(), coef_=(2, None))
    """
    for name, shape in shapes.items():
        value = getattr(learner, name)
        if not isinstance(value, np.ndarray) or value.dtype.kind not in "biuf":
            raise ValueError(f"{name} is not an array of numbers.")
        fits = value.ndim == len(shape) and all(
            want is None or have == want for have, want in zip(value.shape, shape, strict=True)
        )
        if not fits:
            raise ValueError(f"{name} has the shape {value.shape}, expected {shape}.")


def check_starts(starts: np.ndarray[Any, np.dtype[Any]], total: int, name: str) -> None:
    """Raise a ValueError unless parts that begin at these places cover 0 .. total one after the other.

    Examples
    --------
    >>> check_starts(np.array([0, 2, 2, 5]), 5, "rows")
    """
    whole = starts.ndim == 1 and len(starts) > 0 and starts.dtype.kind in "iu"
    # Compared, since differences of numbers from a file could overflow.
    if not whole or starts[0] != 0 or starts[-1] != total or (starts[1:] < starts[:-1]).any():
        raise ValueError(f"the {name} are not covered one after the other.")
