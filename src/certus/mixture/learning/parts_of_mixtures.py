"""Marginal and conditional distributions of mixtures of Gaussians, which are such mixtures too."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from certus.mixture import _native_calls
from certus.mixture.learning.gaussians import Gaussians

Floats = NDArray[np.float64]


def column_places(columns: Any, width: int, names: Any = None) -> NDArray[np.intp]:
    """Columns by number or name as places; each once, at least one."""
    given = [columns] if isinstance(columns, str | int | np.integer) else list(columns)
    known = {} if names is None else {str(name): place for place, name in enumerate(names)}
    places = [known.get(column, -1) if isinstance(column, str) else int(column) for column in given]
    bad = [column for column, place in zip(given, places, strict=True) if not 0 <= place < width]
    if bad or not places or len(set(places)) < len(places):
        raise ValueError(
            f"columns must be different numbers from 0 to {width - 1} or names of columns, got {columns!r}.\n"
            "Hint: count columns from 0."
        )
    return np.array(places, dtype=np.intp)


def marginal_gaussians(model: Gaussians, columns: NDArray[np.intp]) -> Gaussians:
    """The distribution of some columns."""
    covariances = {
        "full": lambda: model.covariances[:, columns[:, None], columns],
        "tied": lambda: model.covariances[np.ix_(columns, columns)],
        "diag": lambda: model.covariances[:, columns],
    }.get(model.kind, lambda: model.covariances)()
    return Gaussians(model.kind, model.weights, model.means[:, columns], np.array(covariances))


def conditional_gaussians(model: Gaussians, columns: NDArray[np.intp], values: Floats) -> Gaussians:
    """The distribution of the other columns, given the values of these."""
    rest = np.setdiff1d(np.arange(model.size[1]), columns)
    joint = _native_calls.log_joint(np.ascontiguousarray(values[None]), model.marginal(columns))[0]
    weights = softmax(joint)
    means = model.means[:, rest]
    if model.kind not in ("full", "tied"):
        covariances = model.covariances[:, rest] if model.kind == "diag" else model.covariances
        return Gaussians(model.kind, weights, means, np.array(covariances))
    slopes, spare = model.regression(columns)
    means = means + np.einsum("kpo,ko->kp", slopes[:, rest], values - model.means[:, columns])
    spare = spare[:, rest[:, None], rest]
    return Gaussians(model.kind, weights, means, np.array(spare[0] if model.kind == "tied" else spare))


def drawn_rows(model: Gaussians, count: int, rng: np.random.RandomState) -> tuple[Floats, NDArray[np.int64]]:
    """Rows of a mixture, component after component, and their components."""
    weights = model.weights / model.weights.sum()
    counts = rng.multinomial(count, weights)
    parts = [
        mean + rng.standard_normal(size=(int(size), len(mean))) * np.sqrt(spread)
        if spread.ndim == 1
        else rng.multivariate_normal(mean, spread, int(size))
        for mean, spread, size in zip(model.means, model.spread, counts, strict=True)
    ]
    return np.vstack(parts), np.repeat(np.arange(len(counts)), counts)
