"""The tables of a Bayesian network from rows, of which cells or whole columns may be missing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy
from sklearn.exceptions import ConvergenceWarning

from certus.base import RandomStateLike, check_parameters, resolve_seed, warn_user
from certus.base.em import best_climb
from certus.base.params import Constraints, InstanceOf, Interval, OneOf, RandomState
from certus.graphical.bayesian_network import BayesianNetwork
from certus.graphical.evidence.table_certificates import ascent_certificate, optimum_certificate
from certus.graphical.learning.parameters.incomplete_rows import IncompleteRows, shares
from certus.graphical.learning.parameters.table_shapes import TableShapes
from certus.graphical.networks.tables.coded_columns import coded_rows
from certus.guarantees import Report
from certus.guarantees.holdout import clopper_pearson
from certus.guarantees.records import check_confidence

Floats = NDArray[np.float64]
KEPT = 20_000  # entries up to which certificates keep tables


@dataclass(frozen=True, eq=False)
class LearnedTables:
    """A network with tables learned from rows.

    Parameters
    ----------
    network : BayesianNetwork
        The structure with its tables. Rows of tables whose parents never occurred are uniform without ``alpha``.
    history : list of float
        The log-likelihood of the observed cells, plus the log prior with ``alpha``: of the start, and after each round.
        Of complete rows the maximum alone.
    converged : bool
        Whether the rounds ended because one gained less than ``tol`` per row.
    report : Report
        Of complete rows that no tables are more likely; else that no round lowered the likelihood.
    counts : dict of node to ndarray
        How often each entry occurred, or was expected to, without imaginary counts.
    """

    network: BayesianNetwork
    history: list[float]
    converged: bool
    report: Report
    counts: dict[str, Floats] = field(repr=False)
    complete: bool = field(default=True, repr=False)

    def intervals(self, level: float = 0.95) -> dict[str, Floats]:
        """Clopper-Pearson intervals, each for one entry at this level: tables with a last axis (low, high).

        An entry is the probability of a state among the rows with those parents, whose number is taken as fixed.

        Parameters
        ----------
        level : float, default=0.95
            The probability with which each interval holds the true entry.
        """
        if not self.complete:
            raise ValueError(
                "Intervals need rows that were counted, got expected counts of rows with missing cells.\n"
                "Hint: learn from the complete rows, or from those columns that are."
            )
        delta = 0.5 * (1.0 - check_confidence(level))
        found = {}
        for name, table in self.counts.items():
            events = table.ravel().astype(np.int64)
            rows = np.broadcast_to(table.sum(axis=-1, keepdims=True), table.shape).ravel().astype(np.int64)
            ends = np.tile([0.0, 1.0], (len(events), 1))
            seen = rows > 0
            ends[seen, 0] = clopper_pearson.lowers(events[seen], rows[seen], delta)
            ends[seen, 1] = clopper_pearson.uppers(events[seen], rows[seen], delta)
            found[name] = ends.reshape(*table.shape, 2)
        return found


RULES: Constraints = {
    "network": [InstanceOf(BayesianNetwork)],
    "alpha": [Interval(0, None), InstanceOf(dict)],
    "start": [OneOf("uniform", "random"), InstanceOf(BayesianNetwork)],
    "n_init": [Interval(1, None, integer=True)],
    "max_iter": [Interval(1, None, integer=True)],
    "tol": [Interval(0, None)],
    "random_state": [RandomState()],
}


def learn_tables(
    network: BayesianNetwork,
    table: Any,
    *,
    alpha: Any = 0.0,
    start: Any = "uniform",
    n_init: int = 1,
    max_iter: int = 200,
    tol: float = 1e-8,
    random_state: RandomStateLike = None,
) -> LearnedTables:
    """Estimate the tables of a network from rows.

    Complete rows are counted: ``(N + alpha) / sum (N + alpha)``. With missing cells, expected counts take their place
    and rounds of expectation and maximization climb to a local maximum of the likelihood of what is observed.

    Parameters
    ----------
    network : BayesianNetwork
        The structure; tables it has are not used.
    table : polars or pandas frame, or dict of columns
        Rows; None and NaN are missing. A node without a column, or with an empty one, is latent.
    alpha : float or dict of node to float or array-like, default=0.0
        Imaginary counts of every entry. The result is the maximum of the posterior under a Dirichlet prior with
        parameters ``alpha + 1``, and the posterior mean under one with ``alpha``.
    start : {"uniform", "random"} or BayesianNetwork, default="uniform"
        First tables of the rounds. Around latent nodes "uniform" would stay where it is: their tables and those of
        their children are drawn at random.
    n_init : int, default=1
        Starts, of which the one that ends highest is kept; all but the first are random.
    max_iter : int, default=200
        Most rounds of a start.
    tol : float, default=1e-8
        Rounds end when one changed the objective per row by less.
    random_state : int, RandomState instance or None, default=None
        Seed of random starts.

    Returns
    -------
    LearnedTables
        ``network``, ``history``, ``converged``, ``report``, ``counts``, ``intervals(level)``.

    Examples
    --------
    >>> from certus.graphical import BayesianNetwork, learn_tables
    >>> structure = BayesianNetwork({"wet": ["rain"]}, {"rain": ["y", "n"], "wet": ["y", "n"]})
    >>> found = learn_tables(structure, {"rain": ["y", "y", "n", None], "wet": ["y", "y", "n", "n"]})
    >>> print(found.network.table("rain").round(4), found.converged)
    [0.5 0.5] True
    """
    given = {name: value for name, value in locals().items() if name in RULES}
    check_parameters("learn_tables", RULES, given)
    shapes = TableShapes(network)
    codes = coded_rows(table, shapes.nodes, shapes.labels, absent=True)
    if not len(codes):
        raise ValueError("The table must have at least one row, got none.")
    imaginary = shapes.spread(alpha)
    model = IncompleteRows(shapes, codes, np.ones(len(codes)), imaginary)
    facts = {
        "nodes": list(shapes.nodes),
        "states": [list(labels) for labels in shapes.labels],
        "parents": shapes.parents,
        "rows": len(codes),
        "alpha": float(alpha) if not isinstance(alpha, dict) else 0.0,
    }
    certified = shapes.cells <= KEPT and not isinstance(alpha, dict) and _plain(shapes.labels)
    if not len(model.rows):
        return _counted(shapes, model, facts if certified else None)
    latent = np.flatnonzero((codes < 0).all(axis=0)).tolist()
    starts = _starts(shapes, latent, start, n_init, resolve_seed(random_state))
    run = best_climb(model, starts, tol=tol, max_iter=max_iter)
    if not run.converged:
        warn_user(
            f"learn_tables made {max_iter} rounds without reaching tol={tol}.\nHint: raise max_iter.",
            ConvergenceWarning,
        )
    history = [value * model.total for value in run.history]
    report = Report([ascent_certificate(facts, history, run.parameters)] if certified else [])
    counts = shapes.split(model.expect(run.parameters)[1])
    learned = network.with_tables(shapes.split(run.parameters))
    return LearnedTables(learned, history, run.converged, report, counts, complete=False)


def _counted(shapes: TableShapes, model: IncompleteRows, facts: dict[str, Any] | None) -> LearnedTables:
    counts = model.counted + model.alpha
    values = shares(shapes, counts, shapes.uniform())
    report = Report([optimum_certificate(facts, counts, values)] if facts else [])
    objective = float(xlogy(counts, values).sum())
    learned = shapes.network.with_tables(shapes.split(values))
    return LearnedTables(learned, [objective], True, report, shapes.split(model.counted))


def _starts(shapes: TableShapes, latent: list[int], start: Any, count: int, seed: int) -> list[Callable[[], Floats]]:
    """First tables of every start; random ones have generators of their own."""
    every = range(len(shapes.nodes))
    generators = [np.random.default_rng(own) for own in np.random.SeedSequence(seed).spawn(count)]
    found: list[Callable[[], Floats]] = [partial(shapes.random, generator, every) for generator in generators]
    if isinstance(start, BayesianNetwork):
        found[0] = partial(shapes.given, start)
    elif start == "uniform":
        around = [node for node in every if node in latent or set(shapes.parents[node]) & set(latent)]
        found[0] = partial(shapes.random, generators[0], around)
    return found


def _plain(labels: list[tuple[Any, ...]]) -> bool:
    """Whether all labels are of kinds that a certificate can keep."""
    return all(isinstance(label, str | int | float | bool) for own in labels for label in own)
