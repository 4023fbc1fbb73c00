"""The catalogue: every public learner, registered where it is defined.

``certus learners``, the table in the documentation, loading of saved models and the contract tests are all
generated from it. Only registered classes can be built from a file.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from sklearn.base import ClassifierMixin, ClusterMixin, RegressorMixin, TransformerMixin

from certus.base.docstrings import complete_docstrings

Task = Literal[
    "classification",
    "regression",
    "clustering",
    "transformation",
    "density",
    "search",
    "experts",
    "bandits",
    "control",
    "evaluation",
]
# What ``fit`` learns from: tables of rows and columns, a list of texts, sequences of rows with their lengths, tables of
# zeros and ones, advice (or losses) of experts trial by trial, rewards of arms, a decision process to act in, arrays
# of images, lists of arrays of any lengths, lists of tokens, or graphs.
Takes = Literal[
    "tables", "texts", "sequences", "bits", "advice", "arms", "process", "images", "series", "tokens", "graphs"
]
Class = TypeVar("Class", bound=type)
_TASKS: dict[type, Task] = {
    ClassifierMixin: "classification",
    RegressorMixin: "regression",
    ClusterMixin: "clustering",
    TransformerMixin: "transformation",
}

# Sub-packages that hold learners; each registers its own when it is imported.
FAMILIES = (
    "linear",
    "neighbors",
    "bayes",
    "trees",
    "ensemble",
    "kernels",
    "svm",
    "cluster",
    "multioutput",
    "sampling",
    "text",
    "graphical",
    "mixture",
    "components",
    "online",
    "neural",
    "neural.deep",
    "reinforce",
)
# Where the registered classes of a sub-package come from, if not from its own import.
_HOMES = {"base": "certus.base", "workflow": "certus.workflow.models"}


# Attributes that say which columns the training table had; texts and processes have none.
_COLUMNS = ("n_features_in_", "feature_names_in_")
_WITHOUT_COLUMNS = ("texts", "advice", "arms", "process", "images", "series", "tokens", "graphs")


@dataclass(frozen=True)
class Entry:
    """What the catalogue says about one learner."""

    learner: type
    family: str
    tasks: tuple[Task, ...]
    summary: str
    guarantees: tuple[str, ...]
    cost: str
    known_failures: Mapping[str, str] = field(default_factory=dict)
    draws_rows: bool = False  # whether rows are drawn by their place, so that the order of the rows matters
    takes: Takes = "tables"
    needs: str | None = None  # the extra without which it cannot be fitted

    @property
    def name(self) -> str:
        """The class's name."""
        return self.learner.__name__

    @property
    def scales(self) -> str:
        """Whether it learns from rows in blocks (files, clusters): "exact", "approximate" or "no"."""
        declared = getattr(self.learner, "_scaled", None)
        return "no" if declared is None else str(declared.scales)

    @property
    def path(self) -> str:
        """Where users import it from, such as ``certus.linear.Ridge``."""
        return f"certus.{self.family}.{self.name}"

    def to_dict(self) -> dict[str, Any]:
        """The entry as plain values."""
        return {
            "name": self.name,
            "class": self.path,
            "family": self.family,
            "tasks": list(self.tasks),
            "summary": self.summary,
            "guarantees": list(self.guarantees),
            "cost": self.cost,
            "takes": self.takes,
            "needs": self.needs,
            "scales": self.scales,
            "known_failures": dict(self.known_failures),
        }


_entries: dict[str, Entry] = {}
_parts: dict[str, type] = {}


def register(
    *,
    guarantees: tuple[str, ...],
    cost: str,
    family: str | None = None,
    tasks: tuple[Task, ...] | None = None,
    known_failures: Mapping[str, str] | None = None,
    draws_rows: bool = False,
    takes: Takes = "tables",
    needs: str | None = None,
) -> Callable[[Class], Class]:
    """Class decorator that puts a learner into the catalogue and completes its docstrings.

    Parameters
    ----------
    guarantees : tuple of str
        What its report can promise, in a few words each.
    cost : str
        Fit and predict cost in n rows and p columns.
    family : str, optional
        The sub-package it is imported from, if not the one in which it is defined.
    tasks : tuple of str, optional
        What it can be used for, if not only what its base class says.
    known_failures : mapping of str to str, optional
        scikit-learn checks that cannot hold, with the reason.
    draws_rows : bool, default=False
        Whether fitting draws rows by their place, so that another order of the rows gives another model.
    takes : str, default="tables"
        What ``fit`` learns from. What only tables can promise (a width, weights of rows, refused cells) is not asked
        of the others; their families test what takes its place.
    needs : str, optional
        The extra of the package (`certus.base.extras`) without which it cannot be fitted.
    """

    def add(learner: Class) -> Class:
        complete_docstrings(learner, without=_COLUMNS if takes in _WITHOUT_COLUMNS else ())
        summary = (learner.__doc__ or "").strip().splitlines()[0]
        home, uses = family or learner.__module__.split(".")[1], tasks or (_task_of(learner),)
        failures = dict(known_failures or {})
        entry = Entry(learner, home, uses, summary, guarantees, cost, failures, draws_rows, takes, needs)
        _entries[entry.path] = entry
        return learner

    return add


def _task_of(learner: type) -> Task:
    """What the nearest of scikit-learn's mixins says that a learner does."""
    for kind in learner.__mro__:
        if kind in _TASKS:
            return _TASKS[kind]
    raise TypeError(f"{learner.__name__}: tasks must be given for a learner without a kind.")


def register_part(family: str) -> Callable[[Class], Class]:
    """Class decorator for fitted components that are not learners (a tree, a kernel): they may be saved."""

    def add(part: Class) -> Class:
        _parts[f"certus.{family}.{part.__name__}"] = part
        return part

    return add


def entries(task: str | None = None) -> list[Entry]:
    """All learners (of a task), in order of family and name. Imports every family."""
    _import_families()
    found = (entry for entry in _entries.values() if task is None or task in entry.tasks)
    return sorted(found, key=lambda entry: (entry.family, entry.name))


def find(path: str) -> type | None:
    """The registered learner or part with this import path, or None. Imports only its family."""
    home = path.removeprefix("certus.").rpartition(".")[0]
    if path.startswith("certus.") and home in (*FAMILIES, *_HOMES):
        importlib.import_module(_HOMES.get(home, f"certus.{home}"))
    entry = _entries.get(path)
    return entry.learner if entry is not None else _parts.get(path)


def path_of(kind: type) -> str | None:
    """The import path under which a class is registered, or None."""
    for path, entry in _entries.items():
        if entry.learner is kind:
            return path
    return next((path for path, part in _parts.items() if part is kind), None)


def _import_families() -> None:
    for family in FAMILIES:
        importlib.import_module(f"certus.{family}")
