"""Random damage: a changed file is refused, or what was changed did not matter; nothing else ever happens."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

import certus
from certus.bayes import GaussianNB
from certus.guarantees import Report, error_bound
from tests.persistence.forging import saved_bytes


def pipeline() -> Pipeline:
    X = np.random.default_rng(0).normal(size=(30, 3))
    columns = ColumnTransformer([("a", make_pipeline(SimpleImputer(), StandardScaler()), [0, 1])])
    model = make_pipeline(columns, GaussianNB()).fit(X, np.where(X[:, 0] > 0, "yes", "no"))
    model.report_ = Report([error_bound(2, 30)])
    return model


def survives(content: bytes, original: bytes, path: Path) -> bool:
    """Whether the changed file still loads; then it must be the same model."""
    path.unlink(missing_ok=True)  # emptying a file in place makes some file systems wait for the disk
    path.write_bytes(content)
    try:
        model = certus.load(path)
    except certus.CertusFileError:
        return False
    assert saved_bytes(model) == original
    return True


def damage(rounds: int, seed: int, path: Path) -> None:
    rng = np.random.default_rng(seed)
    original = saved_bytes(pipeline())
    loaded = 0
    for _ in range(rounds):
        content = bytearray(original)
        kind = rng.integers(4)
        place = int(rng.integers(len(content)))
        if kind == 0:  # one bit
            content[place] ^= 1 << int(rng.integers(8))
        elif kind == 1:  # a few bytes
            for _ in range(int(rng.integers(1, 6))):
                content[int(rng.integers(len(content)))] = int(rng.integers(256))
        elif kind == 2:  # a block removed or doubled
            end = place + int(rng.integers(1, 200))
            content[place:end] = content[place:end] * int(rng.choice([0, 2]))
        else:  # cut off
            del content[place:]
        loaded += survives(bytes(content), original, path)
    assert loaded < rounds / 2


def test_random_damage(tmp_path: Path) -> None:
    damage(600, 0, tmp_path / "model.certus")


def test_every_byte_of_the_directory(tmp_path: Path) -> None:
    """The end of a zip steers how all of it is read."""
    original = saved_bytes(pipeline())
    start = original.index(b"PK\x01\x02")
    for place in range(start, len(original), 3):
        content = bytearray(original)
        content[place] ^= 0xFF
        survives(bytes(content), original, tmp_path / "model.certus")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 4))
def test_much_random_damage(seed: int, tmp_path: Path) -> None:
    damage(10_000, seed, tmp_path / "model.certus")
