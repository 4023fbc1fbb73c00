"""Learners whose settings are in the target's units see a scaled one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import certus
from certus.svm import SVR
from certus.workflow import study
from certus.workflow.models.scaled_target import ScaledTarget

RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 3))
Y = np.sin(X[:, 0]) + 0.1 * RNG.normal(size=200)


@pytest.mark.parametrize(("factor", "shift"), [(1e-4, 0.0), (1e6, 3e7), (1.0, -5.0)])
def test_answers_follow_the_units(factor: float, shift: float) -> None:
    plain, scaled = ScaledTarget(SVR()).fit(X, Y), ScaledTarget(SVR()).fit(X, shift + factor * Y)
    np.testing.assert_allclose(scaled.predict(X), shift + factor * plain.predict(X), rtol=1e-5, atol=1e-3 * factor)


def test_a_constant_target_is_answered() -> None:
    np.testing.assert_allclose(ScaledTarget(SVR()).fit(X, np.full(200, 7.0)).predict(X), 7.0)


def test_a_study_of_tiny_numbers_learns_with_machines(tmp_path: Path) -> None:
    """Without scaling, a tube of 0.1 would swallow every target."""
    frame = pl.DataFrame({**{f"x{k}": X[:, k] for k in range(3)}, "y": 1e-3 * Y})
    result = study(frame, target="y", families=["svm"], trials=2)
    assert result.winner.value < 0.5 * result.baseline
    folder = result.save(tmp_path / "out")
    again = certus.load(folder / "model.certus")
    np.testing.assert_array_equal(again.predict(frame), result.best.predict(frame))
    assert certus.check(folder / "model.certus")
