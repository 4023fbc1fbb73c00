"""A hidden Markov model as plain values, and its recursions in the simplest form: the second route of the checkers.

Nothing here is shared with the kernels: densities come from `scipy.stats`, sums are taken in logarithms.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.special import logsumexp

from certus.guarantees import CertificateError

Floats = NDArray[np.float64]
KEPT = 20_000  # numbers of a model that a certificate keeps


def plain_model(model: Any) -> dict[str, Any]:
    """What a certificate keeps of a model; nothing if that is too much."""
    start, transitions = model._chain()
    kept = {"startprob": start.tolist(), "transmat": transitions.tolist(), **model._plain_emissions()}
    return kept if sum(np.size(value) for value in kept.values()) <= KEPT else {}


def read_data(data: Any) -> tuple[Floats, list[int]]:
    """Rows and lengths out of X, or of a pair of both."""
    X, lengths = data if isinstance(data, tuple) and len(data) == 2 else (data, None)
    rows = np.asarray(X, dtype=np.float64)
    rows = rows.reshape(len(rows), -1)
    return rows, [len(rows)] if lengths is None else [int(length) for length in lengths]


def sequences_of(plain: Mapping[str, Any], data: Any) -> list[Floats]:
    """Log-densities of the rows of every sequence."""
    if "emission" not in plain:
        raise CertificateError(f"a model of more than {KEPT} numbers is not kept in a certificate")
    rows, lengths = read_data(data)
    densities = np.array([[_DENSITIES[plain["emission"]](plain, k, row) for k in _states(plain)] for row in rows])
    if sum(lengths) != len(rows):
        raise CertificateError(f"the lengths do not add up to the {len(rows)} rows")
    return np.split(densities, np.cumsum(lengths)[:-1])


def _states(plain: Mapping[str, Any]) -> range:
    return range(len(plain["startprob"]))


def log_likelihood(plain: Mapping[str, Any], densities: Floats) -> float:
    """The forward recursion in logarithms."""
    with np.errstate(divide="ignore"):
        present, steps = np.log(plain["startprob"]), np.log(plain["transmat"])
    present = present + densities[0]
    for row in densities[1:]:
        present = logsumexp(present[:, None] + steps, axis=0) + row
    return float(logsumexp(present))


def best_value(plain: Mapping[str, Any], densities: Floats) -> float:
    """The largest log-probability of a path, from the first row to the last."""
    with np.errstate(divide="ignore"):
        present, steps = np.log(plain["startprob"]), np.log(plain["transmat"])
    present = present + densities[0]
    for row in densities[1:]:
        present = (present[:, None] + steps).max(axis=0) + row
    return float(present.max())


def _symbol(plain: Mapping[str, Any], k: int, row: Floats) -> float:
    with np.errstate(divide="ignore"):
        return 0.0 if np.isnan(row[0]) else float(np.log(plain["emissionprob"][k][int(row[0])]))


def _counts(plain: Mapping[str, Any], k: int, row: Floats) -> float:
    return 0.0 if np.isnan(row).any() else float(stats.multinomial.logpmf(row, row.sum(), plain["emissionprob"][k]))


def _poisson(plain: Mapping[str, Any], k: int, row: Floats) -> float:
    there = ~np.isnan(row)
    return float(stats.poisson.logpmf(row[there], np.array(plain["lambdas"][k])[there]).sum())


def _gaussian(mean: Any, covariance: Any, row: Floats) -> float:
    there = ~np.isnan(row)
    if not there.any():
        return 0.0
    matrix = np.array(covariance)[np.ix_(there, there)]
    return float(stats.multivariate_normal.logpdf(row[there], np.array(mean)[there], matrix))


def _one_gaussian(plain: Mapping[str, Any], k: int, row: Floats) -> float:
    return _gaussian(plain["means"][k], plain["covars"][k], row)


def _mixture(plain: Mapping[str, Any], k: int, row: Floats) -> float:
    weights = np.array(plain["weights"][k])
    parts = [_gaussian(mean, matrix, row) for mean, matrix in zip(plain["means"][k], plain["covars"][k], strict=True)]
    return float(logsumexp(parts, b=weights))


_DENSITIES: dict[str, Callable[[Mapping[str, Any], int, Floats], float]] = {
    "symbols": _symbol,
    "counts": _counts,
    "poisson": _poisson,
    "gaussian": _one_gaussian,
    "mixture": _mixture,
}
