"""How often a network is wrong, or could be made wrong by a small change of the row."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from certus.base import blas_on_one_thread
from certus.guarantees import Certificate
from certus.guarantees.holdout import RateSetting, rate_bound
from certus.guarantees.records import Quantity, check_confidence
from certus.guarantees.rows import fingerprint, table_hashes, watch_rows
from certus.neural.robust_radius import chosen_method
from certus.neural.robustness.attacks import find_adversarial
from certus.neural.robustness.branch_and_bound import Nearest, nearest_change
from certus.neural.robustness.dense_layers import (
    ScoringNetwork,
    check_norm,
    check_rows,
    lengths,
    scoring_network,
)
from certus.neural.robustness.linear_bounds import cannot_change

BEYOND = 1.0 + 1e-6  # the search looks a little further than the radius: what it proves holds for all of it


def robust_error(
    model: Any,
    X: ArrayLike,
    y: ArrayLike,
    *,
    radius: float,
    norm: str = "inf",
    confidence: float = 0.95,
    method: str = "auto",
    max_nodes: int = 200,
) -> Certificate:
    """Bound the share of rows that are wrong, or that a change within the radius can make wrong.

    A row counts unless its label is right and it is proved that no point within the radius gets another one; the
    count on held-out rows is bounded exactly (Clopper-Pearson). `vulnerable_rows` gives the rows that count; `check`
    takes them as its data.

    Parameters
    ----------
    model : fitted classifier or Sequential
        As for `robust_radius`.
    X, y : array-like
        Held-out rows and their labels; for a Sequential the numbers of the scores, or 0 and 1.
    radius : float
        Of the changes, at least 0.
    norm : {"inf", "2", "1"}, default="inf"
        Of the changes.
    confidence : float, default=0.95
        Probability with which the bound holds.
    method : {"auto", "interval", "linear", "exact"}, default="auto"
        How rows are proved, as for `robust_radius`.
    max_nodes : int, default=200
        Linear programs per row for "exact".

    Raises
    ------
    TrainingRowsError
        The rows are rows that the model was trained on.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.neural import robust_error
    >>> from certus.neural.modules import Dense, Sequential
    >>> line = Sequential(Dense(1, 1))
    >>> line.parameters["0.weights"][:] = 1.0
    >>> X = np.linspace(-1, 1, 200)[:, None]
    >>> robust_error(line, X, X[:, 0] > 0, radius=0.1).claim
    'With confidence 95% the share of rows wrong within a change of 0.1 (norm inf) is at most 14.2% (20 rows in 200
    rows).'
    """
    check_confidence(confidence)
    found = vulnerable_rows(model, X, y, radius=radius, norm=norm, method=method, max_nodes=max_nodes)
    quantity = Quantity("share of rows wrong within a change", of=f"{radius:g} (norm {check_norm(norm)})")
    setting = RateSetting(confidence=confidence, quantity=quantity, noun="row")
    rows = fingerprint(table_hashes(X, np.asarray(y), getattr(model, "feature_names_in_", None)))
    return replace(rate_bound(int(found.sum()), len(found), setting), fingerprint=rows)


def vulnerable_rows(
    model: Any,
    X: ArrayLike,
    y: ArrayLike,
    *,
    radius: float,
    norm: str = "inf",
    method: str = "auto",
    max_nodes: int = 200,
) -> NDArray[np.bool_]:
    """Which rows have a wrong label, or may get one within the radius: True unless the opposite is proved.

    Parameters
    ----------
    model, X, y, radius, norm, method, max_nodes
        As for `robust_error`.
    """
    if isinstance(radius, bool) or not 0.0 <= radius < np.inf:
        raise ValueError(f"radius must be at least 0 and finite, got {radius!r}.\nHint: 0.1 for features of scale 1.")
    network, norm = scoring_network(model), check_norm(norm)
    rows, truth = check_rows(network, X), np.asarray(y)
    if truth.shape != (len(rows),) or not len(rows):
        raise ValueError(
            f"y must have one label per row, got the shape {truth.shape} for {len(rows)} rows.\n"
            "Hint: held-out rows with labels."
        )
    method = chosen_method(network, norm, method)
    with blas_on_one_thread():  # many small products
        with watch_rows() as watch:
            places = network.known_places(rows)
        watch.overlap(allow=False)
        return _vulnerable(network, rows, truth, places, (float(radius), norm, method, max_nodes))


def _vulnerable(
    network: ScoringNetwork, rows: NDArray, truth: NDArray, places: NDArray, options: tuple[float, str, str, int]
) -> NDArray[np.bool_]:
    """Wrong rows, and those that neither the bounds nor the search prove."""
    radius, norm, method, max_nodes = options
    names = network.model.classes_ if hasattr(network.model, "classes_") else np.arange(1 + int(places.max()))
    bad = np.asarray(names)[places] != truth
    left = np.flatnonzero(~bad)
    reach = np.full(len(left), radius)
    bounds = "interval" if method == "interval" else "linear"
    sure = cannot_change(network, rows[left], network.margins(places[left]), reach, norm, bounds)
    open_rows = left[~sure]
    bad[open_rows] = True
    if method == "exact" and len(open_rows):
        bad[open_rows] = _still_open(network, rows[open_rows], places[open_rows], radius, norm, max_nodes)
    return bad


def _still_open(
    network: ScoringNetwork, rows: NDArray, places: NDArray, radius: float, norm: str, max_nodes: int
) -> NDArray[np.bool_]:
    """Which rows the search does not prove either; those with a point of another label in reach need none."""
    points = find_adversarial(network, rows, places, norm)
    found = lengths(points - rows, norm) <= radius
    for number in np.flatnonzero(~found):
        known = Nearest(0.0, radius * BEYOND, np.full(rows.shape[1], np.nan))
        best = nearest_change(network, rows[number], places[number], norm, known, max_nodes)
        found[number] = not best.lower > radius
    return found
