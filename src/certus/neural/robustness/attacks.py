"""Points near a row with another label: found along gradients, then moved back as far as the label allows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from certus.neural.robustness.dense_layers import Array, ScoringNetwork

STEPS = 40
OVERSHOOT = 1.02
HALVINGS = 50


@np.errstate(over="ignore", invalid="ignore")
def find_adversarial(
    network: ScoringNetwork, rows: Array, places: np.ndarray, norm: str, *, starts: int = 3, seed: int = 0
) -> Array:
    """For every row a point with another label, as near as found; NaN where none was found."""
    rng = np.random.default_rng(seed)
    best, distance = np.full(rows.shape, np.nan), np.full(len(rows), np.inf)
    scale = float(np.abs(rows).mean()) + 1e-3 if len(rows) else 1.0
    for start in range(starts):
        points = rows + (0.0 if start == 0 else 0.3 * scale * rng.standard_normal(rows.shape))
        found = move_back(network, rows, _cross(network, rows, points, places, norm), places)
        far = _lengths(found - rows, norm)
        nearer = far < distance  # not where it is NaN
        best[nearer], distance[nearer] = found[nearer], far[nearer]
    return best


def _lengths(differences: Array, norm: str) -> Array:
    return np.asarray(np.linalg.norm(differences, ord={"inf": np.inf, "2": 2, "1": 1}[norm], axis=1))


def _cross(network: ScoringNetwork, rows: Array, points: Array, places: np.ndarray, norm: str) -> Array:
    """Steps to the nearest border of the linearized network, until the label is another one; NaN where it never is."""
    points, changed = points.copy(), np.zeros(len(rows), dtype=bool)
    margins = network.margins(places)
    for _ in range(STEPS):
        changed = network.places(points) != places
        left = np.flatnonzero(~changed)
        if not len(left):
            break
        points[left] = points[left] + OVERSHOOT * _step(network, points[left], margins[left], norm)
        points[~np.isfinite(points)] = 0.0
    points[~changed & (network.places(points) == places)] = np.nan
    return points


def _step(network: ScoringNetwork, points: Array, margins: Array, norm: str) -> Array:
    """The shortest step to where one of the margins is 0, if they were linear."""
    scores = network.scores.forward(points)
    slopes = np.stack([network.scores.backward(margins[:, place]) for place in range(margins.shape[1])], axis=1)
    values = np.einsum("nqm,nm->nq", margins, scores)
    if norm == "inf":
        size, direction = np.abs(slopes).sum(axis=-1), np.sign(slopes)
    elif norm == "2":
        size = np.sqrt((slopes**2).sum(axis=-1))
        direction = slopes / np.maximum(size, 1e-300)[..., None]
    else:
        size = np.abs(slopes).max(axis=-1)
        direction = np.where(np.abs(slopes) >= size[..., None], np.sign(slopes), 0.0)
        direction /= np.maximum(np.abs(direction).sum(axis=-1, keepdims=True), 1.0)
    need = np.maximum(values, 1e-9) / np.maximum(size, 1e-300)
    nearest = need.argmin(axis=1)
    each = np.arange(len(points))
    return np.asarray(-np.minimum(need[each, nearest], 1e6)[:, None] * direction[each, nearest])


def move_back(network: ScoringNetwork, rows: Array, points: Array, places: np.ndarray) -> Array:
    """The points moved towards their rows as far as they keep another label; NaN where they have none."""
    best = points.copy()
    there: NDArray[np.bool_] = np.asarray(np.isfinite(points).all(axis=1))
    there[there] = network.places(points[there]) != places[there]
    best[np.logical_not(there)] = np.nan
    if not there.any():
        return best
    row, point, place = rows[there], points[there], places[there]
    low, high = np.zeros(len(row)), np.ones(len(row))
    kept = point.copy()
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        trial = row + middle[:, None] * (point - row)
        other = network.places(trial) != place
        high, low = np.where(other, middle, high), np.where(other, low, middle)
        kept[other] = trial[other]
    best[there] = kept
    return best
