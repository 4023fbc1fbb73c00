"""Which classes may be in a file, and what each is made of."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any

from certus.base import catalogue
from certus.base.persistence.foreign import FOREIGN_CACHES, FOREIGN_STATE, find_foreign, foreign_path

# What base classes keep on any fitted estimator: its columns, what ``set_output`` asked for, a sketch of its rows.
SHARED_STATE = ("n_features_in_", "feature_names_in_", "_sklearn_output_config", "_training_rows")

# Reports are saved apart; routing and callbacks concern fitting and are not saved.
_NOT_SAVED = {"report_", "_metadata_request", "_skl_callbacks"}


@dataclass(frozen=True)
class Kind:
    """A class that may be saved.

    Parameters
    ----------
    path : str
        Its import path, such as ``certus.linear.Ridge``.
    built : type
        The class.
    state : tuple of str
        Its fitted attributes.
    foreign : bool
        Whether it is scikit-learn's.
    """

    path: str
    built: type
    state: tuple[str, ...]
    foreign: bool

    @property
    def estimator(self) -> bool:
        """Whether it has parameters; otherwise it is a fitted component that is nothing but its state."""
        return hasattr(self.built, "get_params")

    def parameter_names(self) -> set[str]:
        """Names that the constructor takes."""
        return set(inspect.signature(self.built).parameters) if self.estimator else set()

    def state_of(self, value: Any) -> dict[str, Any]:
        """The fitted attributes that are stored on the object; properties are computed and not among them."""
        if hasattr(value, "_before_saving"):  # of objects that put off work
            value._before_saving()
        if hasattr(value, "__dict__"):
            return {name: vars(value)[name] for name in self.state if name in vars(value)}
        return {name: getattr(value, name) for name in self.state if hasattr(value, name)}

    def unlisted(self, value: Any, parameters: set[str]) -> str | None:
        """A fitted attribute of the object that the state does not list and that would therefore be lost.

        Our own classes may keep caches under private names; of scikit-learn's nothing is taken for a cache.
        """
        known = parameters | set(self.state) | FOREIGN_CACHES.get(self.path, set()) | _NOT_SAVED
        for name in sorted(set(vars(value) if hasattr(value, "__dict__") else ()) - known):
            if self.foreign or (name.endswith("_") and not name.startswith("_")):
                return name
        return None


def kind_of(value: Any) -> Kind | None:
    """How to save an object, or None if its class is not allowed in files."""
    built = type(value)
    path = catalogue.path_of(built)
    if path is not None:
        return _own(path, built)
    path = foreign_path(built)
    return None if path is None else _foreign(path, built)


def find_kind(path: str) -> Kind | None:
    """How to build an object of the class with this import path, or None if it is not allowed in files."""
    built = find_foreign(path)
    if built is not None:
        return _foreign(path, built)
    built = catalogue.find(path)
    return None if built is None else _own(path, built)


def keeps_training_rows(path: str) -> bool:
    """Whether the fitted state of the class with this import path contains rows that it was trained on."""
    kind = find_kind(path)
    return kind is not None and bool(getattr(kind.built, "_keeps_training_rows", False))


def _own(path: str, built: type) -> Kind:
    listed = getattr(built, "_state", ())
    return Kind(path, built, tuple(dict.fromkeys((*listed, *SHARED_STATE))), foreign=False)


def _foreign(path: str, built: type) -> Kind:
    return Kind(path, built, (*FOREIGN_STATE[path], *SHARED_STATE), foreign=True)
