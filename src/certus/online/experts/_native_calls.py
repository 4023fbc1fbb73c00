"""The one place of the experts that calls compiled code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus import _native

Floats = NDArray[np.float64]


@dataclass
class ForecastArrays:
    """What a forecaster remembers, changed in place by the compiled loops (see cpp/online/forecast.hpp)."""

    losses: Floats
    weights: Floats
    aside: Floats
    best: Floats
    sums: Floats

    def parts(self) -> tuple[Floats, Floats, Floats, Floats, Floats]:
        """In the order of the compiled calls."""
        return self.losses, self.weights, self.aside, self.best, self.sums


def forecast_rule(**settings: Any) -> _native.ForecastRule:
    """The settings as the compiled loops read them."""
    return _native.ForecastRule(**settings)


def predict_advice(advice: Floats, rule: _native.ForecastRule, arrays: ForecastArrays) -> Floats:
    """Predictions for rows of advice, with the weights as they are."""
    predictions = np.zeros(len(advice))
    _native.predict_advice(advice, rule, *arrays.parts(), predictions)
    return predictions


def learn_advice(
    advice: Floats, labels: Floats, rule: _native.ForecastRule, arrays: ForecastArrays
) -> tuple[Floats, int]:
    """Predictions made before each label, and how many trials could be learned."""
    predictions = np.zeros(len(advice))
    return predictions, _native.learn_advice(advice, labels, rule, *arrays.parts(), predictions)


def hedge_weights(losses: Floats, eta: float) -> Floats:
    """exp(-eta losses), normalized; equal weights of the leaders for an infinite eta."""
    weights = np.empty(len(losses))
    _native.hedge_weights(losses, eta, weights)
    return weights


def run_hedge(trials: Floats, eta: float, low: float, losses: Floats, sums: Floats) -> Floats:
    """What Hedge pays in each trial."""
    paid = np.zeros(len(trials))
    _native.run_hedge(trials, eta, low, losses, sums, paid)
    return paid


def run_ada_hedge(trials: Floats, losses: Floats, sums: Floats) -> Floats:
    """What AdaHedge pays in each trial."""
    paid = np.zeros(len(trials))
    _native.run_ada_hedge(trials, losses, sums, paid)
    return paid


def squint_weights(regrets: Floats, variances: Floats, rates: Floats, prior: Floats) -> Floats:
    """The weights that Squint plays next."""
    weights = np.empty(len(regrets))
    _native.squint_weights(regrets, variances, rates, prior, weights)
    return weights


def run_squint(
    trials: Floats, scale: float, moments: tuple[Floats, Floats], grid: tuple[Floats, Floats], sums: Floats
) -> Floats:
    """What Squint pays in each trial."""
    paid = np.zeros(len(trials))
    _native.run_squint(trials, scale, *moments, *grid, sums, paid)
    return paid


def run_votes(advice: Floats, labels: Floats, eta: float, mistakes: NDArray[np.int64]) -> Floats:
    """Share of the weight that votes for 1 in each trial; mistakes are counted where there are labels."""
    chances = np.zeros(len(advice))
    _native.run_votes(advice, labels, eta, mistakes, chances)
    return chances
