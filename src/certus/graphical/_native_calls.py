"""The one place of this family that calls compiled code."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus import _native
from certus.base import resolve_threads

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
Flags = NDArray[np.uint8]


@dataclass(frozen=True)
class Expected:
    """Posteriors of the rows, expected first states and transitions, and the log-likelihood of every sequence."""

    posterior: Floats
    first: Floats
    pairs: Floats
    likelihood: Floats


def expect_states(start: Floats, transitions: Floats, begins: Whole, log_density: Floats, weights: Floats) -> Expected:
    """Forward and backward recursion; ``weights`` of the sequences, or none."""
    states = len(start)
    found = Expected(
        np.empty(log_density.shape), np.zeros(states), np.zeros((states, states)), np.empty(len(begins) - 1)
    )
    out = (found.posterior, found.first, found.pairs, found.likelihood)
    _native.expect_states(start, transitions, begins, log_density, weights, *out, _threads(log_density))
    return found


def filter_states(start: Floats, transitions: Floats, begins: Whole, log_density: Floats) -> tuple[Floats, Floats]:
    """P(state t | rows up to t), and the log-likelihood of every sequence."""
    filtered, likelihood = np.empty(log_density.shape), np.empty(len(begins) - 1)
    _native.filter_states(start, transitions, begins, log_density, filtered, likelihood, _threads(log_density))
    return filtered, likelihood


def likelihoods(start: Floats, transitions: Floats, begins: Whole, log_density: Floats) -> Floats:
    """The log-likelihood of every sequence."""
    likelihood = np.empty(len(begins) - 1)
    nothing = np.empty((0, log_density.shape[1]))
    _native.filter_states(start, transitions, begins, log_density, nothing, likelihood, _threads(log_density))
    return likelihood


def best_paths(start: Floats, transitions: Floats, begins: Whole, log_density: Floats) -> tuple[Whole, Floats]:
    """The most probable path and the log-probability of every sequence; ``log_density`` is overwritten."""
    path, value = np.zeros(len(log_density), dtype=np.int64), np.empty(len(begins) - 1)
    _native.best_paths(start, transitions, begins, log_density, path, value, _threads(log_density))
    return path, value


def best_values(start: Floats, transitions: Floats, begins: Whole, log_density: Floats) -> Floats:
    """The largest log-probability of any path of every sequence, by the recursion from the end."""
    value = np.empty(len(begins) - 1)
    _native.best_values(start, transitions, begins, log_density, value, _threads(log_density))
    return value


def diagonal_densities(rows: Floats, means: Floats, variances: Floats) -> Floats:
    """Log-density of every row under Gaussians with independent columns."""
    constant = -0.5 * np.log(2.0 * np.pi * variances).sum(axis=1)
    out = np.empty((len(rows), len(means)))
    precision = np.ascontiguousarray(1.0 / variances)
    _native.gaussian_log_joint(rows, np.ascontiguousarray(means), precision, constant, out, _threads(rows))
    return out


def full_densities(rows: Floats, means: Floats, whitening: Floats, constant: Floats) -> Floats:
    """``constant_k - 1/2 |W_k (x - m_k)|^2`` for every row, with W of shape (components, d, d)."""
    out = np.empty((len(rows), len(means)))
    flat = np.ascontiguousarray(whitening.reshape(-1, rows.shape[1]))
    _native.gaussian_densities(rows, np.ascontiguousarray(means), flat, constant, out, _threads(rows))
    return out


def moments(rows: Floats, posterior: Floats, means: Floats, *, products: bool) -> tuple[Floats, Floats]:
    """Weighted sums of the differences from the means, and of their squares or products."""
    count, width = means.shape
    first = np.zeros((count, width))
    second = np.zeros((count * width, width) if products else (count, width))
    _native.gaussian_moments(rows, posterior, np.ascontiguousarray(means), first, second, _threads(rows))
    return first, second.reshape(count, width, width) if products else second


def symbol_counts(symbols: Whole, posterior: Floats, count: int) -> Floats:
    """Weighted counts of the symbols, of shape (states, symbols); negative symbols are left out."""
    counts = np.zeros((count, posterior.shape[1]))
    _native.symbol_counts(symbols, posterior, counts, _threads(posterior))
    return np.ascontiguousarray(counts.T)


def network_arrays(cards: list[int], parents: Sequence[Sequence[int]], begins: Whole, values: Floats) -> Any:
    """A Bayesian network as compiled code reads it; the arrays live as long as what is returned."""
    first = np.zeros(len(parents) + 1, dtype=np.int64)
    np.cumsum([len(own) for own in parents], out=first[1:])
    listed = np.array([parent for own in parents for parent in own], dtype=np.int64)
    return _native.NetworkArrays(np.array(cards, dtype=np.int64), first, listed, begins, values)


def draw_network_rows(network: Any, order: Whole, rows: int, seed: int) -> NDArray[np.int32]:
    """Rows drawn from a network, as places of states."""
    out = np.empty((rows, len(order)), dtype=np.int32)
    _native.draw_network_rows(network, order, seed, out, _threads(out))
    return out


def network_row_likelihoods(network: Any, rows: NDArray[np.int32]) -> Floats:
    """The log-probabilities of complete rows."""
    out = np.empty(len(rows))
    _native.network_row_likelihoods(network, rows, out, _threads(rows))
    return out


def gibbs_sweeps(
    network: Any, free: Whole, weights: Floats, rows: NDArray[np.int32], sweeps: int, seed: int
) -> NDArray[np.int32]:
    """Rows of Gibbs sweeps from a possible row per chain, of shape (chains, sweeps, nodes)."""
    draws = np.empty((len(rows) * sweeps, rows.shape[1]), dtype=np.int32)
    _native.gibbs_sweeps(network, free, weights, seed, rows.copy(), draws, _threads(draws))
    return draws.reshape(len(rows), sweeps, rows.shape[1])


def clique_tree(network: Any, kept: Flags, observed: Flags, late: Flags, joint: Whole) -> Any:
    """The plan of a tree of cliques; nothing is allocated for its tables yet."""
    return _native.CliqueTree(network, kept, observed, late, joint)


def tree_marginals(tree: Any, nodes: Sequence[int], cards: Sequence[int]) -> list[Floats]:
    """Marginals of a calibrated tree."""
    begins = np.zeros(len(nodes) + 1, dtype=np.int64)
    np.cumsum(cards, out=begins[1:])
    out = np.empty(int(begins[-1]))
    tree.marginals(np.array(nodes, dtype=np.int64), begins, out)
    return np.split(out, begins[1:-1]) if len(nodes) else []


def tree_joint(tree: Any, nodes: Sequence[int], shape: tuple[int, ...]) -> Floats:
    """The joint marginal of the targets that a tree was planned for, after collecting."""
    out = np.empty(math.prod(shape))
    tree.joint(np.array(nodes, dtype=np.int64), out)
    return out.reshape(shape)


def tree_best(tree: Any, nodes: int, *, late_only: bool = False) -> Whole:
    """The best state of every node that a tree holds, after a maximizing collect; -1 for others."""
    states = np.full(nodes, -1, dtype=np.int64)
    tree.best(states, late_only)
    return states


def tree_query_rows(tree: Any, rows: Whole, node: int, card: int) -> tuple[Floats, Floats]:
    """Per row of evidence the posterior of a node, and the log-probability of the row."""
    out, likelihood = np.empty((len(rows), card)), np.empty(len(rows))
    tree.query_rows(rows, node, out, likelihood)
    return out, likelihood


def tree_count_rows(tree: Any, rows: Whole, weights: Floats, counts: Floats) -> Floats:
    """Add expected counts of all families to ``counts``; the log-probability of every row."""
    likelihood = np.empty(len(rows))
    tree.count_rows(rows, weights, counts, likelihood)
    return likelihood


def _threads(table: NDArray[Any]) -> int:
    """One thread for small tables: waking a second one would cost more than the work."""
    return resolve_threads() if table.size > 20_000 else 1
