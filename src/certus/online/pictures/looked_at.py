"""A learner that is looked at now and then along a stream."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike


def looked_at(learner: Any, X: ArrayLike, y: ArrayLike | None, looks: int) -> Iterator[tuple[int, Any]]:
    """A copy of the learner after each of so many pieces of the stream."""
    rows = np.asarray(X)
    if looks < 1 or not len(rows):
        raise ValueError(f"looks must be at least 1 and the stream have a row, got {looks} and {len(rows)} rows.")
    ends = np.unique(np.linspace(0, len(rows), min(looks, len(rows)) + 1).astype(int))
    runner = copy.deepcopy(learner)
    for start, end in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True):
        given = (rows[start:end],) if y is None else (rows[start:end], np.asarray(y)[start:end])
        runner.run(*given)
        yield end, runner
