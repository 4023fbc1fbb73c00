"""Posteriors from drawn rows: rejection, likelihood weighting, and Gibbs sampling."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.distributions import Factor
from certus.evaluation import ess, rhat
from certus.graphical import _native_calls
from certus.graphical.evidence.estimated_posterior import estimate_certificate
from certus.graphical.evidence.sampled_posterior import rejection_certificate, weighting_certificate
from certus.graphical.networks.inference.answers import Posterior
from certus.graphical.networks.inference.evidence_input import Evidence

Floats = NDArray[np.float64]
Rows = NDArray[np.int32]
_CHAINS = 4


def sampled(
    network: Any, targets: list[int], evidence: Evidence, method: str, count: int, confidence: float, seed: int
) -> Posterior:
    """P(targets | evidence) from drawn rows."""
    if method == "rejection":
        return _rejection(network, targets, evidence, count, confidence, seed)
    if method == "weighting":
        return _weighting(network, targets, evidence, count, confidence, seed)
    return _gibbs(network, targets, evidence, count, seed)


def _drawn(network: Any, count: int, seed: int) -> Rows:
    return _native_calls.draw_network_rows(network._arrays, np.array(network._dag.order, dtype=np.int64), count, seed)


def _cells(network: Any, targets: list[int], rows: Rows) -> NDArray[np.int64]:
    """The cell of the targets' joint table in which each row lies."""
    shape = tuple(network._cards[target] for target in targets)
    return np.ravel_multi_index(tuple(rows[:, target] for target in targets), shape)


def _factor(network: Any, targets: list[int], values: Floats) -> Factor:
    return Factor({network.nodes[target]: network.states(network.nodes[target]) for target in targets}, values)


def _rejection(
    network: Any, targets: list[int], evidence: Evidence, count: int, confidence: float, seed: int
) -> Posterior:
    rows = _drawn(network, count, seed)
    kept = np.ones(count, dtype=bool)
    for node, state in evidence.states.items():
        kept &= rows[:, node] == state
    coins = np.random.default_rng(seed)
    for node, weights in evidence.weights.items():
        kept &= coins.random(count) * weights.max() < weights[rows[:, node]]
    if not kept.any():
        raise ValueError(
            f"At least one of the {count} rows must agree with the evidence, got none.\n"
            "Hint: draw more (n_samples), or use method='weighting'."
        )
    cells = math.prod(network._cards[target] for target in targets)
    counts = np.bincount(_cells(network, targets, rows[kept]), minlength=cells)
    certify = partial(rejection_certificate, counts, count, confidence)
    details = {"drawn": count, "accepted": int(kept.sum())}
    return Posterior(_factor(network, targets, counts / counts.sum()), "rejection", None, certify, details)


def weighted_rows(network: Any, evidence: Evidence, count: int, seed: int) -> tuple[Rows, Floats, float]:
    """Rows with the evidence put in, log P(evidence | row), and the most that this can be."""
    labels = network._labels
    names = network.nodes
    clamped = network.do({names[node]: labels[names[node]][state] for node, state in evidence.states.items()})
    rows = _drawn(clamped, count, seed)
    log_weights = _native_calls.network_row_likelihoods(network._arrays, rows)
    log_weights -= _native_calls.network_row_likelihoods(clamped._arrays, rows)
    with np.errstate(divide="ignore"):
        most = sum(float(np.log(network.table(names[v])[..., s].max())) for v, s in evidence.states.items())
        for node, weights in evidence.weights.items():
            log_weights += np.log(weights)[rows[:, node]]
            most += float(np.log(weights.max()))
    return rows, log_weights, most


def _weighting(
    network: Any, targets: list[int], evidence: Evidence, count: int, confidence: float, seed: int
) -> Posterior:
    rows, log_weights, most = weighted_rows(network, evidence, count, seed)
    if log_weights.max() == -np.inf:
        raise ValueError(
            f"At least one of the {count} rows must agree with the evidence, got none.\n"
            "Hint: draw more (n_samples), or ask for the exact answer."
        )
    weights = np.minimum(np.exp(log_weights - most), 1.0)
    relative = np.exp(log_weights - log_weights.max())
    cells = math.prod(network._cards[target] for target in targets)
    place = _cells(network, targets, rows)
    values = np.bincount(place, weights=relative, minlength=cells) / relative.sum()
    certify = partial(weighting_certificate, place, weights, cells, confidence)
    details = {"drawn": count, "effective": float(relative.sum() ** 2 / (relative @ relative))}
    return Posterior(_factor(network, targets, values), "weighting", None, certify, details)


def possible_row(network: Any, evidence: Evidence, seed: int) -> dict[int, int] | None:
    """The most probable of some rows that agree with the evidence, if any does."""
    rows, log_weights, _most = weighted_rows(network, evidence, 500, seed)
    logs = np.where(np.isneginf(log_weights), -np.inf, _native_calls.network_row_likelihoods(network._arrays, rows))
    best = int(np.argmax(logs))
    return None if logs[best] == -np.inf else {node: int(state) for node, state in enumerate(rows[best])}


def _gibbs(network: Any, targets: list[int], evidence: Evidence, count: int, seed: int) -> Posterior:
    starts = [possible_row(network, evidence, seed + chain) for chain in range(_CHAINS)]
    if any(start is None for start in starts):
        raise ValueError("Gibbs sampling must start at a row that agrees with the evidence, got none in 500 draws.")
    rows = np.array([[start[v] for v in range(len(network.nodes))] for start in starts if start], dtype=np.int32)
    free = np.array([node for node in range(len(network.nodes)) if node not in evidence.states], dtype=np.int64)
    flat = network._flat_weights(evidence.weights)
    draws = _native_calls.gibbs_sweeps(network._arrays, free, flat, rows, -(-count // _CHAINS), seed)
    kept = draws[:, draws.shape[1] // 2 :]
    cells = math.prod(network._cards[target] for target in targets)
    place = _cells(network, targets, kept.reshape(-1, kept.shape[2])).reshape(kept.shape[:2])
    values = np.bincount(place.ravel(), minlength=cells) / place.size
    moving = [cell for cell in range(cells) if 0.0 < values[cell] < 1.0]
    series = [(place == cell).astype(float) for cell in moving]
    worst = max((float(rhat(found)) for found in series), default=math.nan)
    effective = min((float(ess(found, "mean")) for found in series), default=math.nan)
    details = {"drawn": int(place.size), "rhat": worst, "ess": effective}
    ended = f"with R-hat {worst:.3f} and {effective:.0f} effective draws"
    certify = partial(estimate_certificate, "gibbs", ended)
    return Posterior(_factor(network, targets, values), "gibbs", None, certify, details)
