"""Learners that the user brings into the race: any scikit-learn-compatible estimator, by name or as an object.

Certificates do not ask who made a model: what it predicts for the test rows is enough.
"""

from __future__ import annotations

import importlib
from dataclasses import replace
from typing import Any

from certus.base import catalogue
from certus.workflow.race.candidates import Recipe
from certus.workflow.race.further_learners import named_entry, recipe_of
from certus.workflow.study_error import StudyError

_HINT = "Hint: MODULE:CLASS, as in sklearn.ensemble:AdaBoostClassifier, or a name that 'certus learners' lists."


def foreign_recipe(candidate: Any) -> Recipe:
    """The recipe of an estimator with its settings, or of a named class (``MODULE:CLASS``, or ours) as it is."""
    if isinstance(candidate, str):
        entry = None if ":" in candidate else named_entry(candidate)
        if entry is not None:
            return replace(recipe_of(entry), late=False)
        find_class(candidate)
        return Recipe(candidate)
    kind = type(candidate)
    path = catalogue.path_of(kind) or f"{kind.__module__}:{kind.__qualname__}"
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
