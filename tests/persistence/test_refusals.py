"""What cannot be in a file is refused when saving, by name and place, with a hint."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, PowerTransformer, StandardScaler

import certus
from certus.bayes import GaussianNB
from tests.persistence.parts import Holder, holding


def own_weights(distances: np.ndarray) -> np.ndarray:
    return 1.0 / distances


class MyHolder(Holder):
    pass


def cycle() -> list[Any]:
    items: list[Any] = []
    items.append(items)
    return items


def wide_text() -> np.ndarray:
    return np.array(["x" * 3000] + ["y"] * 30_000)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (own_weights, r"Holder\.value is the function .*own_weights; a file holds no code.\nHint:"),
        (lambda x: x, r"Holder\.value is the function .*<lambda>"),
        ({"a": [1, len]}, r"Holder\.value\['a'\]\[1\] is the function builtins\.len"),
        (np.random.RandomState(0), r"Holder\.value is a random generator.*\nHint: use a whole number"),
        (np.random.default_rng(0), r"Holder\.value is a random generator"),
        (Ridge(), r"Holder\.value is a sklearn.*Ridge, which cannot be saved.*Pipeline, FeatureUnion.*\nHint"),
        (MyHolder(), r"Holder\.value is a tests.*MyHolder, which cannot be saved"),
        (Ridge, r"Holder\.value is the function sklearn\S*Ridge"),
        (pd.DataFrame({"a": [1]}), r"Holder\.value is a pandas.*DataFrame"),
        (np.array([object()], dtype=object), r"Holder\.value\[0\] is a object, which cannot be saved"),
        (np.zeros(2, dtype=[("a", "f8")]), r"Holder\.value is an array of the type .*which cannot be saved"),
        (np.zeros(2, dtype=np.longdouble), r"Holder\.value is an array of the type"),
        (np.ma.masked_array([1.0]), r"Holder\.value is a numpy.*Masked"),
        (sparse.dok_array((2, 2)), r"format 'dok'; only csr, csc, coo.*\nHint: convert it with \.tocsr\(\)"),
        (b"bytes", r"Holder\.value is a builtins\.bytes"),
        ({1, 2}, r"Holder\.value is a builtins\.set"),
        (1 + 2j, r"Holder\.value is a builtins\.complex"),
        (cycle(), "nested more than 64 levels deep, or contains itself"),
        (wide_text(), r"one long text makes 30001 cells wide.\nHint: use an array of dtype object"),
    ],
)
def test_values(value: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(certus.CertusFileError, match=message):
        certus.save(holding(value), tmp_path / "model.certus")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (Ridge(), r"a sklearn.*Ridge cannot be saved.\nHint: save takes a learner of Certus"),
        (None, "a builtins.NoneType cannot be saved"),
        ([GaussianNB()], "a builtins.list cannot be saved"),
        (make_pipeline(PowerTransformer(), GaussianNB()), r"Pipeline\.steps\[0\]\[1\] is a sklearn.*PowerTransformer"),
        (
            make_pipeline(FunctionTransformer(np.log1p), GaussianNB()),
            r"Pipeline\.steps\[0\]\[1\]\.func is the function .*log1p",
        ),
        (
            ColumnTransformer([("a", StandardScaler(), make_column_selector())]),
            r"ColumnTransformer\.transformers\[0\]\[2\] is the function .*make_column_selector",
        ),
    ],
)
def test_models(model: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(certus.CertusFileError, match=message):
        certus.save(model, tmp_path / "model.certus")


def test_attributes_that_would_be_lost(tmp_path: Path) -> None:
    model = holding(1)
    model.note_ = "mine"
    with pytest.raises(certus.CertusFileError, match=r"certus\.bayes\.Holder with the attribute 'note_'"):
        certus.save(model, tmp_path / "model.certus")
    scaler = StandardScaler()
    scaler._new_in_some_release = 1
    with pytest.raises(certus.CertusFileError, match=r"StandardScaler with the attribute '_new_in_some_release'"):
        certus.save(scaler, tmp_path / "model.certus")


def test_private_caches_are_not_saved(tmp_path: Path) -> None:
    model = holding(1)
    model._cache = object()
    certus.save(model, tmp_path / "model.certus")
    assert not hasattr(certus.load(tmp_path / "model.certus"), "_cache")
