"""The questions that a Bayesian network answers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.graphical.networks.graphs.dag import as_names
from certus.graphical.networks.inference import exact_queries
from certus.graphical.networks.inference.answers import Explanation, Posterior
from certus.graphical.networks.inference.evidence_input import Evidence, read_evidence

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
    ) -> Posterior:
        """P(targets | evidence), jointly for several targets.

        Parameters
        ----------
        targets : str or sequence of str
            The nodes.
        evidence : dict, optional
            Node to state, set of states, or likelihoods of its states.
        method : {"auto", "exact"}, default="auto"
            How to compute it.
        max_cells : int, optional
            The most memory of exact inference, in numbers of 8 bytes; half of what is free by default.
        """
        found = self._places(targets, "targets")
        return exact_queries.exact_posterior(self, found, self._evidence(evidence), max_cells)

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
        """The most probable assignment to all nodes given the evidence."""
        return exact_queries.best_explanation(self, self._evidence(evidence), max_cells)

    def explanations(self, k: int, evidence: Given = None) -> list[Explanation]:
        """The k most probable assignments, best first; fewer if there are no more possible ones."""
        if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
            raise ValueError(f"k must be a whole number of at least 1, got {k!r}.")
        return exact_queries.best_explanations(self, int(k), self._evidence(evidence))

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
