"""What must hold of parts of an encoder that come from a file, before anything is computed with them."""

from __future__ import annotations

from typing import Any

import numpy as np


def check_names(names: Any, what: str = "columns") -> None:
    """Raise a ValueError unless these are different texts."""
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        raise ValueError(f"{what} must be texts")
    if len(set(names)) < len(names):
        raise ValueError(f"{what} must be different")


def check_numbers(value: Any, shape: tuple[int, ...], what: str, *, positive: bool = False) -> None:
    """Raise a ValueError unless this is an array of finite numbers of the shape."""
    if not isinstance(value, np.ndarray) or value.dtype != np.float64 or value.shape != shape:
        raise ValueError(f"{what} must be numbers of the shape {shape}")
    if not np.isfinite(value).all() or (positive and not (value > 0.0).all()):
        raise ValueError(f"{what} must be {'positive' if positive else 'finite'} numbers")


def check_lengths(columns: list[str], **parts: Any) -> None:
    """Raise a ValueError unless there is one entry of each part for every column."""
    for name, part in parts.items():
        if not isinstance(part, list) or len(part) != len(columns):
            raise ValueError(f"{name} must have one entry for each of {len(columns)} columns")
