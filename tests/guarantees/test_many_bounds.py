"""Many bounds at once are the bounds one by one, in one record, each checkable."""

from __future__ import annotations

import json

import numpy as np
import pytest

from certus.guarantees import error_bound, mean_bound
from certus.guarantees.records import Bounds, CertificateError
from certus.verbs import select

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("side", ["upper", "lower", "both"])
@pytest.mark.parametrize("uses", [1, 12, 10**40, 10**320])
def test_counts_at_once(side: str, uses: int) -> None:
    rows = np.array([1, 1, 7, 7, 7, 500, 500, 10**6, 10**6])
    errors = np.array([0, 1, 0, 3, 7, 15, 499, 0, 123_456])
    bounds = error_bound(errors, rows, side=side, uses=uses)
    assert isinstance(bounds, Bounds)
    assert len(bounds) == len(list(bounds)) == 9
    alone = [error_bound(int(k), int(n), side=side, uses=uses) for k, n in zip(errors, rows, strict=True)]
    np.testing.assert_allclose(bounds.values, [one.value for one in alone], rtol=1e-12)
    for one, many in zip(alone, bounds, strict=True):
        assert (many.rule, many.witness, many.assumptions) == (one.rule, one.witness, one.assumptions)
    assert bounds.check()
    json.dumps(bounds.to_dict(), allow_nan=False)


@pytest.mark.parametrize("method", ["kl", "hoeffding"])
def test_other_methods_of_counts(method: str) -> None:
    bounds = error_bound(np.arange(5), 50, method=method)
    assert bounds.values.tolist() == [error_bound(k, 50, method=method).value for k in range(5)]
    assert bounds.check()


@pytest.mark.parametrize("method", ["auto", "star", "hoeffding", "kl", "hoeffding-bentkus", "empirical-bernstein"])
@pytest.mark.parametrize("side", ["upper", "both"])
def test_means_at_once(method: str, side: str) -> None:
    losses = RNG.beta(1, 5, size=(60, 4)) * 3 - 1
    options = {"low": -1.0, "high": 2.0, "method": method, "side": side, "seed": 3}
    bounds = mean_bound(losses, **options)
    for place, one in enumerate(bounds):
        alone = mean_bound(losses[:, place], **options)
        np.testing.assert_allclose(one.value, alone.value, rtol=1e-9, atol=3e-9)  # the range is 3
        assert (one.rule, one.witness, one.inputs) == (alone.rule, alone.witness, alone.inputs)
        np.testing.assert_array_equal(np.asarray(one.value), bounds.values[place])
    assert bounds.check()
    json.dumps(bounds.to_dict(), allow_nan=False)


def test_a_changed_bound_is_noticed() -> None:
    bounds = error_bound(np.arange(5), 50)
    bounds.values[2] *= 0.9
    with pytest.raises(CertificateError):
        bounds.check()


def test_bad_counts_and_losses() -> None:
    with pytest.raises(ValueError, match=r"errors must be at most rows \(5\), got 6"):
        error_bound([1, 6], 5)
    with pytest.raises(ValueError, match=r"errors must be a whole number of at least 0, got 0\.5"):
        error_bound(np.array([0.5]), 5)
    with pytest.raises(ValueError, match="vectors of counts"):
        error_bound(np.zeros((2, 2), int), 5)
    with pytest.raises(ValueError, match="must lie in the declared range"):
        mean_bound(np.array([[0.5, 2.0]]))


def test_select_bounds_every_candidate() -> None:
    truth = np.zeros(200, dtype=int)
    guesses = {f"model {k}": np.where(np.arange(200) < k, 1, 0) for k in (15, 40, 90)}
    found = select(guesses, y=truth)
    assert found.bounds[0] == found.certificate
    assert found.bounds.values.shape == (3,)
    numbers = {name: guess.astype(float) for name, guess in guesses.items()}
    by_loss = select(numbers, y=truth.astype(float), loss="absolute", loss_range=(0, 1))
    assert by_loss.bounds[0] == by_loss.certificate
    assert by_loss.bounds.check()
