"""Expected moments of rows around the present means of components, with missing cells replaced by what is expected."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from certus.graphical import _native_calls
from certus.graphical.sequences.observed_rows import ObservedRows

Floats = NDArray[np.float64]


def expected_moments(rows: ObservedRows, posterior: Floats, means: Floats, spread: Floats) -> dict[str, Floats]:
    """Sums of weights, of weighted differences from the means, and of their squares or products.

    Parameters
    ----------
    rows : ObservedRows
        Rows.
    posterior : array of shape (n_rows, components)
        Their weights in every component.
    means, spread : array
        The present parameters, as for `log_densities`.

    Returns
    -------
    dict
        "weight" and "first" of shape (components, d), "second" of the shape of ``spread``. Of independent columns only
        cells that are there count; else those that are missing count with their conditional moments (EM for missing
        values), and rows of which nothing is known not at all.
    """
    products = spread.ndim == 3
    if rows.missing is None:
        first, second = _native_calls.moments(rows.values, posterior, means, products=products)
        return {
            "weight": np.repeat(posterior.sum(axis=0)[:, None], means.shape[1], 1),
            "first": first,
            "second": second,
        }
    whole = posterior.copy()
    whole[rows.broken] = 0.0
    first, second = _native_calls.moments(rows.values, whole, means, products=products)
    weight = np.repeat(whole.sum(axis=0)[:, None], means.shape[1], axis=1)
    for mask, places in rows.patterns:
        shares = posterior[places]
        if products:
            weight += shares.sum(axis=0)[:, None]
            _add_completed(rows.values[places], ~mask, shares, means, spread, first, second)
        else:
            there = ~mask
            differences = rows.values[places][:, None, there] - means[None, :, there]
            weight[:, there] += shares.sum(axis=0)[:, None]
            first[:, there] += np.einsum("tk,tkj->kj", shares, differences)
            second[:, there] += np.einsum("tk,tkj->kj", shares, differences**2)
    return {"weight": weight, "first": first, "second": second}


def _add_completed(
    values: Floats,
    there: NDArray[np.bool_],
    shares: Floats,
    means: Floats,
    covariances: Floats,
    first: Floats,
    second: Floats,
) -> None:
    """Add rows with the same missing cells: given the others these have a mean and a covariance."""
    absent = ~there
    for k, covariance in enumerate(covariances):
        regression = np.linalg.solve(covariance[np.ix_(there, there)], covariance[np.ix_(there, absent)])
        complete = values - means[k]
        complete[:, absent] = complete[:, there] @ regression
        left = covariance[np.ix_(absent, absent)] - covariance[np.ix_(absent, there)] @ regression
        first[k] += shares[:, k] @ complete
        second[k] += (complete * shares[:, k, None]).T @ complete
        second[k][np.ix_(absent, absent)] += shares[:, k].sum() * left
