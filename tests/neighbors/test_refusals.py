"""Bad parameters and data get one clear error."""

from __future__ import annotations

import pickle
import re

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError

from certus.neighbors import KNeighborsClassifier, KNeighborsRegressor, NearestNeighbors

X = np.arange(12.0).reshape(6, 2)
y = np.array([0, 0, 0, 1, 1, 1])


def refused(match: str, error: type = ValueError, **parameters: object) -> None:
    with pytest.raises(error, match=match):
        KNeighborsClassifier(**parameters).fit(X, y)


def test_metrics_and_algorithms_that_do_not_go_together() -> None:
    refused("kd_tree does not support callable metric", algorithm="kd_tree", metric=lambda a, b: 0.0)
    refused("Metric 'cosine' not valid for algorithm='kd_tree'", algorithm="kd_tree", metric="cosine")
    refused("Metric 'haversine' not valid for algorithm='kd_tree'", algorithm="kd_tree", metric="haversine")
    refused("does not support 0 < p < 1", algorithm="ball_tree", p=0.5)
    refused("not valid for metric='minkowski' with a weight", algorithm="kd_tree", metric_params={"w": [1, 1]})
    refused("did you mean metric='euclidean'", metric="euclidian")
    refused("must be None, a positive or a negative int", n_jobs=0, algorithm="kd_tree")


def test_distances_that_are_not_defined() -> None:
    table = np.random.default_rng(0).normal(size=(10, 2))
    for metric, needed in (("seuclidean", "'V': X.var"), ("mahalanobis", "'V': np.cov")):
        with pytest.raises(ValueError, match=needed):
            NearestNeighbors(metric=metric).fit(table).kneighbors(table)
    with pytest.raises(ValueError, match="metric must give a number for every two rows, got nan"):
        NearestNeighbors(metric=lambda a, b: np.nan).fit(table).kneighbors(table)


@pytest.mark.parametrize("weights", [[1.0], [1.0, -1.0], [np.nan, 1.0]])
def test_metric_weights(weights: list[float]) -> None:
    refused("2 finite numbers >= 0, one per column", metric_params={"w": weights})


def test_weights_need_a_finite_power() -> None:
    refused("needs a finite p", p=np.inf, metric_params={"w": [1.0, 2.0]})


@pytest.mark.parametrize("learner", [KNeighborsClassifier, KNeighborsRegressor])
def test_too_many_neighbors(learner: type) -> None:
    model = learner(6).fit(X, y)
    model.predict(X)
    message = "Expected n_neighbors <= n_samples_fit, but n_neighbors = 7, n_samples_fit = 6, n_samples = 2"
    with pytest.raises(ValueError, match=message):
        model.kneighbors(X[:2], 7)
    with pytest.raises(ValueError, match=r"Expected n_neighbors < n_samples_fit.*\nHint: ask for at most 5"):
        model.kneighbors()


def test_numbers_of_neighbors_that_are_none() -> None:
    model = KNeighborsClassifier(2).fit(X, y)
    with pytest.raises(ValueError, match="n_neighbors must be at least 1, got -3"):
        model.kneighbors(X, -3)
    with pytest.raises(TypeError, match="n_neighbors must be an integer"):
        model.kneighbors(X, 2.5)
    with pytest.raises(TypeError, match="n_neighbors must be an integer"):
        KNeighborsClassifier(None).fit(X, y).predict(X)


def test_graph_modes() -> None:
    with pytest.raises(ValueError, match=r'Unsupported mode.*"wide"'):
        KNeighborsClassifier(2).fit(X, y).kneighbors_graph(X, mode="wide")
    with pytest.raises(NotFittedError, match="not fitted"):
        KNeighborsClassifier().kneighbors_graph(X)


def test_sparse_tables() -> None:
    table = sparse.csr_array(X)
    with pytest.raises(ValueError, match="Metric 'chebyshev' not valid for sparse input"):
        KNeighborsClassifier(p=np.inf).fit(table, y)
    with pytest.warns(UserWarning, match="A tree cannot search sparse rows"):
        KNeighborsClassifier(algorithm="kd_tree").fit(table, y)
    with pytest.raises(ValueError, match="kd_tree does not work with sparse matrices"):
        KNeighborsClassifier(2, algorithm="kd_tree").fit(X, y).predict(table)


def test_precomputed_tables() -> None:
    model = KNeighborsClassifier(2, metric="precomputed")
    with pytest.raises(ValueError, match=re.escape("must be square. Input is a 6x2 matrix")):
        model.fit(X, y)
    square = np.abs(X[:, :1] - X[:, :1].T)
    broken = square.copy()
    broken[4, 1] = -2
    with pytest.raises(ValueError, match="Negative values in data passed to X: row 4, column 1 has -2"):
        model.fit(broken, y)
    model.fit(square, y)
    with pytest.raises(TypeError, match="'dok' format is not supported due to its handling of explicit zeros"):
        model.predict(sparse.dok_array(square))
    few = sparse.csr_array(([1.0, 2.0, 1.0], [0, 1, 2], [0, 2, 3]), shape=(2, 6))
    with pytest.raises(ValueError, match="2 neighbors per samples are required, but some samples have only 1"):
        model.predict(few)
    with pytest.raises(ValueError, match="X has 2 features, but KNeighborsClassifier is expecting 6"):
        model.predict(X)


@pytest.mark.parametrize("learner", [KNeighborsClassifier, KNeighborsRegressor])
def test_weight_functions(learner: type) -> None:
    nothing = learner(2, weights=lambda d: np.where(d > 1, 0.0, 1.0)).fit(X, y)
    with pytest.raises(ValueError, match="All neighbors of row 1 of X have the weight 0"):
        nothing.predict([[0.0, 1.0], [50.0, 50.0]])
    short = learner(2, weights=lambda d: d[:, :1]).fit(X, y)
    with pytest.raises(ValueError, match=re.escape("same shape as the distances, (6, 2), got (6, 1)")):
        short.predict(X)


def test_power_given_twice() -> None:
    with pytest.warns(SyntaxWarning, match="p is found in metric_params"):
        model = KNeighborsClassifier(metric_params={"p": 3}).fit(X, y)
    assert model.effective_metric_params_ == {"p": 3, "w": None}


def test_a_refused_second_fit_leaves_the_first_one_usable() -> None:
    model = KNeighborsClassifier(2).fit(np.repeat(X, 5, axis=0), np.repeat(y, 5))
    expected = model.predict(X)
    with pytest.raises(ValueError, match="one per column"):
        model.set_params(metric_params={"w": [1.0]}).fit(X, y)
    assert (model.set_params(metric_params=None).predict(X) == expected).all()
    with pytest.raises(ValueError, match="one per column"):
        model.set_params(metric_params={"w": [1.0, 1.0]}).fit(X[:, :1], y)
    with pytest.raises(ValueError, match="X has 1 features, but the rows of this KNeighborsClassifier have 2"):
        model.predict(X[:, :1])


def test_a_metric_changed_after_fit_waits_for_the_next_fit() -> None:
    model = KNeighborsClassifier(2).fit(X, y)
    expected = model.predict(X)
    assert (model.set_params(metric="precomputed").predict(X) == expected).all()
    assert (pickle.loads(pickle.dumps(model)).predict(X) == expected).all()
