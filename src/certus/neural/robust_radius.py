"""For every row a radius inside which a network gives no other label, and a point outside that gets one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from certus.base import blas_on_one_thread
from certus.neural.robustness.attacks import find_adversarial
from certus.neural.robustness.branch_and_bound import CLOSE, Nearest, nearest_change
from certus.neural.robustness.dense_layers import ScoringNetwork, check_norm, check_rows, lengths, scoring_network
from certus.neural.robustness.linear_bounds import cannot_change
from certus.neural.robustness.radius_search import largest_accepted

WIDENINGS = 4  # of the ball, ten times each
METHODS = ("auto", "interval", "linear", "exact")
UNITS_FOR_EXACT = 50
EXACT_NORMS = ("inf", "1")  # distances that are linear programs


@dataclass(frozen=True)
class RobustRadius:
    """Radii per row.

    Parameters
    ----------
    lower : array of shape (rows,)
        No point nearer than that gets another label than its row: always true, rounding included.
    upper : array of shape (rows,)
        Distance of `adversarial`; infinite where no such point was found, as where scores become equal and stay so.
    exact : array of shape (rows,)
        Whether both agree to a relative 1e-6.
    adversarial : array of shape (rows, features)
        A point with another label; NaN where none was found.
    norm : str
        Of distances.
    """

    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    exact: NDArray[np.bool_]
    adversarial: NDArray[np.float64]
    norm: str


def robust_radius(
    model: Any, X: ArrayLike, *, norm: str = "inf", method: str = "auto", max_nodes: int = 1000
) -> RobustRadius:
    """Radii inside which no point gets another label.

    Parameters
    ----------
    model : fitted classifier or Sequential
        Dense layers with ReLU, tanh or sigmoid between them: a network with `coefs_` and `intercepts_`, such as
        scikit-learn's `MLPClassifier`, or modules. A Sequential gives scores: the label is the largest, or of a
        single one its sign.
    X : array-like of shape (rows, features)
        Rows, scaled as the network learned them.
    norm : {"inf", "2", "1"}, default="inf"
        Of changes: the largest of a feature, Euclidean length, or their sum.
    method : {"auto", "interval", "linear", "exact"}, default="auto"
        Intervals through the layers; lines instead of activations, from the scores back to the inputs (CROWN: Zhang
        et al. 2018); or in addition a search over the signs of the units, which ends with the exact radius. "auto"
        searches for ReLU networks of at most 50 hidden units in the norms "inf" and "1".
    max_nodes : int, default=1000
        Linear programs per row that the search may solve; where they do not suffice, `lower` is what they proved.

    Examples
    --------
    >>> from certus.neural import robust_radius
    >>> from certus.neural.modules import Dense, Sequential
    >>> line = Sequential(Dense(2, 1))
    >>> line.parameters["0.weights"][:] = [[3.0], [1.0]]
    >>> found = robust_radius(line, [[1.0, 1.0]])
    >>> found.lower.round(6).tolist(), found.upper.round(6).tolist(), found.adversarial.round(6).tolist()
    ([1.0], [1.0], [[0.0, 0.0]])
    """
    network, norm = scoring_network(model), check_norm(norm)
    rows = check_rows(network, X)
    method = chosen_method(network, norm, method)
    with blas_on_one_thread():  # many small products
        return _radii(network, rows, norm, method, max_nodes)


def _radii(network: ScoringNetwork, rows: NDArray, norm: str, method: str, max_nodes: int) -> RobustRadius:
    """Attacks from outside, bounds from inside, and the search between them."""
    places = network.known_places(rows)
    points = find_adversarial(network, rows, places, norm)
    upper = np.where(np.isnan(points).any(axis=1), np.inf, lengths(points - rows, norm))
    margins, bounds = network.margins(places), "interval" if method == "interval" else "linear"

    def accepted(numbers: NDArray, radius: NDArray) -> NDArray:
        return cannot_change(network, rows[numbers], margins[numbers], radius, norm, bounds)

    lower = largest_accepted(accepted, upper)
    if method == "exact":
        for number, row in enumerate(rows):
            known = Nearest(lower[number], upper[number], points[number])
            found = _searched(network, row, places[number], norm, known, max_nodes)
            lower[number], upper[number], points[number] = found.lower, found.upper, found.point
    exact = lower >= upper * (1.0 - 10.0 * CLOSE)
    return RobustRadius(lower, upper, exact, points, norm)


def _searched(network: ScoringNetwork, row: NDArray, place: int, norm: str, known: Nearest, max_nodes: int) -> Nearest:
    """The search, inside ever larger balls where no point with another label is known."""
    if known.lower >= known.upper * (1.0 - CLOSE):
        return known
    if np.isfinite(known.upper):
        return nearest_change(network, row, place, norm, known, max_nodes)
    for _ in range(WIDENINGS):
        reach = 10.0 * known.lower
        found = nearest_change(network, row, place, norm, Nearest(known.lower, reach, known.point), max_nodes)
        if np.isfinite(found.point).all():
            return found
        known = Nearest(found.lower, np.inf, known.point)
        if found.lower < reach * (1.0 - CLOSE):
            break
    return known


def chosen_method(network: ScoringNetwork, norm: str, method: str) -> str:
    """What "auto" means for that network; a search that cannot be made is refused."""
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(METHODS)}, got {method!r}.\nHint: 'auto'.")
    possible = network.only_relu and norm in EXACT_NORMS
    if method == "exact" and not possible:
        raise ValueError(
            f"method='exact' needs ReLU units only and the norm inf or 1, got the norm {norm} and "
            f"{'ReLU' if network.only_relu else 'other'} units.\nHint: method='linear' bounds any of these networks."
        )
    if method == "auto":
        return "exact" if possible and network.n_units <= UNITS_FOR_EXACT else "linear"
    return method
