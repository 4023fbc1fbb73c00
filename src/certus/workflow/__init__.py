"""The study: task, data, features, learners, training, evaluation. Its names are loaded on first use."""

import importlib
from typing import Any

_HOMES = {
    "Study": "certus.workflow.result",
    "StudyError": "certus.workflow.study_error",
    "TableEncoder": "certus.tables",
    "study": "certus.workflow.six_steps",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'certus.workflow' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
