"""Convolutional networks for images: forms of images, what they learn, what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_digits

torch = pytest.importorskip("torch")

import certus
from certus.linear import LogisticRegression
from certus.neural.deep import ConvNetClassifier

IMAGES, Y = load_digits().images, load_digits().target
SMALL: dict[str, Any] = {"hidden_units": 16, "max_epochs": 2, "learning_rate": 0.01, "random_state": 0}


def test_digits_are_read_better_than_by_a_linear_model_where_they_move() -> None:
    """Digits of 8 x 8 somewhere on a ground of 12 x 12."""
    rng = np.random.default_rng(0)
    grounds = np.zeros((1200, 12, 12))
    for place, image in enumerate(IMAGES[:1200]):
        down, right = rng.integers(0, 5, 2)
        grounds[place, down : down + 8, right : right + 8] = image
    train, test = slice(0, 800), slice(800, 1200)
    model = ConvNetClassifier((8, 16), hidden_units=32, max_epochs=12, learning_rate=0.01, random_state=0)
    model.fit(grounds[train], Y[train])
    flat = grounds.reshape(1200, -1)
    linear = LogisticRegression(C=0.01).fit(flat[train], Y[train])
    assert model.score(grounds[test], Y[test]) > linear.score(flat[test], Y[test]) + 0.1
    report = model.certify(grounds[test], Y[test])
    wrong = 1.0 - model.score(grounds[test], Y[test])
    assert wrong < report["error"].value < wrong + 0.06
    assert report["error"].check()
    with pytest.raises(certus.TrainingRowsError):
        model.certify(grounds[train], Y[train])


def test_forms_of_images() -> None:
    images, y = IMAGES[:200], Y[:200]
    first = ConvNetClassifier((4,), **SMALL).fit(images, y)
    for given in (images[..., None], list(images), images.astype(np.uint8), np.asfortranarray(images), images.tolist()):
        again = clone(first).fit(given, y)
        assert_allclose(again.predict_proba(given), first.predict_proba(images), rtol=1e-4, atol=1e-6)
    colored = np.stack([images, -images, 3.0 * images], axis=-1)
    model = clone(first).fit(colored, y)
    assert model.image_shape_ == (8, 8, 3)
    assert_allclose(model.channel_mean_, [images.mean(), -images.mean(), 3.0 * images.mean()])
    assert_allclose(model.channel_scale_, images.std() * np.array([1.0, 1.0, 3.0]))


@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (2, 3), (30, 17), (64, 64)])
def test_images_of_any_size(shape: tuple[int, int]) -> None:
    images = np.random.default_rng(0).normal(size=(24, *shape))
    model = ConvNetClassifier((3, 4), **SMALL).fit(images, np.arange(24) % 2)
    assert model.predict_proba(images).shape == (24, 2)


def test_pictures_that_cannot_be() -> None:
    images, y = IMAGES[:60], Y[:60]
    unequal = [*images[:59], images[59][:7]]
    with pytest.raises(ValueError, match=r"one shape, got \(8, 8\) at place 0 and \(7, 8\) at place 59.\nHint: crop"):
        ConvNetClassifier(**SMALL).fit(unequal, y)
    with pytest.raises(ValueError, match=r"\(n, height, width\).*got the shape \(60, 64\).\nHint: X.reshape"):
        ConvNetClassifier(**SMALL).fit(images.reshape(60, -1), y)
    with pytest.raises(ValueError, match=r"Input X contains NaN"):
        ConvNetClassifier(**SMALL).fit(np.where(images == images.max(), np.nan, images), y)
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        ConvNetClassifier(**SMALL).fit([], [])
    with pytest.raises(ValueError, match="kernel_size must be odd, got 4"):
        ConvNetClassifier(kernel_size=4, **SMALL).fit(images, y)
    with pytest.raises(ValueError, match="channels must be positive whole numbers"):
        ConvNetClassifier((8, 0), **SMALL).fit(images, y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        ConvNetClassifier(**SMALL).fit(images, y[:-1])
    model = ConvNetClassifier((3,), **SMALL).fit(images, y)
    with pytest.raises(ValueError, match=r"fitted to images of the shape \(8, 8, 1\), got \(8, 7, 1\).\nHint"):
        model.predict(images[:, :, :7])


def test_saved_and_loaded(tmp_path: Path) -> None:
    names = np.array([f"digit {digit}" for digit in Y[:200]])
    model = ConvNetClassifier((4, 4), **SMALL, checkpoint=tmp_path / "run").fit(IMAGES[:200], names)
    certus.save(model, tmp_path / "model.certus")
    again = certus.load(tmp_path / "model.certus")
    assert_array_equal(again.predict_proba(IMAGES), model.predict_proba(IMAGES))
    assert_array_equal(again.predict(IMAGES[:5]), model.predict(IMAGES[:5]))
    assert again.checkpoint is None  # a file says nothing of folders
    for change in ({"channels": (4, 5)}, {"hidden_units": 17}, {"channels": "many"}):
        forged = clone(model).fit(IMAGES[:200], names).set_params(**change)
        certus.save(forged, tmp_path / "forged.certus")
        with pytest.raises(certus.CertusFileError, match="does not fit together"):
            certus.load(tmp_path / "forged.certus")


def test_weights_of_classes_and_images() -> None:
    """Images whose labels say nothing: the shares of the labels decide, as they are weighted."""
    rng = np.random.default_rng(0)
    images, y = rng.normal(size=(300, 4, 4)), (rng.random(300) < 0.2).astype(int)
    options = {**SMALL, "max_epochs": 4, "weight_decay": 1.0}
    shares = {}
    for name, model in {
        "plain": ConvNetClassifier((2,), **options).fit(images, y),
        "balanced": ConvNetClassifier((2,), class_weight="balanced", **options).fit(images, y),
        "weights": ConvNetClassifier((2,), **options).fit(images, y, sample_weight=np.where(y == 1, 4.0, 1.0)),
        "without": ConvNetClassifier((2,), **options).fit(images, y, sample_weight=(y == 0).astype(float)),
    }.items():
        shares[name] = float(model.predict_proba(images)[:, 1].mean())
    assert shares["without"] < 0.1 < shares["plain"] < 0.3
    assert 0.4 < shares["balanced"] < 0.6
    assert 0.4 < shares["weights"] < 0.6
