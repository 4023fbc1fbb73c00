"""k-means on rows in blocks: first centers by k-means||, then Lloyd's rounds, a pass each.

Rows are drawn by exponential races: row i waits -log(u_i) / (w_i d_i^2), and those that wait least are a sample without
replacement with chances proportional to w_i d_i^2 (Efraimidis, Spirakis 2006). The random numbers belong to a block and
a pass, so that who reads the blocks changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from certus.base import Iterations, resolve_seed, resolve_threads
from certus.base.blocks import Block, RowBlocks, merge_moments, sums
from certus.cluster import _native_calls
from certus.cluster.evidence.cost_certificate import spectral_certificate
from certus.cluster.fitting.least_spread import refuse_vanishing_squares
from certus.cluster.solvers.dense_rows import DenseRows
from certus.cluster.solvers.first_centers import PASSES, PER_CENTER, Starts, checked_centers
from certus.guarantees import Report

Floats = NDArray[np.float64]
EPSILON = float(np.finfo(np.float64).eps)


def whole_table_needed(learner: Any) -> str | None:
    """Which setting needs the whole table."""
    if callable(learner.init):
        return "a callable init"
    if learner.min_size is not None:
        return "min_size"
    if learner.bound_effort:
        return "bound_effort"
    return None if learner.n_init in ("auto", 1) else f"n_init={learner.n_init}"


def _weights(block: Block) -> Floats:
    return np.ones(block.rows) if block.weights is None else np.asarray(block.weights, dtype=np.float64)


def _spread(block: Block, state: Any) -> tuple[Floats, ...]:
    """Weight, mean and squared deviations of the rows, and how many count."""
    del state
    weights = _weights(block)
    total = weights.sum()
    rows = block.X.astype(np.float64)
    mean = weights @ rows / total
    deviations = weights @ np.square(rows - mean)
    return np.array([total]), mean[None], deviations[None], np.array([float(np.count_nonzero(weights))])


def _merged(one: tuple[Floats, ...], two: tuple[Floats, ...]) -> tuple[Floats, ...]:
    return (*merge_moments(one[:3], two[:3]), one[3] + two[3])


@dataclass(frozen=True)
class _Race:
    """Which rows wait least; ``centers`` is None where distances do not count."""

    centers: Floats | None
    draws: int
    seed: tuple[int, int]


def _race(block: Block, race: _Race) -> tuple[Floats, Floats]:
    chances = _weights(block)
    if race.centers is not None:
        chances = chances * _native_calls.nearest_centers(block.X, race.centers, resolve_threads())[1]
    uniforms = np.random.Generator(np.random.Philox([*race.seed, block.number])).random(block.rows)
    with np.errstate(divide="ignore"):
        waits = np.where(chances > 0.0, -np.log1p(-uniforms) / chances, np.inf)
    first = np.argsort(waits, kind="stable")[: race.draws]
    first = first[np.isfinite(waits[first])]
    return waits[first], block.X[first].astype(np.float64)


@dataclass(frozen=True)
class _First:
    """The rows of both that wait least."""

    draws: int

    def __call__(self, one: tuple[Floats, Floats], two: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
        waits, rows = np.concatenate([one[0], two[0]]), np.concatenate([one[1], two[1]])
        first = np.argsort(waits, kind="stable")[: self.draws]
        return waits[first], rows[first]


def _round(block: Block, centers: Floats) -> tuple[Floats, ...]:
    """Weights and sums of the rows nearest to every center, and the cost."""
    labels, squared = _native_calls.nearest_centers(block.X, centers, resolve_threads())
    weights = _weights(block)
    shape = len(centers), block.rows
    members = sparse.csc_array((weights, labels, np.arange(block.rows + 1)), shape=shape)
    total = np.bincount(labels, weights, len(centers)).astype(np.float64)
    return total, np.asarray(members @ block.X.astype(np.float64)), np.array(float(weights @ squared))


@dataclass(frozen=True)
class _Last:
    """Where the last pass looks: the centers, and a point near the mean."""

    centers: Floats
    middle: Floats


def _last_round(block: Block, at: _Last) -> tuple[Floats, ...]:
    """Weights, sums and cost as in a round; the scatter around the middle, and the sum of the differences from it.

    One point for all blocks: a difference is then rounded by a share of itself, however far from 0 the rows are.
    """
    weights = _weights(block)
    rows = block.X.astype(np.float64) - at.middle
    along = weights @ rows
    rows *= np.sqrt(weights)[:, None]
    return (*_round(block, at.centers), rows.T @ rows, along)


def first_centers(learner: Any, rows: RowBlocks, seed: int) -> Floats:
    """Given centers, any rows by weight, or those that greedy k-means++ chooses among the rows of few passes."""
    count = int(learner.n_clusters)
    if not isinstance(learner.init, str):
        return checked_centers(learner.init, np.empty((0, rows.columns), dtype=rows.dtype), count)
    draws = count if learner.init == "random" else 1
    _, chosen = rows.reduce(_race, _First(draws), _Race(None, draws, (seed, 0)))
    if learner.init == "random":
        return _enough(chosen, count)
    for number in range(1, PASSES + 1):
        draws = PER_CENTER * count
        _, more = rows.reduce(_race, _First(draws), _Race(chosen, draws, (seed, number)))
        if not len(more):
            break
        chosen = np.concatenate([chosen, more])
    chosen = np.unique(chosen, axis=0)
    if len(chosen) <= count:
        return _enough(chosen, count)
    weights, _, _ = rows.reduce(_round, sums, chosen)
    candidates = DenseRows(chosen, np.maximum(weights, 1e-300), threads=1)
    return Starts("k-means++", count, chosen, candidates, weights, seed).centers(0)


def _enough(chosen: Floats, count: int) -> Floats:
    """As many centers as asked for; rows occur again where there are fewer different ones."""
    return np.ascontiguousarray(chosen[np.arange(count) % len(chosen)])


def fit_lloyd(learner: Any, rows: RowBlocks) -> None:
    """Set what ``fit`` of a whole table sets, but for the labels: `predict` gives these block by block."""
    total, mean, deviations, counted = rows.reduce(_spread, _merged)
    if counted[0] < learner.n_clusters:
        raise ValueError(
            f"n_samples={int(counted[0])} should be >= n_clusters={learner.n_clusters}.\n"
            "Hint: KMeans needs at least one row (of positive weight) per cluster."
        )
    refuse_vanishing_squares(type(learner).__name__, mean)
    seed = resolve_seed(learner.random_state)
    centers = first_centers(learner, rows, seed)
    variance = float(deviations.sum()) / (float(total[0]) * rows.columns)
    with Iterations(learner, learner.max_iter) as iterations:
        rounds, converged = _improve(learner, rows, centers, variance, iterations)
    learner.n_iter_, learner.converged_ = rounds, converged
    learner.cluster_centers_ = centers.astype(rows.dtype)
    stored = learner.cluster_centers_.astype(np.float64)
    weights, _, cost, scatter, along = rows.reduce(_last_round, sums, _Last(stored, mean[0]))
    learner.inertia_, learner.labels_ = float(cost), np.empty(0, dtype=np.int32)
    learner._warn_about_few(int(np.count_nonzero(weights)))
    learner.report_ = Report([_certificate(learner.inertia_, stored, scatter, along, float(total[0]), rows)])


def _improve(
    learner: Any, rows: RowBlocks, centers: Floats, variance: float, iterations: Iterations
) -> tuple[int, bool]:
    """Lloyd's rounds on the centers, in place; how many, and whether they ended by themselves."""
    tolerance, paid = learner.tol * variance, np.inf
    for number in range(1, learner.max_iter + 1):
        weights, totals, cost = rows.reduce(_round, sums, centers)
        met = weights > 0.0
        moved = np.where(met[:, None], totals / np.where(met, weights, 1.0)[:, None], centers)
        moves = np.sum((moved - centers) ** 2, axis=1)
        centers[:] = moved
        if iterations.step(objective=float(cost)):
            return number, False
        ended = {
            "shift": float(moves.sum()) <= tolerance,
            "max-shift": float(moves.max()) <= tolerance,
            "cost": paid - float(cost) <= learner.tol * paid if np.isfinite(paid) else False,
        }
        if ended[learner.stop] or not moves.any():
            return number, True
        paid = float(cost)
    return learner.max_iter, False


def _certificate(cost: float, centers: Floats, scatter: Floats, along: Floats, total: float, rows: RowBlocks) -> Any:
    """The spectral bound; its rounding is that of sums over all rows.

    The scatter S is around a point near the mean, so that it is too large by W d d' for d = along / W.
    """
    matrix = (scatter + scatter.T) / 2.0
    error = 4.0 * (rows.rows + 10 * rows.columns) * EPSILON * float(np.trace(matrix))
    error += 2.0 * float(along @ along) / total
    values = np.asarray(np.linalg.eigvalsh(matrix), dtype=np.float64)
    return spectral_certificate(cost, centers, values, error)
