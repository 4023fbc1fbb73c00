"""The verbs: what can be asked of a model, a table or a file. Each is loaded on first use."""

import importlib
import sys
from types import ModuleType
from typing import Any

_VERBS = ("certify", "check", "compare", "conformal", "guard", "load", "monitor", "plan", "save", "select")

__all__ = sorted(_VERBS)


class _Verbs(ModuleType):
    """A package whose attributes are the functions, although the module of each has the same name.

    Importing ``certus.verbs.save`` makes Python set the attribute ``save`` of the package to the module; users
    expect the function there.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _VERBS and isinstance(value, ModuleType):
            value = getattr(value, name)
        super().__setattr__(name, value)

    def __getattr__(self, name: str) -> Any:
        if name in _VERBS:
            return getattr(importlib.import_module(f"certus.verbs.{name}"), name)
        raise AttributeError(f"module 'certus.verbs' has no attribute {name!r}")

    def __dir__(self) -> list[str]:
        return __all__


sys.modules[__name__].__class__ = _Verbs
