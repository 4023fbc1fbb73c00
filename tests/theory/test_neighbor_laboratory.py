"""Neighbors: consistency, many dimensions, idle columns; risks of rules when the law is known."""

from __future__ import annotations

import numpy as np
import pytest

from certus.theory import (
    bayes_error,
    class_chance,
    distance_contrast,
    excess_risk,
    half_ball_share,
    idle_column_errors,
    neighbor_consistency,
    neighbor_limit,
    plug_in_bound,
    risk,
)


def line(x):
    return 0.2 + 0.6 * x


def test_growing_k_reaches_the_least_error() -> None:
    """k = sqrt(n): .374 at n = 200 and .3559 at n = 5000; the least error is .35."""
    found = neighbor_consistency(line, (200, 5000), tables=120, seed=1)
    for error, deviation, expected in zip(found.errors, found.deviations, (0.374, 0.3559), strict=True):
        assert abs(error - expected) < 4 * deviation + 0.0006
    assert found.errors[1] > 0.35


@pytest.mark.slow
def test_growing_k_with_many_rows() -> None:
    found = neighbor_consistency(line, (50_000,), tables=40, seed=2)
    assert abs(found.errors[0] - 0.3519) < 4 * found.deviations[0] + 0.0004


def test_a_fixed_k_does_not() -> None:
    found = neighbor_consistency(line, (4000,), neighbors=lambda n: 1, tables=40)
    assert abs(found.errors[0] - neighbor_limit(line, 1)) < 5 * found.deviations[0] + 0.002


@pytest.mark.parametrize("threshold", [0.0, 0.3, 0.5, 0.9])
def test_excess_risk_is_the_difference(threshold: float) -> None:
    def rule(x: float) -> float:
        return float(x >= threshold)

    assert excess_risk(line, rule) == pytest.approx(risk(line, rule) - bayes_error(line), abs=1e-4)


def test_tossing_a_coin_risks_one_half() -> None:
    assert risk(line, lambda x: 0.5) == pytest.approx(0.5)
    assert risk(lambda x: x**3, lambda x: 0.5) == pytest.approx(0.5)


@pytest.mark.parametrize("shift", [-0.4, -0.1, 0.0, 0.05, 0.3])
def test_plug_in_rules_risk_no_more_than_their_bound(shift: float) -> None:
    def estimate(x: float) -> float:
        return line(x) + shift * np.sin(7 * x)

    excess = excess_risk(line, lambda x: float(estimate(x) >= 0.5))
    assert excess <= plug_in_bound(line, estimate) + 1e-9


def test_the_bound_of_plug_in_rules_is_reached() -> None:
    assert excess_risk(lambda x: 0.4, lambda x: 1.0) == pytest.approx(plug_in_bound(lambda x: 0.4, lambda x: 0.5))


def test_chances_from_densities() -> None:
    eta = class_chance(lambda x: np.exp(-(x**2) / 2), lambda x: np.exp(-((x - 1) ** 2) / 2), 0.3)
    assert eta(0.5) == pytest.approx(0.3)
    assert eta(0.5 + np.log(7 / 3)) == pytest.approx(0.5)
    assert class_chance(lambda x: 0.0, lambda x: 0.0)(1.0) == 0.5


def test_many_dimensions() -> None:
    assert half_ball_share(10) == pytest.approx(9.77e-4, rel=1e-3)
    assert half_ball_share(100) == pytest.approx(7.9e-31, rel=2e-3)
    rng = np.random.default_rng(0)
    points = rng.normal(size=(20_000, 3))
    points *= (rng.random(20_000) ** (1 / 3) / np.linalg.norm(points, axis=1))[:, None]
    assert np.mean(np.linalg.norm(points, axis=1) <= 0.5) == pytest.approx(half_ball_share(3), abs=0.01)
    contrasts = [distance_contrast(d) for d in (2, 10, 100, 1000)]
    assert contrasts == sorted(contrasts, reverse=True)


def test_idle_columns_and_scales_hide_what_matters() -> None:
    errors = idle_column_errors((0, 2, 10, 50), seed=1)
    assert list(errors) == sorted(errors)
    assert idle_column_errors((2,), scale=10.0)[0] > idle_column_errors((2,), scale=0.01)[0] + 0.2
