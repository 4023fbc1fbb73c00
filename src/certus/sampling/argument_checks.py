"""Refusals that samplers and targets share."""

from __future__ import annotations

from typing import Any

import numpy as np


def whole(name: str, value: Any, least: int) -> int:
    """A whole number that is not too small."""
    if isinstance(value, int | float | np.integer | np.floating) and value >= least and value < np.inf:
        found = int(value)
        if found == value:
            return found
    raise ValueError(f"{name} must be a whole number of at least {least}, got {value!r}.")


def positive(name: str, value: Any) -> None:
    """Refuse what is no finite number above 0."""
    if not isinstance(value, int | float | np.integer | np.floating) or not 0 < value < np.inf:
        raise ValueError(f"{name} must be a finite number above 0, got {value!r}.")
