"""Every learner of the catalogue either learns from blocks what it learns from the table, or refuses in words."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import certus
from certus.base import catalogue
from certus.base.blocks import BlockTable
from tests.scale.pieces import cut

TABLES = [entry for entry in catalogue.entries() if entry.takes == "tables"]
SCALED = [entry for entry in TABLES if entry.scales != "no"]
OTHERS = [entry for entry in TABLES if entry.scales == "no"]
STARTS = {"GaussianMixture", "KMeans"}  # from starts that are drawn: another draw in blocks
SETTINGS = {"TweedieRegressor": {"power": 1.5}}  # with the default, a squared loss, it is ridge regression


def rows(entry):
    generator = np.random.default_rng(0)
    X = np.floor(8.0 * generator.random((120, 3)))
    scores = X[:, 0] - X[:, 1] + generator.normal(size=120)
    labels = "classification" in entry.tasks
    return X, (scores > 0).astype(int) if labels else np.abs(scores) + 1.0


def built(entry):
    try:
        return entry.learner(**SETTINGS.get(entry.name, {}))
    except TypeError:
        pytest.skip("needs an argument")


def asked(model, X):
    names = ("predict", "predict_proba", "predict_log_proba", "decision_function", "transform", "score_samples")
    return {name: getattr(model, name)(X) for name in names if hasattr(model, name)}


@pytest.mark.parametrize("entry", SCALED, ids=lambda entry: entry.name)
def test_the_same_from_blocks(entry, tmp_path):
    X, y = rows(entry)
    local, model = built(entry), built(entry)
    table = cut((X, y), [40, 40, 41])
    if entry.name not in STARTS:
        local.fit(X, y)
    model.fit(*table)
    assert model.n_features_in_ == 3
    certus.save(model, tmp_path / "model.certus")
    again = certus.load(tmp_path / "model.certus")
    for name, lazy in asked(model, table[0]).items():
        assert isinstance(lazy, BlockTable), name
        found = np.concatenate(list(lazy))
        wanted = getattr(again, name)(X)
        np.testing.assert_allclose(found.astype(float), wanted.astype(float), rtol=1e-12, atol=1e-14, err_msg=name)
        if entry.name not in STARTS:
            np.testing.assert_allclose(found, getattr(local, name)(X), rtol=1e-4, atol=1e-5, err_msg=name)


@pytest.mark.parametrize("entry", SCALED, ids=lambda entry: entry.name)
def test_a_float32_table(entry):
    X, y = rows(entry)
    model = built(entry).fit(*cut((X.astype(np.float32), y), 3))
    for name, found in asked(model, X.astype(np.float32)).items():
        assert np.isfinite(np.asarray(found, dtype=float)).all(), name


@pytest.mark.parametrize("entry", OTHERS, ids=lambda entry: entry.name)
def test_refused_in_words(entry):
    X, y = rows(entry)
    model = built(entry)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises((TypeError, ValueError), match=r"certus\.scale\.sample"):
            model.fit(*cut((X, y), 2))


def test_the_catalogue_says_who_scales():
    said = {entry.name: entry.to_dict()["scales"] for entry in catalogue.entries()}
    assert set(said.values()) <= {"exact", "approximate", "no"}
    assert said["Ridge"] == said["GaussianNB"] == said["LogisticRegression"] == "exact"
    assert said["SVC"] == "no"
