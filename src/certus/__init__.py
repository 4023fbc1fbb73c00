"""Certus: machine learning in which every answer comes with its guarantee.

Sub-packages and the names below are loaded on first use, so that ``import certus`` stays light.
"""

import importlib
from typing import Any

__version__ = "0.1.0"

_SUBPACKAGES = (
    "bayes",
    "cluster",
    "components",
    "datasets",
    "distributions",
    "ensemble",
    "evaluation",
    "geometry",
    "graphical",
    "guarantees",
    "kernels",
    "linear",
    "logic",
    "losses",
    "mixture",
    "multioutput",
    "neighbors",
    "neural",
    "online",
    "reinforce",
    "sampling",
    "scale",
    "svm",
    "tables",
    "text",
    "theory",
    "trees",
    "workflow",
)
# Sub-packages that hold machinery: loaded on first use as well, but not shown to users.
_INNER = ("base", "cli", "report", "verbs")

# Public names at the top -> the module that has them.
_NAMES = {
    "Certificate": "certus.guarantees",
    "CertificateError": "certus.guarantees",
    "Report": "certus.guarantees",
    "TrainingRowsError": "certus.guarantees",
    "config": "certus.base",
    "CertusFileError": "certus.base.persistence",
    "save": "certus.verbs",
    "load": "certus.verbs",
    "certify": "certus.verbs",
    "check": "certus.verbs",
    "compare": "certus.verbs",
    "conformal": "certus.verbs",
    "guard": "certus.verbs",
    "monitor": "certus.verbs",
    "plan": "certus.verbs",
    "select": "certus.verbs",
    "study": "certus.workflow",
}

__all__ = sorted([*_NAMES, *_SUBPACKAGES, "__version__"])


def __getattr__(name: str) -> Any:
    if name in _NAMES:
        value = getattr(importlib.import_module(_NAMES[name]), name)
        globals()[name] = value
        return value
    if name in _SUBPACKAGES or name in _INNER:
        return importlib.import_module(f"certus.{name}")
    raise AttributeError(f"module 'certus' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
