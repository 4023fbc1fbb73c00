"""Small built-in tables, each with its source and licence."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources

import polars as pl

__all__ = ["Dataset", "load", "names"]


def __dir__() -> list[str]:
    return __all__


@dataclass(frozen=True)
class Dataset:
    """A built-in table, the column to predict, and where it comes from."""

    name: str
    target: str
    source: str
    licence: str
    frame: pl.DataFrame


_SOURCES = {
    "breast_cancer": (
        "diagnosis",
        "Breast Cancer Wisconsin (Diagnostic); W. Wolberg, O. Mangasarian, N. Street, W. Street; UCI Machine "
        "Learning Repository, 1993, doi:10.24432/C5DW2B. Column names spelled out; values unchanged.",
        "CC BY 4.0",
    ),
}


def names() -> list[str]:
    """The built-in tables."""
    return sorted(_SOURCES)


def load(name: str) -> Dataset:
    """One of the built-in tables.

    Examples
    --------
    >>> from certus import datasets
    >>> data = datasets.load("breast_cancer")
    >>> data.frame.shape, data.target
    ((569, 31), 'diagnosis')
    """
    if name not in _SOURCES:
        raise ValueError(f"There is no built-in table {name!r}.\nHint: choose one of {names()}.")
    target, source, licence = _SOURCES[name]
    path = resources.files("certus.datasets") / "data" / f"{name}.csv"
    with path.open("rb") as file:
        return Dataset(name, target, source, licence, pl.read_csv(file))
