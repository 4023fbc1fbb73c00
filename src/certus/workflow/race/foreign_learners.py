"""Learners that the user brings into the race: any scikit-learn-compatible estimator, by name or as an object.

Certificates do not ask who made a model: what it predicts for the test rows is enough.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from certus.base import catalogue
from certus.workflow.race.candidates import Recipe
from certus.workflow.race.further_learners import named_entry, recipe_of
from certus.workflow.study_error import StudyError

_HINT = "Hint: MODULE:CLASS, as in sklearn.ensemble:AdaBoostClassifier, or a name that 'certus learners' lists."


def foreign_recipe(candidate: Any, offered: Sequence[Recipe] = ()) -> Recipe:
    """The recipe of an estimator with its settings, or of a named class (``MODULE:CLASS``, or ours) as it is.

    A learner of ours that is among the offered ones reads the table as these do.
    """
    if isinstance(candidate, str):
        entry = None if ":" in candidate else named_entry(candidate)
        if entry is not None:
            return _as_offered(replace(recipe_of(entry), late=False), offered)
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
    return _as_offered(Recipe(path, (own,)), offered)


def _as_offered(recipe: Recipe, offered: Sequence[Recipe]) -> Recipe:
    """With the encoding and the costs of an offered recipe of the same learner."""
    usual = next((one for one in offered if one.path == recipe.path), None)
    return recipe if usual is None else replace(usual, starts=recipe.starts, late=False)


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
