"""scikit-learn's parts that may be in a file, alone and around our learners."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from numpy.testing import assert_array_equal
from pandas.testing import assert_frame_equal
from scipy import sparse
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import (
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
)

import certus
from certus.base.callbacks import History
from certus.base.persistence.foreign import FOREIGN_STATE, find_foreign
from certus.bayes import GaussianNB
from certus.guarantees import Report, error_bound
from tests.persistence.forging import saved_bytes


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "model.certus"


def numeric(rows: int = 40) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(rows, 3))


def gappy() -> np.ndarray:
    table = numeric()
    table[::7, 1] = np.nan
    return table


def people() -> pd.DataFrame:
    rng = np.random.default_rng(1)
    town = rng.choice(["Ulm", "Bonn", "Köln"], 60, p=[0.6, 0.3, 0.1]).astype(object)
    town[5] = None
    return pd.DataFrame(
        {
            "age": np.where(rng.random(60) < 0.1, np.nan, rng.integers(18, 80, 60)),
            "town": pd.Series(town, dtype=object),
            "size": pd.Series(rng.choice(["S", "M"], 60), dtype=object),
            "income": rng.normal(size=60),
        }
    )


def towns() -> pd.DataFrame:
    return people()[["town", "size"]]


def complete_towns() -> pd.DataFrame:
    return towns().fillna("unknown")


TRANSFORMERS: dict[str, tuple[Any, Callable[[], Any]]] = {
    "standard": (StandardScaler(), numeric),
    "largest": (MaxAbsScaler(), numeric),
    "robust": (RobustScaler(), gappy),
    "robust without centers": (RobustScaler(with_centering=False, with_scaling=False), numeric),
    "quantiles": (QuantileTransformer(n_quantiles=10, output_distribution="normal", random_state=0), gappy),
    "components": (PCA(2, whiten=True), numeric),
    "standard, no spread": (StandardScaler(with_std=False), gappy),
    "standard, sparse": (StandardScaler(with_mean=False), lambda: sparse.csr_array(numeric())),
    "minmax": (MinMaxScaler(feature_range=(-1, 1), clip=True), gappy),
    "imputer": (SimpleImputer(), gappy),
    "imputer with indicator": (SimpleImputer(strategy="median", add_indicator=True), gappy),
    "imputer of text": (SimpleImputer(strategy="constant", fill_value="?", missing_values=None), towns),
    "imputer, most frequent": (SimpleImputer(strategy="most_frequent", missing_values=None), towns),
    "one-hot": (OneHotEncoder(), towns),
    "one-hot, integers": (OneHotEncoder(dtype=np.int32, sparse_output=False), lambda: np.array([[1], [2], [5]])),
    "one-hot, rare": (
        OneHotEncoder(drop="first", min_frequency=0.2, handle_unknown="infrequent_if_exist"),
        complete_towns,
    ),
    "one-hot, given": (OneHotEncoder(categories=[["S", "M", "L"]]), lambda: people()[["size"]]),
    "ordinal": (OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1), towns),
    "ordinal, rare": (OrdinalEncoder(max_categories=2, encoded_missing_value=-2, dtype=float), towns),
    "polynomial": (PolynomialFeatures(degree=(1, 3), interaction_only=True), numeric),
    "union": (
        FeatureUnion([("a", StandardScaler()), ("b", "passthrough"), ("c", "drop")], transformer_weights={"a": 2.0}),
        numeric,
    ),
    "union, named output": (
        FeatureUnion([("a", StandardScaler()), ("b", MinMaxScaler())]),
        lambda: people()[["income"]],
    ),
    "columns": (
        ColumnTransformer(
            [
                ("numbers", make_pipeline(SimpleImputer(), StandardScaler()), ["age"]),
                ("names", OneHotEncoder(handle_unknown="ignore"), ["town", "size"]),
            ],
            remainder="passthrough",
        ),
        people,
    ),
    "columns by place": (
        ColumnTransformer(
            [("a", "passthrough", slice(0, 1)), ("b", "drop", [1]), ("c", MinMaxScaler(), [False, False, True])],
            sparse_threshold=0.0,
            verbose_feature_names_out=False,
        ),
        numeric,
    ),
    "columns, named output": (
        ColumnTransformer([("a", StandardScaler(), ["age", "income"])]),
        lambda: people()[["age", "income"]].fillna(0.0),
    ),
    "empty pipeline step": (Pipeline([("none", "passthrough"), ("scale", StandardScaler())]), numeric),
}


def as_array(output: Any) -> np.ndarray:
    return output.toarray() if sparse.issparse(output) else np.asarray(output)


@pytest.mark.parametrize("name", TRANSFORMERS)
def test_transformer_round_trip(name: str, path: Path) -> None:
    transformer, data = TRANSFORMERS[name]
    transformer = sklearn.clone(transformer)
    if "named output" in name:
        transformer.set_output(transform="pandas")
    rows = data()
    transformer.fit_transform(rows)
    certus.save(transformer, path)
    again = certus.load(path)
    assert type(again) is type(transformer)
    expected, found = transformer.transform(rows), again.transform(rows)
    assert type(found) is type(expected)
    if isinstance(expected, pd.DataFrame):
        assert_frame_equal(found, expected)
    assert_array_equal(as_array(found), as_array(expected))
    assert as_array(found).dtype == as_array(expected).dtype
    if hasattr(transformer, "get_feature_names_out") and name != "imputer of text":
        assert_array_equal(again.get_feature_names_out(), transformer.get_feature_names_out())
    assert saved_bytes(again) == path.read_bytes()
    assert repr(again) == repr(transformer)


def test_every_part_of_the_table_exists() -> None:
    for name in FOREIGN_STATE:
        assert find_foreign(name).__name__ == name.rsplit(".", 1)[1]  # type: ignore[union-attr]


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_whole_pipeline_with_its_report(frame: Any, path: Path) -> None:
    table = people()
    rows = table if frame is pd.DataFrame else pl.from_pandas(table)
    y = np.where(table["income"] > 0, "rich", "poor")
    columns = ColumnTransformer(
        [
            (
                "numbers",
                make_pipeline(SimpleImputer(), StandardScaler(), PolynomialFeatures(2)),
                ["age", "income"],
            ),
            ("names", OneHotEncoder(handle_unknown="ignore", sparse_output=False), ["size"]),
        ]
    )
    model = make_pipeline(columns, GaussianNB()).fit(rows, y)
    model.report_ = Report([error_bound(2, 60)])
    certus.save(model, path)
    again = certus.load(path)
    assert_array_equal(again.predict_proba(rows), model.predict_proba(rows))
    assert again.report_ == model.report_
    assert list(again.feature_names_in_) == list(table.columns)
    assert_array_equal(again.fit(rows, y).predict(rows), model.predict(rows))


def test_callbacks_are_left_behind(path: Path) -> None:
    model = make_pipeline(StandardScaler(), GaussianNB()).set_callbacks(History())
    certus.save(model.fit(numeric(), numeric()[:, 0] > 0), path)
    assert_array_equal(certus.load(path).predict(numeric()), model.predict(numeric()))


def test_another_minor_release_of_scikit_learn_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    certus.save(make_pipeline(StandardScaler(), GaussianNB()).fit(numeric(), numeric()[:, 0] > 0), path)
    own = path.with_name("own.certus")
    certus.save(GaussianNB().fit(numeric(), numeric()[:, 0] > 0), own)
    monkeypatch.setattr(sklearn, "__version__", "1.99.0")
    with pytest.raises(
        certus.CertusFileError, match=r"parts of scikit-learn 1\.\d+.*1\.99\.0 is installed.\nHint: inst"
    ):
        certus.load(path)
    assert certus.load(own).n_features_in_ == 3


def test_a_search_is_told_what_can_be_saved(path: Path) -> None:
    search = GridSearchCV(GaussianNB(), {"var_smoothing": [1e-9, 1e-3]}, cv=2)
    search.fit(numeric(), numeric()[:, 0] > 0)
    with pytest.raises(certus.CertusFileError, match=r"save its best_estimator_"):
        certus.save(search, path)
    certus.save(search.best_estimator_, path)
    assert_array_equal(certus.load(path).predict(numeric()), search.predict(numeric()))
