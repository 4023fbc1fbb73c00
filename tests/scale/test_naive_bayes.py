"""Naive Bayes and its like: counts and moments of blocks give the model of the whole table."""

from __future__ import annotations

import numpy as np
import pytest

from certus.bayes import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB
from tests.scale.pieces import classes_table, cut, every_cut

COUNTS = [BernoulliNB(), CategoricalNB(), CategoricalNB(min_categories=9), ComplementNB(), MultinomialNB(alpha=0.3)]


@every_cut
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
def test_gaussian(cuts, weighted):
    X, y = classes_table()
    weights = np.random.default_rng(1).integers(0, 3, size=len(y)).astype(float)
    data = (X, y, weights) if weighted else (X, y)
    local, blocks = GaussianNB().fit(*data), GaussianNB().fit(*cut(data, cuts))
    for name in ("class_count_", "class_prior_", "theta_", "var_", "epsilon_"):
        np.testing.assert_allclose(getattr(blocks, name), getattr(local, name), rtol=1e-12, err_msg=name)
    assert (blocks.predict(X) == local.predict(X)).all()


@every_cut
@pytest.mark.parametrize("learner", COUNTS, ids=str)
def test_counts_are_equal_to_the_bit(learner, cuts):
    X, y = classes_table()
    data = np.floor(np.abs(X)), np.array(["a", "b", "c"])[y]
    local, blocks = learner.fit(*data), type(learner)(**learner.get_params()).fit(*cut(data, cuts))
    name = "category_count_" if hasattr(local, "category_count_") else "feature_count_"
    for one, two in zip(getattr(local, name), getattr(blocks, name), strict=True):
        np.testing.assert_array_equal(one, two)
    assert blocks.classes_.tolist() == local.classes_.tolist()
    np.testing.assert_array_equal(blocks.predict_joint_log_proba(data[0]), local.predict_joint_log_proba(data[0]))
