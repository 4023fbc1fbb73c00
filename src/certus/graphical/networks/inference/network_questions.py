"""The questions that a Bayesian network answers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base import RandomStateLike, resolve_seed
from certus.graphical.evidence.probability_interval import interval_certificate
from certus.graphical.networks.bounds import estimated_posteriors, sampled_posteriors
from certus.graphical.networks.bounds.climbed_explanation import climbed_explanation
from certus.graphical.networks.graphs.dag import as_names
from certus.graphical.networks.inference import exact_queries
from certus.graphical.networks.inference.answers import Explanation, Posterior
from certus.graphical.networks.inference.clique_messages import OutOfRange, Question
from certus.graphical.networks.inference.evidence_input import Evidence, read_evidence
from certus.guarantees import Certificate
from certus.guarantees.records import check_choice, check_count

METHODS = ("auto", "exact", "rejection", "weighting", "loopy", "mean_field", "gibbs")

Floats = NDArray[np.float64]
Given = Mapping[str, Any] | None


class NetworkQuestions:
    """Posteriors, probabilities and explanations of a network with tables.

    Evidence is a dict from nodes to a state, a set of states, or likelihoods (a number per state, as a list or a dict).
    """

    def query(
        self,
        targets: str | Sequence[str],
        evidence: Given = None,
        *,
        method: str = "auto",
        max_cells: int | None = None,
        n_samples: int = 10_000,
        confidence: float = 0.95,
        schedule: str = "residual",
        damping: float = 0.0,
        random_state: RandomStateLike = None,
    ) -> Posterior:
        """P(targets | evidence), jointly for several targets.

        Parameters
        ----------
        targets : str or sequence of str
            The nodes.
        evidence : dict, optional
            Node to state, set of states, or likelihoods of its states.
        method : {"auto", "exact", "rejection", "weighting", "loopy", "mean_field", "gibbs"}, default="auto"
            "auto" is exact. "rejection" and "weighting" draw rows, and their certificate holds with the confidence;
            the last three are estimates without a promise, for one target each but "gibbs".
        max_cells : int, optional
            The most memory of exact inference, in numbers of 8 bytes; half of what is free by default.
        n_samples : int, default=10_000
            Rows that sampling draws; sweeps of "gibbs" in all four chains together, the first half of which is dropped.
        confidence : float, default=0.95
            With which the bounds of "rejection" and "weighting" hold, for all states of the targets together.
        schedule : {"residual", "sequential", "parallel"}, default="residual"
            In which order "loopy" sends messages.
        damping : float, default=0.0
            Share of the old message that "loopy" keeps.
        random_state : None, int, RandomState or Generator, default=None
            The seed of sampling.
        """
        found, given = self._places(targets, "targets"), self._evidence(evidence)
        check_choice(method, "method", METHODS)
        if method in ("auto", "exact"):
            return exact_queries.exact_posterior(self, found, given, max_cells)
        if method in ("rejection", "weighting", "gibbs"):
            rows = check_count(n_samples, "n_samples", 16)
            seed = resolve_seed(random_state)
            return sampled_posteriors.sampled(self, found, given, method, rows, confidence, seed)
        check_choice(schedule, "schedule", ("residual", "sequential", "parallel"))
        if not 0.0 <= damping < 1.0:
            raise ValueError(f"damping must be at least 0 and below 1, got {damping!r}.")
        return estimated_posteriors.estimated(self, found, given, method, {"schedule": schedule, "damping": damping})

    def bound_log_probability(
        self, evidence: Given, *, i_bound: int = 10, random_state: RandomStateLike = 0
    ) -> Certificate:
        """Bound log P(evidence) on both sides, for networks of any width.

        Parameters
        ----------
        evidence : dict
            Node to state, set of states, or likelihoods of its states.
        i_bound : int, default=10
            Variables of the largest table besides the one that is summed out: the interval shrinks with it, and is
            exact up to rounding where no product has to be split.
        random_state : None, int, RandomState or Generator, default=0
            The seed of the draws at which mean field starts.

        Returns
        -------
        Certificate
            An exact interval: mean field below, weighted mini-buckets above.
        """
        given = self._evidence(evidence)
        start = sampled_posteriors.possible_row(self, given, resolve_seed(random_state))
        return interval_certificate(Question(self, given, ()), check_count(i_bound, "i_bound", 1), start)

    def marginals(self, evidence: Given = None, *, max_cells: int | None = None) -> dict[str, Floats]:
        """P(v | evidence) of every unobserved node."""
        return exact_queries.all_marginals(self, self._evidence(evidence), max_cells)

    def probability(self, evidence: Given) -> float:
        """P(evidence); 0 if it is impossible."""
        return math.exp(self.log_probability(evidence))

    def log_probability(self, evidence: Given) -> float:
        """The logarithm of P(evidence), which does not underflow; -inf if it is impossible."""
        return exact_queries.log_evidence(self, self._evidence(evidence))

    def mpe(self, evidence: Given = None, *, max_cells: int | None = None) -> Explanation:
        """The most probable assignment to all nodes given the evidence.

        Where max-product does not fit in ``max_cells``, the best assignment that changes of single nodes reach, with a
        certificate of how much better another one can be.
        """
        given = self._evidence(evidence)
        if not Question(self, given, max_cells=max_cells).fits():
            return climbed_explanation(self, given)
        try:
            return exact_queries.best_explanation(self, given, max_cells)
        except OutOfRange:
            return climbed_explanation(self, given)

    def explanations(self, k: int, evidence: Given = None) -> list[Explanation]:
        """The k most probable assignments, best first; fewer if there are no more possible ones."""
        return exact_queries.best_explanations(self, check_count(k, "k", 1), self._evidence(evidence))

    def map(self, targets: str | Sequence[str], evidence: Given = None, *, max_cells: int | None = None) -> Explanation:
        """The most probable joint assignment to the targets, the other nodes summed out (marginal MAP)."""
        return exact_queries.marginal_map(self, self._places(targets, "targets"), self._evidence(evidence), max_cells)

    def query_rows(self, table: Any, target: str) -> Floats:
        """P(target | the other cells) for every row of a table, of shape (rows, states of the target).

        Missing cells and nodes without a column are summed out; a column of the target is not looked at. Rows that are
        impossible get NaN.
        """
        return exact_queries.rows_posterior(self, table, self._places(target, "target")[0])

    def _places(self, names: Any, what: str) -> list[int]:
        given = as_names(names)
        if not given:
            raise ValueError(f"{what} must name at least one node, got none.")
        return list(self._dag.places(given, what))  # type: ignore[attr-defined]

    def _evidence(self, given: Given) -> Evidence:
        return read_evidence(given, self._dag.names, self._labels)  # type: ignore[attr-defined]

    @cached_property
    def _cards(self) -> list[int]:
        return [len(found) for found in self._labels.values()]  # type: ignore[attr-defined]

    def _flat_weights(self, weights: Mapping[int, Floats]) -> Floats:
        """Weights of the states of all nodes one after the other; nothing if no node has any."""
        if not weights:
            return np.empty(0)
        begins = np.cumsum([0, *self._cards])
        flat = np.ones(int(begins[-1]))
        for node, own in weights.items():
            flat[begins[node] : begins[node + 1]] = own
        return flat
