"""A posterior over networks that is certified without rows held out from training.

A share of the rows trains the prior network w0; the posterior is N(w0 + t (w - w0), s^2 I) for the network w that all
rows train from there. PAC-Bayes-kl on the other rows holds for every t at once and, paid for, for every s of a list; t
and s are chosen by few draws, the risk then comes from new ones, whose error is paid for too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.guarantees import Certificate, Quantity, Report, pac_bayes_gaussian
from certus.guarantees.holdout import RateSetting, rate_bound
from certus.neural.engine import NetworkEngine
from certus.neural.learning.training_data import TrainingData

SCALES = tuple(float(10.0**exponent) for exponent in np.linspace(-4.0, -0.5, 8))
STEPS = (0.0, 0.1, 0.25, 0.5, 0.75, 1.0)
TRIES, DRAWS = 20, 1000  # networks drawn to choose, and to estimate the risk of the chosen
MOST_ROWS = 2000  # on which each is tried

Errors = Any  # a function of (engine, rows) -> array of bool


@dataclass(frozen=True)
class Posterior:
    """The chosen posterior, and the certificates that go with it."""

    scale: float
    step: float
    report: Report


def split_prior(data: TrainingData, share: float, seed: int) -> tuple[TrainingData, NDArray[np.int64]]:
    """The rows that train the prior, and the positions of the others; drawn without looking at the rows."""
    total = int(data.X.shape[0])  # rows of classes of weight 0 teach nothing, but their errors count
    order = np.random.default_rng([seed, 1]).permutation(total).astype(np.int64)
    first = round(share * total)
    learned = np.sort(order[:first])
    if data.rows is not None:
        learned = learned[np.isin(learned, data.rows)]
    if min(len(learned), total - first) < 2:
        raise ValueError(
            f"prior_fraction={share!r} of {total} rows leaves fewer than two for the prior or for the bound.\n"
            "Hint: use more rows, or prior_fraction=0.5."
        )
    return data.part(learned), np.sort(order[first:])


def certify_posterior(
    engine: NetworkEngine,
    prior: NDArray[Any],
    rows: NDArray[np.int64],
    errors: Errors,
    *,
    confidence: float,
    seed: int,
) -> Posterior:
    """Choose the posterior between prior and trained network and bound its risk.

    ``errors(engine, rows)`` tells for rows of the table whether the engine is wrong. The engine is left at the mean of
    the posterior.
    """
    trained = engine.parameters.copy()
    random = np.random.default_rng([seed, 2])

    def center(step: float) -> NDArray[Any]:
        return prior + (trained - prior) * engine.dtype.type(step)

    def risk(mean: NDArray[Any], scale: float, draws: int) -> float:
        risks = np.empty(draws)
        for place in range(draws):
            engine.parameters[:] = mean + scale * random.standard_normal(len(mean))
            some = rows if len(rows) <= MOST_ROWS else random.choice(rows, MOST_ROWS, replace=False)
            risks[place] = errors(engine, some).mean()
        return float(risks.mean())

    def bound(found: float, draws: int, mean: NDArray[Any], scale: float) -> Certificate:
        # The draws are around the stored mean; its distance is computed in double and raised by its roundings.
        apart = float(np.linalg.norm(mean.astype(np.float64) - prior.astype(np.float64))) * (1.0 + 1e-9)
        return pac_bayes_gaussian(found, draws, apart, scale, len(rows), confidence, scales=len(SCALES))

    tried = []
    for step in STEPS:
        for scale in SCALES:
            mean = center(step)
            tried.append((bound(risk(mean, scale, TRIES), DRAWS, mean, scale).single_value, step, scale))
    _, step, scale = min(tried)
    mean = center(step)
    certificate = bound(risk(mean, scale, DRAWS), DRAWS, mean, scale)
    engine.parameters[:] = prior
    wrong = int(errors(engine, rows).sum())
    setting = RateSetting(confidence=confidence, quantity=Quantity("error", of="the prior network"))
    beside = rate_bound(wrong, len(rows), setting)
    engine.parameters[:] = mean
    return Posterior(scale, step, Report([certificate, beside]))
