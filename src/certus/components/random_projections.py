"""How many random directions keep the distances between rows: the classical sufficient number."""

from __future__ import annotations

from typing import Any

import numpy as np


def johnson_lindenstrauss_min_dim(n_samples: Any, *, eps: Any = 0.1) -> Any:
    """A number of random directions that keeps all squared distances up to a factor of 1 +- eps, by the usual formula.

    `certus.guarantees.projection_dimensions` gives the number that exact tails need, which is smaller, for a stated
    confidence.

    Parameters
    ----------
    n_samples : int or array-like of int
        Number of rows.
    eps : float or array-like of float, default=0.1
        Largest relative change of a squared distance, between 0 and 1.

    Returns
    -------
    int or ndarray of int
        4 ln(n_samples) / (eps^2 / 2 - eps^3 / 3), rounded down.

    Examples
    --------
    >>> from certus.components import johnson_lindenstrauss_min_dim
    >>> int(johnson_lindenstrauss_min_dim(1000, eps=0.1))
    5920
    """
    rows, distortion = np.asarray(n_samples), np.asarray(eps)
    if not ((distortion > 0.0) & (distortion < 1.0)).all():
        raise ValueError(f"eps must be above 0 and below 1, got {eps!r}.")
    if not (rows > 0).all():
        raise ValueError(f"n_samples must be above 0, got {n_samples!r}.")
    return (4.0 * np.log(rows) / (distortion**2 / 2.0 - distortion**3 / 3.0)).astype(np.int64)
