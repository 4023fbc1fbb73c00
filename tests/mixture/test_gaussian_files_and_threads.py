"""Mixtures of Gaussians: equal bits for any number of threads, and files that were changed."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import certus
from certus.mixture import GaussianMixture
from certus.mixture.learning.gaussians import KINDS
from tests.persistence.forging import Forgery, npy

pytestmark = pytest.mark.filterwarnings("ignore:Best performing initialization did not converge")


@pytest.mark.parametrize("kind", KINDS)
def test_threads_do_not_change_a_bit(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6000, 7)) + 3.0 * rng.integers(0, 3, (6000, 1))
    X[rng.random(6000) < 0.3, 2] = np.nan
    found = []
    for threads in ("1", "3"):
        monkeypatch.setenv("OMP_NUM_THREADS", threads)
        model = GaussianMixture(4, covariance_type=kind, random_state=0, max_iter=8).fit(X)
        found.append((model.means_, model.covariances_, model.history_, model.score_samples(X)))
    for one, other in zip(*found, strict=True):
        assert_array_equal(one, other)


def changed(model: GaussianMixture, path: Path, name: str, values: np.ndarray) -> Path:
    """The file of a model with another array in place of an attribute."""
    forged = Forgery(model)
    member = forged.manifest["model"]["state"][name]["member"]
    assert np.load(io.BytesIO(forged.members[member])).shape == getattr(model, name).shape
    forged.members[member] = npy(np.ascontiguousarray(values), version=(1, 0))
    return forged.write(path)


@pytest.mark.parametrize("kind", KINDS)
def test_changed_files_are_refused(kind: str, tmp_path: Path) -> None:
    X = np.random.default_rng(1).normal(size=(60, 3))
    model = GaussianMixture(2, covariance_type=kind, random_state=0).fit(X)
    path = tmp_path / "model.certus"
    certus.save(model, path)
    assert_array_equal(certus.load(path).score_samples(X), model.score_samples(X))
    cases = {
        "weights_": [model.weights_[:1], model.weights_ * 2.0, model.weights_ * np.array([-1.0, 1.0]), np.ones(2, int)],
        "means_": [model.means_[:, :2], np.full((2, 3), np.nan)],
        "covariances_": [-model.covariances_, model.covariances_ * 0.0, model.covariances_ * 9.0],
        "precisions_cholesky_": [model.precisions_cholesky_ * 2.0, np.full_like(model.precisions_cholesky_, np.inf)],
    }
    for name, wrong in cases.items():
        for values in wrong:
            with np.errstate(invalid="ignore"), pytest.raises(certus.CertusFileError):
                certus.load(changed(model, path, name, values))
