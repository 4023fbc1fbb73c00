"""What is known about the states of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def allowed_states(y: Any, rows: int, states: int) -> NDArray[np.bool_] | None:
    """Which states each row may be in, or None where nothing is known.

    ``y`` is a state per row with -1 for unknown, or a table of truth values with a column per state.
    """
    if y is None:
        return None
    given = np.asarray(y)
    if given.shape[:1] != (rows,) or given.ndim > 2:
        raise ValueError(
            f"y must hold one state per row of X ({rows}), got the shape {given.shape}.\n"
            "Hint: lengths of sequences are given by name, fit(X, lengths=[...])."
        )
    if given.ndim == 2 and given.shape[1] != 1:
        if given.dtype.kind != "b" or given.shape[1] != states:
            raise ValueError(
                f"y must be truth values of shape ({rows}, {states}) if it has columns, got {given.dtype} of shape "
                f"{given.shape}."
            )
        if not given.any(axis=1).all():
            row = int(np.flatnonzero(~given.any(axis=1))[0])
            raise ValueError(f"y must allow a state in every row, got none in row {row}.")
        return given
    codes = _codes(given.reshape(rows), states)
    if (codes < 0).all():
        return None
    allowed = codes[:, None] == np.arange(states)
    allowed[codes < 0] = True
    return allowed


def _codes(given: NDArray[Any], states: int) -> NDArray[np.int64]:
    if given.dtype.kind not in "biuf":
        raise ValueError(f"y must hold states as whole numbers, got {given.dtype}.\nHint: -1 stands for unknown.")
    known = np.where(np.isnan(given), -1, given) if given.dtype.kind == "f" else given
    bad = (known != np.floor(known)) | (known < -1) | (known >= states)
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise ValueError(
            f"y must hold states from 0 to {states - 1}, or -1 where the state is unknown, got {given[row]} in row "
            f"{row}."
        )
    return known.astype(np.int64)
