"""First weights, pretraining, auxiliary outputs, transfer and autoencoders."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_digits

from certus import load, save
from certus.components import PCA
from certus.neural import Autoencoder, MLPClassifier, MLPRegressor, StackedAutoencoder
from certus.neural.engine import initial_parameters
from certus.neural.engine.initial_weights import glorot_bound

X, Y = load_digits(return_X_y=True)
X = X / 16.0
QUIET: dict[str, Any] = {"tol": 1e9, "n_iter_no_change": 10, "random_state": 0}  # 12 epochs without a warning


def test_glorot_weights_have_their_bound_and_variance() -> None:
    assert glorot_bound(784, 256) == pytest.approx(0.07596, abs=5e-6)
    weights = initial_parameters(np.random.RandomState(0), (784, 256), ())[0][0]
    assert np.abs(weights).max() <= glorot_bound(784, 256)
    assert weights.var() == pytest.approx(2.0 / (784 + 256), rel=0.01)
    he = initial_parameters(np.random.RandomState(0), (784, 256), (), init="he")[0][0]
    assert he.var() == pytest.approx(2.0 / 784, rel=0.01)


def test_sparse_weights_connect_a_fraction_of_the_inputs() -> None:
    weights = initial_parameters(np.random.RandomState(0), (50, 8), (), init="sparse", fraction=0.2)[0][0]
    assert ((weights != 0.0).sum(axis=0) == 10).all()


def test_pretraining_layer_by_layer_begins_better() -> None:
    deep: dict[str, Any] = {
        "hidden_layer_sizes": (30,) * 4,
        "activation": "logistic",
        "learning_rate_init": 0.01,
        **QUIET,
    }
    plain = MLPClassifier(**deep).fit(X, Y)
    trained = MLPClassifier(**deep, pretraining="layerwise", pretraining_iter=20).fit(X, Y)
    assert trained.loss_ < 0.9 * plain.loss_
    refined = MLPClassifier((40, 20), pretraining="autoencoder", **QUIET).fit(X, Y)
    assert refined.score(X, Y) > 0.7
    with pytest.raises(ValueError, match="needs a dense one"):
        MLPClassifier((40, 20), pretraining="autoencoder").fit(sparse.csr_array(X), Y)


def test_auxiliary_outputs_train_the_layers_below() -> None:
    deep: dict[str, Any] = {"hidden_layer_sizes": (30,) * 5, "activation": "tanh", **QUIET}
    model = MLPClassifier(**deep, auxiliary=0.3).fit(X, Y)
    assert [coef.shape for coef in model.head_coefs_] == [(30, 10)] * 4
    plain = MLPClassifier(**deep).fit(X, Y)
    assert not hasattr(plain, "head_coefs_")
    read = []
    for layer, (coef, intercept) in enumerate(zip(model.head_coefs_, model.head_intercepts_, strict=True)):
        scores = model.hidden(X, layer) @ coef + intercept
        read.append(float((scores.argmax(axis=1) == Y).mean()))
    assert min(read) > 0.6


def test_transfer_keeps_frozen_layers_and_helps_with_few_rows(tmp_path: Any) -> None:
    source = MLPClassifier((40, 20), solver="lbfgs", random_state=0).fit(X[:1000], Y[:1000] % 5)
    few = slice(1000, 1060)
    model = MLPClassifier((40, 20), start=source, frozen=1, solver="lbfgs", random_state=0).fit(X[few], Y[few])
    np.testing.assert_array_equal(model.coefs_[0], source.coefs_[0])
    assert not np.array_equal(model.coefs_[1], source.coefs_[1])
    adam = MLPClassifier((40, 20), start=source, frozen=2, **QUIET).fit(X[few], Y[few])
    np.testing.assert_array_equal(adam.coefs_[1], source.coefs_[1])
    plain = MLPClassifier((40, 20), solver="lbfgs", random_state=0).fit(X[few], Y[few])
    assert model.score(X[1060:], Y[1060:]) > plain.score(X[1060:], Y[1060:])
    assert clone(model).start is source
    save(model, tmp_path / "model.certus")
    np.testing.assert_array_equal(load(tmp_path / "model.certus").predict(X[few]), model.predict(X[few]))
    with pytest.raises(ValueError, match="start has hidden layers of the shapes"):
        MLPClassifier((41, 20), start=source).fit(X[few], Y[few])


def test_a_linear_autoencoder_finds_the_principal_components() -> None:
    rng = np.random.default_rng(0)
    table = rng.normal(size=(300, 2)) @ rng.normal(size=(2, 6)) * 2.0 + 0.1 * rng.normal(size=(300, 6))
    model = Autoencoder((2,), "identity", alpha=0.0, solver="lbfgs", tol=1e-8, max_iter=2000, random_state=0).fit(table)
    again = model.inverse_transform(model.transform(table))
    known = PCA(2).fit(table)
    best = known.inverse_transform(known.transform(table))
    assert ((again - table) ** 2).sum() == pytest.approx(((best - table) ** 2).sum(), rel=1e-4)
    np.testing.assert_allclose(again, best, atol=0.01)


def test_stacked_autoencoders_reproduce_and_start_classifiers() -> None:
    stack = StackedAutoencoder((64, 16), learning_rate="cosine", learning_rate_init=0.003, max_iter=60, random_state=0)
    codes = stack.fit(X).transform(X)
    assert codes.shape == (len(X), 16) == (len(X), len(stack.get_feature_names_out()))
    error = ((stack.inverse_transform(codes) - X) ** 2).sum() / ((X - X.mean(axis=0)) ** 2).sum()
    assert error < 0.6
    model = MLPClassifier((64, 16), start=stack, frozen=2, solver="lbfgs", max_iter=2000, random_state=0).fit(
        X[:500], Y[:500]
    )
    np.testing.assert_array_equal(model.coefs_[1], stack.coefs_[1])
    assert model.score(X[500:], Y[500:]) > 0.6
    deep = Autoencoder((32, 8), ("tanh", "relu"), **QUIET).fit(X)
    assert [coef.shape for coef in deep.coefs_] == [(64, 32), (32, 8), (8, 32), (32, 64)]
    assert deep.inverse_transform(deep.transform(X[:3])).shape == (3, 64)
    with pytest.raises(ValueError, match="needs codes of 8 numbers per row"):
        deep.inverse_transform(X[:3])


def test_regression_begins_from_any_network_of_the_same_columns() -> None:
    source = StackedAutoencoder((12,), **QUIET).fit(X)
    model = MLPRegressor("squared_error", (12, 5), start=source, frozen=1, **QUIET).fit(X, Y)
    np.testing.assert_array_equal(model.coefs_[0], source.coefs_[0])
