"""What the extra ``scale`` brings, imported where it is used."""

from __future__ import annotations

import importlib
from typing import Any


def require(module: str, what: str) -> Any:
    """Import a module of the extra, or say how to get it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(
            f"{what} needs {module.partition('.')[0]}, which is not installed.\nHint: pip install 'certus[scale]'."
        ) from error
