"""PCA and discriminant analysis in blocks: the directions, variances and certificates of the whole table."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

from certus.bayes import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from certus.components import PCA, IncrementalPCA
from tests.scale.pieces import classes_table, cut, every_cut, numbers_table

DISCRIMINANTS = [
    LinearDiscriminantAnalysis(),
    LinearDiscriminantAnalysis("lsqr", shrinkage=0.2),
    LinearDiscriminantAnalysis("eigen", n_components=1),
    QuadraticDiscriminantAnalysis(store_covariance=True),
    QuadraticDiscriminantAnalysis(solver="eigen", shrinkage=0.1),
]


@every_cut
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("learner", DISCRIMINANTS, ids=str)
def test_discriminants(learner, weighted, cuts):
    X, y = classes_table()
    weights = np.random.default_rng(1).integers(0, 3, size=len(y)).astype(float)
    data = (X, y, weights) if weighted else (X, y)
    local, blocks = clone(learner).fit(*data), clone(learner).fit(*cut(data, cuts))
    np.testing.assert_allclose(blocks.means_, local.means_, rtol=1e-12)
    np.testing.assert_allclose(blocks.priors_, local.priors_, rtol=1e-12)
    np.testing.assert_allclose(blocks.predict_proba(X), local.predict_proba(X), rtol=1e-8, atol=1e-12)
    if hasattr(local, "explained_variance_ratio_"):
        np.testing.assert_allclose(blocks.explained_variance_ratio_, local.explained_variance_ratio_, rtol=1e-9)


@every_cut
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("learner", [PCA(), PCA(2), PCA(0.9, whiten=True), IncrementalPCA(2)], ids=str)
def test_principal_components(learner, weighted, cuts):
    X, _ = numbers_table()
    X = X + np.array([0.0, 1e6, 0.0, -1e5])
    weights = np.random.default_rng(1).integers(0, 3, size=len(X)).astype(float)
    data = (X, weights) if weighted else (X,)
    local = clone(learner).fit(X, sample_weight=weights if weighted else None)
    table = cut((X, np.zeros(200), weights), cuts)
    blocks = clone(learner).fit(table[0], sample_weight=table[2] if weighted else None)
    for name in ("mean_", "explained_variance_", "explained_variance_ratio_", "noise_variance_", "n_samples_"):
        if hasattr(local, name):
            np.testing.assert_allclose(getattr(blocks, name), getattr(local, name), rtol=1e-9, err_msg=name)
    np.testing.assert_allclose(blocks.transform(X), local.transform(X), atol=1e-6)
    assert len(blocks.report_) == len(local.report_) == 2
    assert blocks.report_.check(data if weighted else X)
    assert np.concatenate(list(blocks.transform(table[0]))).shape == (200, blocks.n_components_)


def test_what_needs_the_whole_table():
    X, y = cut(classes_table(), 2)
    with pytest.raises(TypeError, match="shrinkage='auto'"):
        LinearDiscriminantAnalysis("lsqr", shrinkage="auto").fit(X, y)
    with pytest.raises(ValueError, match="number of classes has to be greater than one"):
        QuadraticDiscriminantAnalysis().fit(X, cut((classes_table()[0], np.zeros(200)), 2)[1])
