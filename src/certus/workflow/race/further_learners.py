"""Learners of the catalogue beyond the portfolio: they enter the race where their family or their name is asked for.

The portfolio has what usually wins. The others start with their defaults, after it, so that a race without families or
names is not longer than it was.
"""

from __future__ import annotations

from collections.abc import Sequence

from certus.base import catalogue
from certus.workflow.race.candidates import Recipe

# Why learners cannot enter, although their task is that of the study.
UNSUITED = {
    "MultiOutputClassifier": "learns several targets",
    "MultiTaskElasticNet": "learns several targets",
    "MultiTaskElasticNetCV": "learns several targets",
    "MultiTaskLasso": "learns several targets",
    "MultiTaskLassoCV": "learns several targets",
    "CCA": "relates two tables",
    "PLSCanonical": "relates two tables",
    "AdaptiveNeighborsClassifier": "may leave a row without an answer",
    "RadiusNeighborsClassifier": "may leave a row without an answer",
    "RadiusNeighborsRegressor": "may leave a row without an answer",
    "MultinomialNB": "reads counts",
    "ComplementNB": "reads counts",
    "CategoricalNB": "reads codes of categories",
}
# Exponents of rows and columns, and seconds for 10 000 rows and 20 columns: rough, and corrected by what is measured.
_WORK = {
    "linear": (1.0, 1.5, 0.2),
    "bayes": (1.0, 1.5, 0.05),
    "neighbors": (2.0, 1.0, 1.0),
    "trees": (1.1, 1.0, 0.2),
    "ensemble": (1.1, 1.0, 10.0),
    "kernels": (2.5, 1.0, 30.0),
    "svm": (2.0, 1.0, 6.0),
    "sampling": (1.0, 1.0, 60.0),
}
_OF_PAIRS = {"kernels": 3.0, "svm": 0.0}  # numbers that a fit keeps for every pair of rows


def further_recipes(learners: str, families: Sequence[str], known: Sequence[str]) -> list[Recipe]:
    """Recipes of the learners of these families that suit the task and are not among the known paths."""
    if learners not in ("classification", "regression"):
        return []
    return [
        recipe_of(entry)
        for entry in catalogue.entries(learners)
        if entry.family in families and entry.takes == "tables" and entry.path not in known
        and entry.needs is None and entry.name not in UNSUITED
    ]  # fmt: skip


def recipe_of(entry: catalogue.Entry) -> Recipe:
    """The recipe of a learner with its defaults."""
    work, pairs = _WORK.get(entry.family, (1.0, 1.0, 0.1)), _OF_PAIRS.get(entry.family, 0.0)
    return Recipe(entry.path, work=work, pairs=pairs, late=True)


def named_entry(name: str) -> catalogue.Entry | None:
    """The learner of the catalogue with this name or import path, if there is one."""
    return next((entry for entry in catalogue.entries() if name in (entry.name, entry.path)), None)
