"""How many components to keep: a number, a share of the variance, or the most probable dimension."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from certus.components.solvers.leading_spectrum import LeadingSpectrum

Floats = NDArray[np.float64]
TINY = 1e-15  # shares of the largest value that count as zero


def check_count(wanted: Any, solver: str, rows: int, columns: int) -> None:
    """Refuse what a solver cannot find, in the words of scikit-learn."""
    smaller = min(rows, columns)
    if solver in ("arpack", "randomized"):
        if isinstance(wanted, str):
            raise ValueError(f"n_components={wanted!r} cannot be a string with svd_solver={solver!r}")
        if not 1 <= wanted <= smaller:
            raise ValueError(
                f"n_components={wanted!r} must be between 1 and min(n_samples, n_features)={smaller!r} with "
                f"svd_solver={solver!r}"
            )
        if solver == "arpack" and wanted == smaller:
            raise ValueError(
                f"n_components={wanted!r} must be strictly less than min(n_samples, n_features)={smaller!r} with "
                f"svd_solver={solver!r}"
            )
    elif isinstance(wanted, str):
        if rows < columns:
            raise ValueError("n_components='mle' is only supported if n_samples >= n_features")
    elif not 0 <= wanted <= smaller:
        raise ValueError(
            f"n_components={wanted} must be between 0 and min(n_samples, n_features)={smaller} with "
            f"svd_solver={solver!r}"
        )


def resolve_count(wanted: Any, spectrum: LeadingSpectrum, rows: float) -> int:
    """The number that is meant; a share of the variance and "mle" need all eigenvalues."""
    values, trace = spectrum.values, spectrum.trace
    if isinstance(wanted, str):
        return most_probable_count(values, rows)
    if 0 < wanted < 1:
        reached = np.cumsum(values / trace) if trace > 0.0 else np.ones(len(values))
        return int(min(np.searchsorted(reached, wanted, side="right") + 1, len(values)))
    return int(wanted)


def most_probable_count(values: Floats, rows: float) -> int:
    """The dimension with the largest evidence under probabilistic components. Minka (2000)."""
    evidence = [-math.inf] + [_evidence(values, rank, rows) for rank in range(1, len(values))]
    return int(np.argmax(evidence)) if max(evidence) > -math.inf else 1


def _evidence(values: Floats, rank: int, rows: float) -> float:
    """The logarithm of the evidence of a rank, by Laplace's method: equation (30) of the paper."""
    width, floor = len(values), TINY * float(values[0])
    if values[rank - 1] <= floor:
        return -math.inf
    half = (width - np.arange(rank)) / 2.0
    volume = -rank * math.log(2.0) + float((gammaln(half) - half * math.log(math.pi)).sum())
    noise = max(floor, float(values[rank:].sum()) / (width - rank))
    fit = -0.5 * rows * (float(np.log(values[:rank]).sum()) + (width - rank) * math.log(noise))
    free = width * rank - rank * (rank + 1.0) / 2.0
    assumed = np.concatenate([values[:rank], np.full(width - rank, noise)])
    later = np.arange(width) > np.arange(rank)[:, None]
    differences = np.maximum(values[:rank, None] - values, floor)
    inverses = np.maximum(1.0 / assumed - 1.0 / assumed[:rank, None], TINY / float(values[0]))
    curvature = float((np.log(differences) + np.log(inverses) + math.log(rows))[later].sum())
    return volume + fit + 0.5 * math.log(2.0 * math.pi) * (free + rank) - 0.5 * curvature - 0.5 * rank * math.log(rows)
