"""Learners of other libraries in the race: any scikit-learn-compatible estimator, by name or as an object.

Certificates do not ask who made a model: what it predicts for the test rows is enough.
"""

from __future__ import annotations

import importlib
from typing import Any

from certus.workflow.race.candidates import Recipe
from certus.workflow.study_error import StudyError

_HINT = "Hint: MODULE:CLASS, as in sklearn.ensemble:AdaBoostClassifier."


def foreign_recipe(candidate: Any) -> Recipe:
    """The recipe of an estimator with its settings, or of the class that ``MODULE:CLASS`` names, with its defaults."""
    if isinstance(candidate, str):
        find_class(candidate)
        return Recipe(candidate)
    kind = type(candidate)
    path = f"{kind.__module__}:{kind.__qualname__}"
    if not hasattr(candidate, "get_params") or not hasattr(candidate, "fit"):
        raise StudyError(
            f"candidates must be estimators with fit and get_params, or MODULE:CLASS, got {candidate!r}.\n"
            "Hint: pass an unfitted scikit-learn-compatible estimator.",
            options=["candidates"],
        )
    defaults = kind().get_params(deep=False)
    own = {name: value for name, value in candidate.get_params(deep=False).items() if value is not defaults.get(name)}
    return Recipe(path, (own,))


def find_class(path: str) -> Any:
    """The class that ``MODULE:CLASS`` names."""
    module, colon, name = path.partition(":")
    try:
        found = getattr(importlib.import_module(module), name) if colon else None
    except (ImportError, AttributeError, ValueError) as error:
        raise StudyError(
            f"candidates: there is no {path!r}: {error}.\n{_HINT}",
            options=["candidates"],
        ) from error
    if found is None or not hasattr(found, "fit"):
        raise StudyError(
            f"candidates: {path!r} is not an estimator.\n{_HINT}",
            options=["candidates"],
        )
    return found
