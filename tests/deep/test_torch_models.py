"""Modules of the user's as learners: every form of them, saving, weights, certificates."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris

torch = pytest.importorskip("torch")

import certus
from certus.linear import LinearRegression, LogisticRegression
from certus.neural.deep import TorchClassifier, TorchRegressor

nn = torch.nn
X, Y = load_iris(return_X_y=True)
X = (X - X.mean(axis=0)) / X.std(axis=0)
IMAGES = np.random.default_rng(0).normal(size=(60, 2, 6, 6))


def every_layer() -> Any:
    """Of images (2, 6, 6): most of the layers that a file can rebuild."""
    return nn.Sequential(
        nn.Conv2d(2, 4, 3, padding=1, bias=False), nn.BatchNorm2d(4), nn.ReLU(inplace=True), nn.MaxPool2d(2),
        nn.Conv2d(4, 8, kernel_size=(2, 1), stride=(1, 2)), nn.GroupNorm(2, 8), nn.PReLU(8), nn.Flatten(),
        nn.Sequential(nn.LayerNorm(32), nn.Linear(32, 6), nn.GELU(approximate="tanh")), nn.Dropout(0.2),
        nn.LeakyReLU(0.2), nn.Linear(6, 2, bias=False),
    )  # fmt: skip


@pytest.mark.parametrize(
    "module",
    [None, every_layer(), lambda shape, outputs: nn.Sequential(nn.Flatten(), nn.Linear(int(np.prod(shape)), outputs))],
    ids=["none", "module", "function"],
)
def test_saved_and_loaded_it_answers_the_same(module: Any, tmp_path: Path) -> None:
    y = np.array(["cat", "dog"])[(IMAGES.sum(axis=(1, 2, 3)) > 0).astype(int)]
    model = TorchClassifier(module, max_epochs=2, random_state=0).fit(IMAGES, y)
    certus.save(model, tmp_path / "model.certus")
    again = certus.load(tmp_path / "model.certus")
    assert_array_equal(again.predict_proba(IMAGES), model.predict_proba(IMAGES))
    assert_array_equal(again.predict(IMAGES), model.predict(IMAGES))
    again.fit(IMAGES, y)  # its module is plain data, from which it is built anew
    assert model.input_shape_ == again.input_shape_ == (2, 6, 6)
    with pytest.raises(ValueError, match=r"examples of the shape \(2, 6, 6\), got \(2, 5, 6\)"):
        model.predict(IMAGES[:, :, 1:])


class Doubled(nn.Module):
    def __init__(self, n_features: int, n_outputs: int) -> None:
        super().__init__()
        self.linear = nn.Linear(n_features, n_outputs)

    def forward(self, given: Any) -> Any:
        return 2.0 * self.linear(given)


class Thresholds(nn.Linear):
    pass


def test_modules_that_cannot_be_rebuilt_are_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "model.certus"
    for module, name in (
        (Doubled, r"TorchClassifier.module is a tests.deep.test_torch_models.Doubled"),
        (nn.Sequential(nn.Linear(4, 5), Thresholds(5, 3)), r"TorchClassifier.module.1 is a .*Thresholds"),
        (nn.Sequential(nn.Linear(4, 3), nn.ModuleList()), r"module.1 is a .*ModuleList"),
    ):
        model = TorchClassifier(module, max_epochs=1, random_state=0)
        if not isinstance(module, nn.Sequential) or not isinstance(module[1], nn.ModuleList):
            assert model.fit(X, Y).predict(X).shape == (150,)
        with pytest.raises(certus.CertusFileError, match=name):
            certus.save(model, path)
        assert not path.exists()
    odd = nn.Sequential(nn.Linear(4, 3), nn.ELU())
    odd[1].alpha = np.float64(2.0) * torch.ones(1)
    with pytest.raises(certus.CertusFileError, match=r"module.1.alpha is a Tensor"):
        certus.save(TorchClassifier(odd), path)


def test_a_class_is_built_for_the_table_and_a_module_is_a_start_that_stays_as_it_is() -> None:
    built = TorchClassifier(Doubled, max_epochs=1, random_state=0).fit(X, Y)
    assert built.weights_["linear.weight"].shape == (3, 4)
    start = nn.Linear(4, 3)
    before = start.weight.detach().clone()
    model = TorchClassifier(start, max_epochs=1, learning_rate=1e-9, random_state=0).fit(X, Y)
    assert torch.equal(start.weight, before)
    assert_allclose(model.weights_["weight"], before, atol=1e-6)


def test_bad_modules() -> None:
    with pytest.raises(TypeError, match=r"module must make a torch.nn.Module, got int.*\nHint"):
        TorchClassifier(lambda n, m: n * m).fit(X, Y)
    with pytest.raises(ValueError, match=r"score per class, of the shape \(64, 3\), got \(64, 2\).\nHint"):
        TorchClassifier(nn.Linear(4, 2)).fit(X, Y)
    with pytest.raises(ValueError, match=r"numbers of the shape \(64, 1\), got \(64, 2\).\nHint"):
        TorchRegressor(nn.Linear(4, 2)).fit(X, Y)
    with pytest.raises(ValueError, match="must have parameters to train"):
        TorchClassifier(nn.Softplus()).fit(X[:, :3], Y)


def test_loaded_weights_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    model = TorchClassifier(nn.Linear(4, 3), max_epochs=1).fit(X, Y)
    path = tmp_path / "model.certus"
    for wrong in (
        {"weight": model.weights_["weight"]},
        {**model.weights_, "weight": np.zeros((3, 5), np.float32)},
        {**model.weights_, "bias": np.zeros(3)},
        {**model.weights_, "bias": 0},
    ):
        forged = TorchClassifier(nn.Linear(4, 3), max_epochs=1).fit(X, Y)
        forged.weights_ = wrong
        certus.save(forged, path)
        with pytest.raises(certus.CertusFileError, match="does not fit together"):
            certus.load(path)
    model.module = {"layer": "Linear", "arguments": {"in_features": 4, "out_features": 10**12, "bias": True}}
    certus.save(model, path)
    with pytest.raises(certus.CertusFileError, match="does not fit together"):  # and nothing so large is allocated
        certus.load(path)


def from_zero(layer: nn.Linear) -> nn.Linear:
    """The layer with all parameters 0, wherever torch's own generator stands."""
    for parameter in layer.parameters():
        nn.init.zeros_(parameter)
    return layer


def test_a_linear_module_is_logistic_regression_and_least_squares() -> None:
    options: dict[str, Any] = {
        "optimizer": "adam", "weight_decay": 0.0, "learning_rate": 0.05, "learning_rate_end": 1e-4,
        "schedule": "cosine", "max_epochs": 600, "batch_size": 150, "validation_fraction": 0.0, "random_state": 0,
    }  # fmt: skip
    y = np.where(np.random.default_rng(0).random(150) < 0.3, np.arange(150) % 3, Y)
    weights = np.random.default_rng(1).integers(0, 3, 150).astype(float)
    model = TorchClassifier(from_zero(nn.Linear(4, 3).double()), **options).fit(X, y, sample_weight=weights)
    exact = LogisticRegression(C=np.inf, tol=1e-8).fit(X, y, sample_weight=weights)
    assert_allclose(model.predict_proba(X), exact.predict_proba(X), atol=0.02)
    table = np.random.default_rng(2).normal(size=(150, 4))
    numbers = table @ [1.0, -2.0, 0.5, 3.0] + np.random.default_rng(3).normal(size=150) + 7.0
    regressor = TorchRegressor(from_zero(nn.Linear(4, 1)), **options).fit(table, numbers, sample_weight=weights)
    line = LinearRegression().fit(table, numbers, sample_weight=weights).predict(table)
    assert_allclose(regressor.predict(table), line, atol=0.02)
    two = TorchRegressor(from_zero(nn.Linear(4, 2)), **options).fit(
        table, np.column_stack([numbers, -numbers]), weights
    )
    assert_allclose(two.predict(table), np.column_stack([line, -line]), atol=0.02)


def test_weight_zero_removes_and_weight_two_repeats_where_all_rows_are_one_batch() -> None:
    weights = np.random.default_rng(0).integers(0, 3, 150)
    start = nn.Linear(4, 3).double()
    options: dict[str, Any] = {"max_epochs": 30, "batch_size": 500, "validation_fraction": 0.0, "learning_rate": 0.1}
    for balanced in (None, "balanced", {0: 2.0, 1: 1.0, 2: 0.5}):
        learner = TorchClassifier(start, class_weight=balanced, **options)
        weighted = learner.fit(X, Y, sample_weight=weights).predict_proba(X)
        repeated = learner.fit(np.repeat(X, weights, axis=0), np.repeat(Y, weights)).predict_proba(X)
        assert_allclose(weighted, repeated, rtol=1e-9)
    plain = TorchClassifier(start, **options).fit(X, Y).predict_proba(X)
    tilted = TorchClassifier(start, class_weight={0: 5.0, 1: 1.0, 2: 1.0}, **options).fit(X, Y).predict_proba(X)
    assert (tilted[:, 0] > plain[:, 0]).mean() > 0.9


def test_one_row_equals_many_rows_in_single_precision() -> None:
    model = TorchClassifier(random_state=0, max_epochs=3).fit(X, Y)
    alone = np.vstack([model.predict_proba(X[row : row + 1]) for row in range(0, 150, 7)])
    assert_allclose(alone, model.predict_proba(X)[::7], rtol=1e-5)


def test_certificates_conformal_sets_and_guards_hold_on_new_rows() -> None:
    rng = np.random.default_rng(0)
    table = rng.normal(size=(900, 4))
    labels = (table[:, 0] + 0.5 * rng.normal(size=900) > 0).astype(int)
    train, new, fresh = slice(0, 300), slice(300, 600), slice(600, 900)
    model = TorchClassifier(max_epochs=10, random_state=0).fit(table[train], labels[train])
    report = model.certify(table[new], labels[new])
    assert report["error"].check()
    wrong = np.mean(model.predict(table[new]) != labels[new])
    assert wrong < report["error"].value < wrong + 0.1
    with pytest.raises(certus.TrainingRowsError):
        model.certify(table[train], labels[train])
    sets = certus.conformal(model, table[new], labels[new], confidence=0.9).predict_set(table[fresh])
    assert sets[np.arange(300), labels[fresh]].mean() > 0.85
    guarded = certus.guard(model, table[new], labels[new], recall=0.8)
    assert guarded.flag(table[fresh])[labels[fresh] == 1].mean() > 0.8
