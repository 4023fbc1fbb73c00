"""The chain of a hidden Markov model: its checks, its start, and its update in a round."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def distributions_in(values: Any, name: str, shape: tuple[int, ...]) -> Floats:
    """An array of probabilities that sum to 1 along the last axis, or an error that names the place."""
    try:
        found = np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must hold numbers, got {values!r}.") from error
    if found.shape != shape:
        raise ValueError(f"{name} must have the shape {shape}, got {found.shape}.")
    if not np.isfinite(found).all() or (found < 0.0).any():
        raise ValueError(f"{name} must hold probabilities, got {found[~(found >= 0.0)][:1] or found.max()}.")
    totals = found.sum(axis=-1, keepdims=True)
    wrong = np.abs(totals - 1.0) > 1e-5
    if wrong.any():
        place = np.argwhere(wrong)[0][:-1]
        row = f" in row {', '.join(map(str, place))}" if len(place) else ""
        raise ValueError(
            f"{name} must sum to 1{' in every row' if len(place) else ''}, got a sum of "
            f"{float(totals[tuple(place)].item()):.10g}{row}.\nHint: divide by the sum if these are counts."
        )
    return np.ascontiguousarray(found / totals)


def normalized_counts(counts: Floats, prior: Any, present: Floats) -> Floats:
    """The most probable distributions along the last axis given expected counts and a Dirichlet prior.

    Maximizes sum_j (counts_j + prior_j - 1) log p_j; entries that are 0 now stay 0, and a row without any count, for
    which every distribution is as good, keeps the present one.
    """
    raised = np.maximum(counts + (np.asarray(prior, dtype=np.float64) - 1.0), 0.0)
    raised = np.where(present == 0.0, 0.0, raised)
    totals = raised.sum(axis=-1, keepdims=True)
    seen = totals > 0.0
    return np.where(seen, raised / np.where(seen, totals, 1.0), present)


def dirichlet_log_prior(p: Floats, prior: Any) -> float:
    """Sum (prior - 1) log p over entries that are not 0."""
    extra = np.broadcast_to(np.asarray(prior, dtype=np.float64) - 1.0, p.shape)
    if not extra.any():
        return 0.0
    positive = p > 0.0
    return float((extra[positive] * np.log(p[positive])).sum())


def random_distributions(rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    """Distributions drawn uniformly, along the last axis."""
    return np.asarray(rng.dirichlet(np.ones(shape[-1]), size=shape[:-1] or None))
