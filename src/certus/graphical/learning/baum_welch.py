"""Rounds of expectation and maximization (Baum, Petrie, Soules, Weiss 1970; Dempster, Laird, Rubin 1977)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from certus.base import Iterations
from certus.graphical import _native_calls
from certus.graphical.convergence_monitor import ConvergenceMonitor
from certus.graphical.sequences.sequence_input import SequenceBatch

if TYPE_CHECKING:
    from certus.graphical.learning.hidden_markov_model import HiddenMarkovModel

Floats = NDArray[np.float64]
Statistics = dict[str, Floats]


@dataclass
class Run:
    """What one start led to.

    Parameters
    ----------
    objective : list of float
        Log-likelihood plus log prior before every update, and at the end.
    parameters : dict
        The fitted attributes.
    monitor : ConvergenceMonitor
        The rounds.
    """

    monitor: ConvergenceMonitor
    objective: list[float] = field(default_factory=list)
    parameters: dict[str, Any] = field(default_factory=dict)


def learn(
    model: HiddenMarkovModel, batches: Iterable[SequenceBatch], monitor: ConvergenceMonitor, iterations: Iterations
) -> Run:
    """Improve the model's present parameters until a round gains less than ``tol``, at most ``n_iter`` rounds."""
    run = Run(monitor)
    for _ in range(model.n_iter):
        likelihood, statistics = expectation(model, batches)
        run.objective.append(_finite(likelihood + model._log_prior()))
        model._maximize(statistics)
        monitor.report(likelihood)
        if iterations.step(objective=-run.objective[-1]) or monitor.converged:
            break
    run.objective.append(_finite(log_likelihood(model, batches) + model._log_prior()))
    run.parameters = model._fitted_parameters()
    return run


def expectation(model: HiddenMarkovModel, batches: Iterable[SequenceBatch]) -> tuple[float, Statistics]:
    """Log-likelihood and expected statistics under the present parameters, summed over the batches."""
    total, sums = 0.0, Statistics()
    start, transitions = model._chain()
    for batch in batches:
        found = _native_calls.expect_states(
            start, transitions, batch.begins, model._log_densities(batch), batch.weights
        )
        total += _summed(found.likelihood, batch)
        for name, value in {
            "starts": found.first,
            "pairs": found.pairs,
            **model._emission_statistics(batch.rows, found.posterior),
        }.items():
            sums[name] = sums[name] + value if name in sums else value
    return total, sums


def log_likelihood(model: HiddenMarkovModel, batches: Iterable[SequenceBatch]) -> float:
    """Log-likelihood of all sequences under the present parameters."""
    start, transitions = model._chain()
    return sum(
        _summed(_native_calls.likelihoods(start, transitions, batch.begins, model._log_densities(batch)), batch)
        for batch in batches
    )


def _summed(likelihood: Floats, batch: SequenceBatch) -> float:
    if not (likelihood > -np.inf).all():
        refuse_impossible(likelihood)
    return float(likelihood @ batch.weights if len(batch.weights) else likelihood.sum())


def refuse_impossible(likelihood: Floats) -> None:
    """Say which sequence has the probability 0, if one has."""
    bad = np.flatnonzero(~(likelihood > -np.inf))
    if len(bad):
        raise ValueError(
            f"Sequence {int(bad[0])} has the probability 0 under the model: no path of states with possible "
            "transitions emits its rows.\n"
            "Hint: check zeros in startprob_, transmat_ and the emissions, and known states in y."
        )


def _finite(value: float) -> float:
    if not np.isfinite(value):
        raise ValueError(
            f"The likelihood must stay finite, got {value}.\n"
            "Hint: a state may have collapsed onto a few equal rows; raise the prior or lower n_components."
        )
    return value
