"""Optional requirements: what an extra of the package installs, and the one error when it is missing."""

from __future__ import annotations

import importlib
from importlib.util import find_spec
from typing import Any

# Extra -> the package that it brings.
PACKAGES = {"deep": "torch"}


def is_installed(extra: str | None) -> bool:
    """Whether what an extra brings can be imported; looks for it without importing it."""
    return extra is None or find_spec(PACKAGES[extra]) is not None


def import_extra(extra: str, needed_by: str) -> Any:
    """The package that an extra brings."""
    try:
        return importlib.import_module(PACKAGES[extra])
    except ModuleNotFoundError as error:
        if error.name != PACKAGES[extra]:
            raise
        raise ModuleNotFoundError(
            f"{needed_by} needs {PACKAGES[extra]}, which is not installed.\nHint: pip install 'certus[{extra}]'",
            name=PACKAGES[extra],
        ) from None
