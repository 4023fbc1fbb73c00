"""Optional requirements: what an extra of the package installs, and the one error when it is missing."""

from __future__ import annotations

import contextlib
import importlib
import signal
import sys
import threading
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

# Extra -> the package that it brings.
PACKAGES = {"deep": "torch"}


def is_installed(extra: str | None) -> bool:
    """Whether what an extra brings can be imported; looks for it without importing it."""
    return extra is None or find_spec(PACKAGES[extra]) is not None


def import_extra(extra: str, needed_by: str) -> Any:
    """The package that an extra brings."""
    name = PACKAGES[extra]
    if name in sys.modules:
        return importlib.import_module(name)  # waits where another thread is importing it
    try:
        with _not_interrupted():
            return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        raise ModuleNotFoundError(
            f"{needed_by} needs {name}, which is not installed.\nHint: pip install 'certus[{extra}]'",
            name=name,
        ) from None


@contextlib.contextmanager
def _not_interrupted() -> Iterator[None]:
    """Ctrl-C waits until the body is done: a compiled package whose import broke off crashes when it is tried again."""
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGINT) is None:
        yield
        return
    pressed: list[tuple[Any, ...]] = []
    before = signal.signal(signal.SIGINT, lambda *given: pressed.append(given))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if pressed and callable(before):
        before(*pressed[0])
