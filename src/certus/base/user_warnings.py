"""Warnings that point at the user's own line, however deep in the library they arise."""

from __future__ import annotations

import sys
import warnings
from types import FrameType

# Code between a warning and the user: ours, and that of the libraries whose wrappers and searches call ours.
_LIBRARIES = ("certus", "sklearn", "joblib")


def warn_user(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line outside of the library that led here.

    Parameters
    ----------
    message : str
        What happened, and what to do about it.
    category : type of Warning, default=UserWarning
        Its category.
    """
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and _of_a_library(frame):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, 2 if _of_a_library(frame) else level)


def _of_a_library(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__", "")).partition(".")[0] in _LIBRARIES
