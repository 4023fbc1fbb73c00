"""Models that were interrupted, refitted in vain, saved with odd modules, or asked about rows in disguise."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

torch = pytest.importorskip("torch")

import certus
from certus.guarantees.records import CertusFileError
from certus.neural.deep import (
    ConvNetClassifier,
    RecursiveNetworkClassifier,
    Seq2Seq,
    SequenceClassifier,
    TorchClassifier,
    TorchRegressor,
)
from certus.neural.deep.training import Trainer

nn = torch.nn
RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(120, 4))
Y = (X[:, 0] + X[:, 1] > 0).astype(int)
IMAGES = RANDOM.normal(size=(60, 5, 5))
LABELS = (IMAGES.mean(axis=(1, 2)) > 0).astype(int)


@pytest.mark.parametrize("earlier", [False, True])
def test_what_ctrl_c_leaves_knows_its_training_rows(earlier: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    model = TorchClassifier(max_epochs=9, random_state=0)
    if earlier:
        model.fit(X + 5.0, Y)
    epoch = Trainer._epoch

    def pressed(self: Trainer, module: Any, device: Any, optimizers: Any, number: int) -> dict[str, float]:
        if number == 3:
            raise KeyboardInterrupt
        return epoch(self, module, device, optimizers, number)

    monkeypatch.setattr(Trainer, "_epoch", pressed)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, Y)
    assert model.n_iter_ == 2
    with pytest.raises(ValueError, match="the rows must not be those that TorchClassifier was trained on"):
        model.certify(X, Y)
    assert model.certify(X + 0.25, Y)["error"].kind == "probable"


@pytest.mark.parametrize(
    "bad",
    [
        {"X": 100 * IMAGES + 7, "y": LABELS[:9]},
        {"X": np.zeros((4, 3, 3)), "y": None},
        {"X": 3 * IMAGES + 2, "y": 1 - LABELS, "X_val": IMAGES[:2], "y_val": [5, 5]},
        {"X": 3 * IMAGES + 2, "y": LABELS, "sample_weight": np.full(60, -1.0)},
    ],
)
def test_a_refit_that_is_refused_leaves_the_model_as_it_was(bad: dict[str, Any]) -> None:
    model = ConvNetClassifier((4,), max_epochs=1, random_state=0).fit(IMAGES, LABELS)
    said = model.predict_proba(IMAGES)
    with pytest.raises(ValueError, match="\\n"):
        model.fit(**bad)
    assert_array_equal(model.predict_proba(IMAGES), said)
    with pytest.raises(ValueError, match="the rows must not be those"):
        model.certify(IMAGES, LABELS)


def test_a_seed_that_a_refused_fit_drew_is_not_used_again() -> None:
    words = ["ab", "ba", "abb"] * 4
    model = Seq2Seq(width=4, max_epochs=1, device="nonsense", random_state=1)
    with pytest.raises(ValueError, match="device must be"):
        model.fit(words, words)
    model.set_params(device="cpu", random_state=0).fit(words, words)
    fresh = Seq2Seq(width=4, max_epochs=1, device="cpu", random_state=0).fit(words, words)
    assert model.loss_curve_ == fresh.loss_curve_


def test_a_layer_in_several_places_is_saved_in_all_of_them(tmp_path: Path) -> None:
    bent = nn.Tanh()
    module = nn.Sequential(nn.Linear(4, 8), bent, nn.Linear(8, 8), bent, nn.Linear(8, 2))
    model = TorchClassifier(module, max_epochs=2, random_state=0).fit(X, Y)
    certus.save(model, tmp_path / "model.certus")
    assert_array_equal(certus.load(tmp_path / "model.certus").predict_proba(X), model.predict_proba(X))


def test_a_module_in_double_precision_is_saved_as_such(tmp_path: Path) -> None:
    module = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1)).double()
    model = TorchRegressor(module, max_epochs=2, random_state=0).fit(X, X[:, 0])
    certus.save(model, tmp_path / "model.certus")
    again = certus.load(tmp_path / "model.certus")
    assert_array_equal(again.predict(X), model.predict(X))
    assert again.fit(X, X[:, 0]).weights_["0.weight"].dtype == np.float64


def shared() -> Any:
    layer = nn.Linear(4, 4)
    return nn.Sequential(layer, nn.ReLU(), layer, nn.Linear(4, 2))


def hooked() -> Any:
    module = nn.Sequential(nn.Linear(4, 2))
    module[0].register_forward_hook(lambda layer, given, found: -found)
    return module


@pytest.mark.parametrize(("make", "why"), [(shared, "in several places"), (hooked, "with a hook")])
def test_a_module_that_a_file_cannot_rebuild_is_not_saved(make: Any, why: str, tmp_path: Path) -> None:
    model = TorchClassifier(make(), max_epochs=1, random_state=0).fit(X, Y)
    with pytest.raises(CertusFileError, match=why):
        certus.save(model, tmp_path / "model.certus")


def test_tokens_that_are_equal_make_the_same_training_rows() -> None:
    numbers = [tuple(row) for row in RANDOM.integers(0, 9, size=(60, 3)).tolist()]
    disguised = [tuple(map(Fraction, row)) for row in numbers]
    model = Seq2Seq(width=4, max_epochs=1, random_state=0).fit(numbers, numbers)
    with pytest.raises(ValueError, match="the rows must not be those"):
        model.certify(disguised, numbers)
    labels = [row[0] > 4 for row in numbers]
    trees = RecursiveNetworkClassifier(4, max_epochs=1, random_state=0).fit(
        [((a, b), c) for a, b, c in numbers], labels
    )
    with pytest.raises(ValueError, match="the rows must not be those"):
        trees.certify([((a, b), c) for a, b, c in disguised], labels)


@pytest.mark.parametrize("own_validation", [False, True])
def test_examples_of_weight_0_are_as_if_they_were_not_there(own_validation: bool) -> None:
    weights, more = np.r_[np.ones(60), np.zeros(20)], np.r_[LABELS, np.zeros(20, int)]
    given: dict[str, Any] = {"X_val": IMAGES[:9], "y_val": LABELS[:9]} if own_validation else {}
    model = ConvNetClassifier((4,), max_epochs=2, random_state=0)
    alone = model.fit(IMAGES, LABELS, np.ones(60), **given).weights_
    model.fit(np.concatenate([IMAGES, np.full((20, 5, 5), 1e6)]), more, weights, **given)
    assert all(np.array_equal(model.weights_[name], alone[name]) for name in alone)
    assert_array_equal(model.channel_mean_, IMAGES.mean())
    series = SequenceClassifier("gru", hidden_units=4, max_epochs=2, random_state=0)
    given = {"X_val": X[:9], "y_val": Y[:9]} if own_validation else {}
    alone = series.fit(list(X[:60]), Y[:60], np.ones(60), **given).weights_
    series.fit([*X[:60], *np.full((20, 4), 1e6)], np.r_[Y[:60], np.zeros(20, int)], weights, **given)
    assert all(np.array_equal(series.weights_[name], alone[name]) for name in alone)


def test_weights_of_classes_that_leave_nothing_are_refused() -> None:
    with pytest.raises(ValueError, match="some weights must be above 0"):
        TorchClassifier(class_weight={0: 0, 1: 0}).fit(X, Y)


def test_an_offset_of_images_changes_little() -> None:
    scores = [
        ConvNetClassifier((4,), max_epochs=2, random_state=0).fit(shown, LABELS).loss_curve_[-1]
        for shown in (IMAGES, IMAGES + 1e9)
    ]
    assert scores[0] == pytest.approx(scores[1], rel=1e-3)


def test_a_program_with_other_defaults_gets_the_same_models(tmp_path: Path) -> None:
    usual = SequenceClassifier("transformer", hidden_units=4, max_epochs=1, random_state=0).fit(list(X), Y)
    certus.save(usual, tmp_path / "model.certus")
    torch.set_default_dtype(torch.float64)
    try:
        with torch.no_grad():
            model = SequenceClassifier("transformer", hidden_units=4, max_epochs=1, random_state=0).fit(list(X), Y)
        assert_array_equal(model.predict_proba(list(X)), usual.predict_proba(list(X)))
        assert_array_equal(certus.load(tmp_path / "model.certus").predict_proba(list(X)), usual.predict_proba(list(X)))
        assert torch.get_default_dtype() is torch.float64
    finally:
        torch.set_default_dtype(torch.float32)
