"""Tools of scikit-learn that ask for their own classes accept ours."""

import numpy as np
import pytest
from sklearn.cluster import Birch
from sklearn.ensemble import GradientBoostingRegressor as TheirBoosting
from sklearn.feature_selection import RFE, SelectFromModel
from sklearn.inspection import partial_dependence
from sklearn.linear_model import RANSACRegressor
from sklearn.neighbors import kneighbors_graph
from sklearn.tree import export_graphviz, export_text

from certus import ensemble, linear, neighbors, trees
from certus.cluster import KMeans

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 3))
y = X @ [1.0, -2.0, 0.5] + 0.01 * RNG.normal(size=80)
labels = (y > 0).astype(int)


def test_ransac_takes_our_linear_regression_without_min_samples():
    far = y.copy()
    far[:8] += 100.0
    model = RANSACRegressor(linear.LinearRegression(), random_state=0).fit(X, far)
    np.testing.assert_allclose(model.estimator_.coef_, [1.0, -2.0, 0.5], atol=0.02)
    assert not model.inlier_mask_[:8].any()


@pytest.mark.parametrize(
    ("learner", "target"),
    [
        (trees.DecisionTreeClassifier(max_depth=2), labels),
        (trees.DecisionTreeRegressor(max_depth=2), y),
        (trees.ExtraTreeClassifier(max_depth=2, random_state=0), labels),
        (trees.ExtraTreeRegressor(max_depth=2, random_state=0), y),
    ],
    ids=lambda value: type(value).__name__,
)
def test_trees_are_exported(learner, target):
    learner.fit(X, target)
    assert "feature_" in export_text(learner)
    assert export_graphviz(learner).startswith("digraph Tree")


@pytest.mark.parametrize(
    ("learner", "target"),
    [
        (trees.DecisionTreeRegressor(max_depth=3), y),
        (ensemble.RandomForestRegressor(5, random_state=0), y),
        (ensemble.GradientBoostingRegressor(n_estimators=5), y),
        (ensemble.GradientBoostingClassifier(n_estimators=5), labels),
    ],
    ids=lambda value: type(value).__name__,
)
def test_partial_dependence_by_recursion(learner, target):
    learner.fit(X, target)
    found = partial_dependence(learner, X, [1], method="recursion", kind="average")["average"]
    assert np.isfinite(found).all()


def test_boosting_of_scikit_learn_starts_from_ours():
    assert TheirBoosting(init=trees.DecisionTreeRegressor(max_depth=1), n_estimators=2).fit(X, y).score(X, y) > 0


@pytest.mark.parametrize("learner", [neighbors.KNeighborsClassifier(3), neighbors.KNeighborsRegressor(3)])
def test_graph_of_neighbors_takes_a_fitted_learner(learner):
    found = kneighbors_graph(learner.fit(X, labels), 3)
    np.testing.assert_array_equal(found.toarray(), kneighbors_graph(X, 3).toarray())


def test_birch_takes_our_clusterer():
    assert len(set(Birch(n_clusters=KMeans(3, random_state=0)).fit_predict(X))) == 3


def test_selection_of_columns_takes_coefficients_and_importances():
    assert SelectFromModel(linear.Lasso(0.1)).fit(X, y).get_support().tolist() == [True, True, True]
    assert RFE(linear.LinearRegression(), n_features_to_select=1).fit(X, y).get_support().tolist() == [
        False,
        True,
        False,
    ]
    assert SelectFromModel(ensemble.RandomForestRegressor(5, random_state=0)).fit(X, y).get_support()[1]
