"""What is asked of a hidden Markov chain: likelihoods, states, the most probable path, criteria and scores."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from certus.base import predict_method
from certus.graphical import _native_calls
from certus.graphical.evidence.best_path import path_certificate
from certus.graphical.learning.baum_welch import refuse_impossible
from certus.graphical.learning.sampled_chain import SampledChain
from certus.graphical.sequences.sequence_input import SequenceBatch
from certus.graphical.state_tracker import StateTracker
from certus.guarantees import Report

Floats = NDArray[np.float64]


class ChainAnswers(SampledChain):
    """Answers from the recursions, by sequences."""

    _arguments: ClassVar = {
        "": """
X : table, list of tables or stream of tables
    Sequences, as in ``fit``.
lengths : array-like of shape (n_sequences,), default=None
    Numbers of rows of the sequences.
"""
    }
    algorithm: str

    @predict_method
    def score(self, X: Any, y: Any = None, lengths: Any = None) -> float:
        """Log-likelihood of sequences; minus infinity where no path of states can emit one.

        Parameters
        ----------
        y : array-like of shape (n_samples,), default=None
            Known states, as in ``fit``: the log-likelihood is that of the rows together with them.

        Returns
        -------
        float
            The sum over all sequences.
        """
        batches = self._asked(X, lengths, y)
        chain = self._chain()
        found = (_native_calls.likelihoods(*chain, batch.begins, self._log_densities(batch)).sum() for batch in batches)
        return float(sum(found))

    @predict_method
    def score_samples(self, X: Any, lengths: Any = None) -> tuple[float, Floats]:
        """Log-likelihood, and the probabilities of the states of every row given the whole sequence.

        Returns
        -------
        log_prob : float
            Log-likelihood of all sequences.
        posteriors : ndarray of shape (n_samples, n_components)
            Probabilities of the states.
        """
        total, parts = 0.0, []
        for batch in self._asked(X, lengths):
            densities = self._log_densities(batch)
            found = _native_calls.expect_states(*self._chain(), batch.begins, densities, np.empty(0))
            refuse_impossible(found.likelihood)
            total += float(found.likelihood.sum())
            parts.append(found.posterior)
        return total, np.concatenate(parts)

    @predict_method
    def predict_proba(self, X: Any, lengths: Any = None) -> Floats:
        """Probabilities of the states of every row given the whole sequence (smoothing).

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            Every row sums to 1.
        """
        return self.score_samples(X, lengths)[1]

    @predict_method
    def filter(self, X: Any, lengths: Any = None) -> Floats:
        """Probabilities of the state of every row given the rows up to it.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            Every row sums to 1.
        """
        parts = []
        for batch in self._asked(X, lengths):
            filtered, likelihood = _native_calls.filter_states(*self._chain(), batch.begins, self._log_densities(batch))
            refuse_impossible(likelihood)
            parts.append(filtered)
        return np.concatenate(parts)

    @predict_method
    def decode(self, X: Any, lengths: Any = None, algorithm: str | None = None) -> tuple[float, NDArray[np.int64]]:
        """The most probable states.

        Parameters
        ----------
        algorithm : {"viterbi", "map"}, default=None
            The most probable path, or the most probable state of each row, whose path may be impossible. None: the
            parameter of the model.

        Returns
        -------
        log_prob : float
            Log-probability of the rows together with these states.
        states : ndarray of shape (n_samples,)
            The states.
        """
        how = self.algorithm if algorithm is None else algorithm
        if how not in ("viterbi", "map"):
            raise ValueError(f"algorithm must be 'viterbi' or 'map', got {algorithm!r}.")
        total, parts = 0.0, []
        for batch in self._asked(X, lengths):
            states, value = self._decoded(batch, how)
            total += value
            parts.append(states)
        return total, np.concatenate(parts)

    def _decoded(self, batch: SequenceBatch, how: str) -> tuple[NDArray[np.int64], float]:
        densities = self._log_densities(batch)
        if how == "viterbi":
            states, values = _native_calls.best_paths(*self._chain(), batch.begins, densities)
            refuse_impossible(values)
            return states, float(values.sum())
        found = _native_calls.expect_states(*self._chain(), batch.begins, densities, np.empty(0))
        refuse_impossible(found.likelihood)
        states = found.posterior.argmax(axis=1).astype(np.int64)
        return states, self._path_value(states, batch, densities)

    def _path_value(self, states: NDArray[np.int64], batch: SequenceBatch, densities: Floats) -> float:
        """Log p(rows, states): one term per row and per transition inside a sequence."""
        start, transitions = self._chain()
        begins = batch.begins[:-1]
        inside = np.ones(len(states), dtype=bool)
        inside[begins] = False
        places = np.flatnonzero(inside)
        with np.errstate(divide="ignore"):
            steps = np.log(transitions)[states[places - 1], states[places]].sum()
            firsts = np.log(start)[states[begins]].sum()
        return float(densities[np.arange(len(states)), states].sum() + steps + firsts)

    @predict_method
    def predict(self, X: Any, lengths: Any = None) -> NDArray[np.int64]:
        """The states that `decode` finds.

        Returns
        -------
        ndarray of shape (n_samples,)
            The states.
        """
        return self.decode(X, lengths)[1]

    @predict_method
    def path_report(self, X: Any, lengths: Any = None) -> Report:
        """A certificate that no path of states is more probable than the one that `decode` finds for these rows.

        Returns
        -------
        Report
            One certificate; ``check(X)`` of it computes everything again by plain recursions (one sequence).
        """
        return Report([path_certificate(self, self._asked(X, lengths))])

    def tracker(self) -> StateTracker:
        """Follow one sequence row by row: ``observe(row)`` gives the probabilities of the present state.

        Returns
        -------
        StateTracker
            It has seen no row yet.
        """
        self._asked(np.full((1, self._width()), np.nan), None)
        return StateTracker(self)

    def _free_parameters(self) -> int:
        return self.n_components**2 - 1 + self._emission_parameters()

    def aic(self, X: Any, lengths: Any = None) -> float:
        """Akaike's criterion, -2 log-likelihood + 2 parameters: lower is better.

        Parameters
        ----------
        X : table or list of tables
            Sequences, as in ``fit``.

        Returns
        -------
        float
            The criterion.
        """
        return -2.0 * self.score(X, lengths) + 2.0 * self._free_parameters()

    def bic(self, X: Any, lengths: Any = None) -> float:
        """The Bayesian criterion, -2 log-likelihood + parameters times log(rows): lower is better.

        Parameters
        ----------
        X : table or list of tables
            Sequences, as in ``fit``.

        Returns
        -------
        float
            The criterion.
        """
        rows = sum(len(batch.rows) for batch in self._asked(X, lengths))
        return -2.0 * self.score(X, lengths) + float(np.log(rows)) * self._free_parameters()

    @predict_method
    def fisher_scores(self, X: Any, lengths: Any = None) -> Floats:
        """Derivatives of the log-likelihood of each sequence by the parameters, for a Fisher kernel.

        Probabilities p are taken as normalized: expected count / p minus the expected counts of its row, and 0 where
        p is 0 (Jaakkola and Haussler 1999).

        Returns
        -------
        ndarray of shape (n_sequences, n_parameters)
            By startprob_, transmat_, and the emissions' parameters, each in row order.
        """
        start, transitions = self._chain()
        found = []
        for batch in self._asked(X, lengths):
            densities = self._log_densities(batch)
            for begin, end in zip(batch.begins[:-1], batch.begins[1:], strict=True):
                one = np.array([0, end - begin], dtype=np.int64)
                expected = _native_calls.expect_states(start, transitions, one, densities[begin:end], np.empty(0))
                refuse_impossible(expected.likelihood)
                parts = [
                    normalized_scores(expected.first, start),
                    normalized_scores(expected.pairs, transitions),
                    *self._emission_scores(batch.rows[int(begin) : int(end)], expected.posterior),
                ]
                found.append(np.concatenate([part.ravel() for part in parts]))
        return np.array(found)


def normalized_scores(counts: Floats, p: Floats) -> Floats:
    """Derivatives by probabilities along the last axis, which sum to 1."""
    shares = np.divide(counts, p, out=np.zeros_like(counts), where=p > 0.0)
    return np.asarray(np.where(p > 0.0, shares - counts.sum(axis=-1, keepdims=True), 0.0))
