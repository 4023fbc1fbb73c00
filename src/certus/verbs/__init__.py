"""The verbs: what can be asked of a model, a table or a file. Each is loaded on first use."""

import importlib
from typing import Any

_HOMES = {
    "certify": "certus.verbs.certifying",
    "check": "certus.verbs.checking",
    "compare": "certus.verbs.comparing",
    "conformal": "certus.verbs.conformal_prediction",
    "guard": "certus.verbs.guarding",
    "load": "certus.verbs.loading",
    "monitor": "certus.verbs.monitoring",
    "plan": "certus.verbs.planning",
    "save": "certus.verbs.saving",
    "select": "certus.verbs.selecting",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'certus.verbs' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
