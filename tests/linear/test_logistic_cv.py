"""LogisticRegressionCV: its scores are those of honest fits, its result is that of the chosen penalty."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_classification
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold

from certus.linear import LogisticRegression, LogisticRegressionCV

QUIET = {"l1_ratios": (0,), "scoring": "neg_log_loss", "use_legacy_attributes": False}


def _problem(classes, seed=0):
    return make_classification(150, 6, n_informative=4, n_classes=classes, random_state=seed)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_scores_and_choice_are_those_of_single_fits(classes, weighted):
    X, y = _problem(classes)
    weights = np.random.default_rng(0).uniform(0.5, 2.0, len(y)) if weighted else None
    Cs = [0.01, 0.3, 10.0]
    folds = list(StratifiedKFold(4).split(X, y))
    model = LogisticRegressionCV(Cs=Cs, cv=folds, **QUIET).fit(X, y, weights)
    for i, (train, test) in enumerate(folds):
        for k, C in enumerate(Cs):
            single = LogisticRegression(C=C).fit(X[train], y[train], None if weights is None else weights[train])
            loss = log_loss(
                y[test], single.predict_proba(X[test]), sample_weight=None if weights is None else weights[test]
            )
            assert model.scores_[i, 0, k] == pytest.approx(-loss, rel=1e-6)
            np.testing.assert_allclose(model.coefs_paths_[i, 0, k, :, :-1], single.coef_, rtol=1e-5, atol=1e-7)
    assert model.C_ == Cs[int(model.scores_.sum(axis=(0, 1)).argmax())]
    final = LogisticRegression(C=model.C_).fit(X, y, weights)
    np.testing.assert_array_equal(model.coef_, final.coef_)
    assert model.gap_ == final.gap_
    assert all(certificate.check() for certificate in model.report_)


def test_elastic_net_chooses_among_mixtures():
    X, y = _problem(2)
    model = LogisticRegressionCV(
        Cs=[0.05, 1.0],
        cv=3,
        solver="saga",
        l1_ratios=[0.1, 0.9],
        scoring="accuracy",
        use_legacy_attributes=False,
        max_iter=1000,
        gap_tol=1e-4,
    ).fit(X, y)
    assert model.scores_.shape == (3, 2, 2)
    best = model.scores_.sum(axis=0).T
    k, j = np.unravel_index(best.argmax(), best.shape)
    assert (model.C_, model.l1_ratio_) == ([0.05, 1.0][k], [0.1, 0.9][j])


def test_sparse_equals_dense():
    X, y = _problem(3)
    X[np.abs(X) < 0.7] = 0.0
    dense = LogisticRegressionCV(Cs=3, cv=3, **QUIET).fit(X, y)
    other = LogisticRegressionCV(Cs=3, cv=3, **QUIET).fit(sparse.csr_array(X), y)
    np.testing.assert_allclose(dense.scores_, other.scores_, rtol=1e-6)
    np.testing.assert_allclose(dense.coef_, other.coef_, rtol=1e-5, atol=1e-8)


def test_mean_of_the_folds_promises_nothing():
    X, y = _problem(2)
    model = LogisticRegressionCV(Cs=3, cv=3, refit=False, **QUIET).fit(X, y)
    assert len(model.report_) == 0
    assert model.gap_ == np.inf
    best = model.scores_[:, 0].argmax(axis=1)
    mean = np.mean([model.coefs_paths_[i, 0, best[i]] for i in range(3)], axis=0)
    np.testing.assert_array_equal(model.coef_, mean[:, :-1])


def test_refusals():
    X, y = _problem(2)
    with pytest.raises(ValueError, match="greater than 0"):
        LogisticRegressionCV(Cs=[1.0, -1.0], **QUIET).fit(X, y)
    with pytest.raises(ValueError, match="class labels as keys"):
        LogisticRegressionCV(class_weight={"x": 1.0}, **QUIET).fit(X, y)
    with pytest.raises(ValueError, match="only supported if enable_metadata_routing=True"):
        LogisticRegressionCV(**QUIET).fit(X, y, groups=y)
    with pytest.warns(FutureWarning, match="use_legacy_attributes"):
        LogisticRegressionCV(Cs=[1.0], l1_ratios=(0,), scoring="accuracy").fit(X, y)
