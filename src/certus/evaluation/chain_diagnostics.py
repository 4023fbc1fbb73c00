"""Diagnostics of Markov chains: whether chains agree, how many independent draws they are worth, and the error of
means.

Rank-normalized split R-hat, bulk and tail effective sample size: Vehtari, Gelman, Simpson, Carpenter, Buerkner (2021),
"Rank-normalization, folding, and localization". All of these are estimates: chains that missed a part of the target
agree with each other all the same.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import stats

Floats = NDArray[np.float64]


def rhat(values: Any) -> Any:
    """Rank-normalized split R-hat: near 1 if all halves of all chains have the same distribution.

    Parameters
    ----------
    values : array-like of shape (chains, draws) or (chains, draws, dim)
        The draws.

    Returns
    -------
    float or ndarray of shape (dim,)
        The larger one of the R-hat of ranks and of distances from the median; above 1.01 chains are too short.
    """
    return _per_column(values, _rhat)


def ess(values: Any, kind: Literal["bulk", "tail", "mean"] = "bulk") -> Any:
    """Effective sample size: the number of independent draws that would be worth as much.

    Parameters
    ----------
    values : array-like of shape (chains, draws) or (chains, draws, dim)
        The draws.
    kind : {"bulk", "tail", "mean"}, default="bulk"
        For the middle of the distribution (of ranks), for the 5 % and 95 % quantiles, or for the mean of the values.
    """
    if kind not in ("bulk", "tail", "mean"):
        raise ValueError(f"kind must be 'bulk', 'tail' or 'mean', got {kind!r}.")
    return _per_column(values, {"bulk": _bulk_ess, "tail": _tail_ess, "mean": lambda x: _ess(_split(x))}[kind])


def mcse(values: Any) -> Any:
    """Standard error of the mean of the draws: their standard deviation over the root of the effective sample size."""
    return _per_column(values, lambda x: float(x.std(ddof=1) / np.sqrt(_ess(_split(x)))))


def _per_column(values: Any, function: Any) -> Any:
    table = np.asarray(values, dtype=np.float64)
    if table.ndim not in (2, 3) or table.shape[1] < 4:
        raise ValueError(f"values must have shape (chains, at least 4 draws[, dim]), got {table.shape}.")
    if table.ndim == 2:
        return float(function(table))
    return np.array([function(table[:, :, j]) for j in range(table.shape[2])])


def _split(x: Floats) -> Floats:
    """Both halves of every chain as chains of their own."""
    half = x.shape[1] // 2
    return np.vstack([x[:, :half], x[:, x.shape[1] - half :]])


def _normal_ranks(x: Floats) -> Floats:
    ranks = stats.rankdata(x.ravel()).reshape(x.shape)
    return np.asarray(stats.norm.ppf((ranks - 0.375) / (x.size + 0.25)))


def _plain_rhat(x: Floats) -> float:
    n = x.shape[1]
    within = x.var(axis=1, ddof=1).mean()
    between = n * x.mean(axis=1).var(ddof=1)
    if within == 0:
        return float("nan") if between == 0 else float("inf")
    return float(np.sqrt(((n - 1) / n * within + between / n) / within))


def _rhat(x: Floats) -> float:
    if not np.isfinite(x).all():
        return float("nan")
    halves = _split(x)
    folded = np.abs(halves - np.median(halves))
    return max(_plain_rhat(_normal_ranks(halves)), _plain_rhat(_normal_ranks(folded)))


def _bulk_ess(x: Floats) -> float:
    return _ess(_normal_ranks(_split(x)))


def _tail_ess(x: Floats) -> float:
    low, high = np.quantile(x, [0.05, 0.95])
    return min(_ess(_split((x <= low).astype(float))), _ess(_split((x <= high).astype(float))))


def _autocovariance(x: Floats) -> Floats:
    """Of every chain, by the fast Fourier transform."""
    n = x.shape[1]
    size = 1 << (2 * n - 1).bit_length()
    spectrum = np.fft.rfft(x - x.mean(axis=1, keepdims=True), n=size, axis=1)
    return np.asarray(np.fft.irfft(np.abs(spectrum) ** 2, n=size, axis=1)[:, :n] / n)


def _ess(x: Floats) -> float:
    """Geyer's (1992) initial monotone sequence on the combined autocorrelations."""
    chains, n = x.shape
    if not np.isfinite(x).all():
        return float("nan")
    covariance = _autocovariance(x)
    within = covariance[:, 0].mean() * n / (n - 1)
    if within == 0:
        return float(x.size)
    total = within * (n - 1) / n + (x.mean(axis=1).var(ddof=1) if chains > 1 else 0.0)
    correlation = 1 - (within - covariance.mean(axis=0) * n / (n - 1)) / total
    correlation[0] = 1.0
    pairs = correlation[: n // 2 * 2].reshape(-1, 2).sum(axis=1)
    stop = int(np.argmax(pairs < 0)) if (pairs < 0).any() else len(pairs)
    kept = np.minimum.accumulate(pairs[: max(stop, 1)])
    time = max(-1 + 2 * kept.sum(), 1 / np.log10(x.size))
    return float(x.size / time)
