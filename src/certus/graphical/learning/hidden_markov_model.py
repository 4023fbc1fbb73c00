"""The base of hidden Markov models: what they share whatever their states emit."""

from __future__ import annotations

import copy
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from certus.base import Iterations, fit_method, resolve_seed, warn_user
from certus.base.params import ArrayLike, Interval, OneOf, RandomState, Verbosity
from certus.graphical.convergence_monitor import ConvergenceMonitor
from certus.graphical.evidence.best_path import path_certificate
from certus.graphical.evidence.likelihood_ascent import ascent_certificate
from certus.graphical.learning.baum_welch import Run, Statistics, learn
from certus.graphical.learning.chain_answers import ChainAnswers
from certus.graphical.learning.chain_updates import (
    dirichlet_log_prior,
    normalized_counts,
    random_distributions,
)
from certus.graphical.sequences.observed_rows import ObservedRows
from certus.graphical.sequences.sequence_input import SequenceInput
from certus.guarantees import Report

Floats = NDArray[np.float64]
PRIOR = [Interval(0, None), ArrayLike()]
# scikit-learn's checks that ask for one answer per row, whatever the others are.
ROWS_BELONG_TOGETHER = dict.fromkeys(
    ("check_dict_unchanged", "check_methods_sample_order_invariance", "check_methods_subset_invariance"),
    "rows of a sequence belong together, and score_samples returns a likelihood with the states, as in hmmlearn",
)


class HiddenMarkovModel(ChainAnswers):
    """What all hidden Markov models share.

    Parameters
    ----------
    n_components : int
        Number of states.
    startprob_prior, transmat_prior : float or array-like
        Parameters of Dirichlet priors on the first state and on the transitions from each state; 1 is flat.
    algorithm : {"viterbi", "map"}
        How `decode` and `predict` choose states: the most probable path, or the most probable state of each row.
    random_state : int, RandomState, Generator or None
        Seed of random starts, and of `sample`.
    n_iter : int
        Most rounds of learning from one start.
    tol : float
        Learning stops when a round gains less log-likelihood than this. At most 0: all rounds are done.
    verbose : bool or int
        Whether rounds are printed.
    params, init_params : str
        Letters of what is learned, and of what is set to a start before: "s" startprob_, "t" transmat_, and those
        of the emissions. What is not initialized is taken from the attributes as they are.
    implementation : {"log", "scaling"}
        There for compatibility: recursions are scaled, and turn to logarithms where that is needed.
    n_init : int
        Number of starts; the one with the highest likelihood is kept.

    Attributes
    ----------
    startprob_ : ndarray of shape (n_components,)
        Probabilities of the first state.
    transmat_ : ndarray of shape (n_components, n_components)
        Probabilities of the next state (column) given the present one (row). What is 0 at the start stays 0.
    history_ : ndarray
        Log-likelihood of the training rows plus log prior: before every round, and at the end.
    n_iter_ : int
        Rounds from the best start.
    converged_ : bool
        Whether the last round gained less than ``tol``.
    monitor_ : ConvergenceMonitor
        The rounds in the form that hmmlearn has.
    report_ : Report
        That the likelihood never fell, and that no path beats the decoded one on the training rows.
    """

    _constraints: ClassVar[Any] = {
        "n_components": [Interval(1, None, integer=True)],
        "startprob_prior": PRIOR,
        "transmat_prior": PRIOR,
        "algorithm": [OneOf("viterbi", "map")],
        "random_state": [RandomState()],
        "n_iter": [Interval(1, None, integer=True)],
        "tol": [Interval(None, None)],
        "verbose": [Verbosity()],
        "implementation": [OneOf("log", "scaling")],
        "n_init": [Interval(1, None, integer=True)],
    }
    _chain_state: ClassVar[tuple[str, ...]] = (
        "startprob_",
        "transmat_",
        "history_",
        "n_iter_",
        "converged_",
        "monitor_",
    )

    startprob_prior: Any
    transmat_prior: Any
    n_iter: int
    tol: float
    params: str
    init_params: str
    n_init: int
    history_: Floats
    n_iter_: int
    converged_: bool
    monitor_: ConvergenceMonitor

    @fit_method
    def fit(self, X: Any, y: Any = None, lengths: Any = None, sample_weight: Any = None) -> Self:
        """Learn by rounds of expectation and maximization.

        Parameters
        ----------
        X : table of shape (n_samples, n_features), list of tables, or stream of tables
            Rows of one sequence, or of several with ``lengths``; or a list with a table per sequence. Sequences that do
            not fit into memory: an object whose ``__iter__`` gives them anew at every pass, or a function that
            returns a generator. NaN is a missing value.
        y : array-like of shape (n_samples,), default=None
            Known states, -1 where unknown; or truth values of shape (n_samples, n_components): which states can be. For
            a list or a stream of sequences a list or a stream, too.
        lengths : array-like of shape (n_sequences,), default=None
            Numbers of rows of the sequences; None: all rows are one sequence.
        sample_weight : array-like of shape (n_sequences,), default=None
            Weights of the sequences: 0 removes one, 2 counts it twice.
        """
        kept = self._parts_kept()
        seen: list[bool] = []  # the first table says how wide all are

        def read(table: Any) -> ObservedRows:
            found = self._read_rows(table, reset=not seen, learning=True)
            seen.append(True)
            return found

        batches = SequenceInput(
            read,
            self.n_components,
            X,
            y=y,
            lengths=lengths,
            sample_weight=sample_weight,
            passes="many",
            wide=self._wide,
        )
        seed = resolve_seed(self.random_state)
        best: Run | None = None
        with Iterations(self, self.n_init * self.n_iter) as iterations:
            for start in range(self.n_init):
                self._begin(batches, kept, np.random.default_rng([seed, start]))
                run = learn(self, batches, self._new_monitor(), iterations)
                if best is None or run.objective[-1] > best.objective[-1]:
                    best = run
        assert best is not None
        self._finish(best, batches)
        return self

    def _finish(self, run: Run, batches: SequenceInput) -> None:
        rows = sum(len(batch.rows) for batch in batches)
        for name, value in run.parameters.items():
            setattr(self, name, value)
        self.monitor_ = run.monitor
        self.history_ = np.array(run.objective)
        self.n_iter_ = len(run.objective) - 1
        self.converged_ = bool(run.monitor.converged)
        certificates = [ascent_certificate(self, self.history_, rows)] if self._prior_is_proper() else []
        self.report_ = Report([*certificates, path_certificate(self, batches)])
        if not self.converged_ and self.tol > 0.0:
            gain = run.objective[-1] - run.objective[-2]
            warn_user(
                f"{type(self).__name__} stopped after n_iter={self.n_iter} rounds; the last one gained {gain:.3g} in "
                f"log-likelihood, more than tol={self.tol:g}.\n"
                "Hint: raise n_iter, or set tol=0 where exactly n_iter rounds are wanted.",
                ConvergenceWarning,
            )

    def _parts_kept(self) -> dict[str, Any]:
        """Attributes that are set and shall not be initialized."""
        names = {"s": "startprob_", "t": "transmat_", **self._emitted}
        return {
            name: np.array(getattr(self, name))
            for letter, name in names.items()
            if letter not in self.init_params and self._is_set(name)
        }

    def _new_monitor(self) -> ConvergenceMonitor:
        given = vars(self).get("monitor_")
        if given is None or type(given) is ConvergenceMonitor:
            return ConvergenceMonitor(self.tol, self.n_iter, bool(self.verbose))
        monitor = copy.copy(given)  # each start has its own
        monitor._reset()
        return monitor

    def _begin(self, batches: SequenceInput, kept: dict[str, Any], rng: np.random.Generator) -> None:
        """Parameters to begin with: those that are kept, and new ones for the rest."""
        states, first = self.n_components, next(iter(batches))
        self._before_start(batches)
        for name, value in kept.items():
            setattr(self, name, value)
        if "startprob_" not in kept:
            self.startprob_ = random_distributions(rng, (states,))
        if "transmat_" not in kept:
            self.transmat_ = random_distributions(rng, (states, states))
        missing = "".join(letter for letter, name in self._emitted.items() if name not in kept)
        if missing:
            self._start_emissions(first, missing, rng)
        self.startprob_, self.transmat_ = self._chain()
        self._check_emissions()

    def _before_start(self, batches: SequenceInput) -> None:
        """Learn from the rows what every start needs."""

    def _fitted_parameters(self) -> dict[str, Any]:
        names = ("startprob_", "transmat_", *self._emitted.values())
        return {name: vars(self)[name] for name in map(self._stored_name, names)}

    def _stored_name(self, name: str) -> str:
        return name

    def _maximize(self, statistics: Statistics) -> None:
        if "s" in self.params:
            self.startprob_ = normalized_counts(statistics["starts"], self.startprob_prior, self.startprob_)
        if "t" in self.params:
            self.transmat_ = normalized_counts(statistics["pairs"], self.transmat_prior, self.transmat_)
        self._update_emissions(statistics, self.params)

    def _log_prior(self) -> float:
        chain = dirichlet_log_prior(self.startprob_, self.startprob_prior) + dirichlet_log_prior(
            self.transmat_, self.transmat_prior
        )
        return chain + self._emission_log_prior()

    def _prior_is_proper(self) -> bool:
        """Whether the prior has a highest value; Dirichlet parameters below 1 have none."""
        return all(float(np.min(prior)) >= 1.0 for prior in self._dirichlet_priors())

    def _dirichlet_priors(self) -> list[Any]:
        return [self.startprob_prior, self.transmat_prior]

    def _restored(self) -> None:
        if not any(name in vars(self) for name in self._state):
            return  # saved before it was fitted
        self._chain()
        self._check_emissions()
        if vars(self).get("n_features_in_", self._width()) != self._width():
            raise ValueError("the parameters have another number of columns.")
        history = vars(self).get("history_")
        if history is not None and (not isinstance(history, np.ndarray) or history.dtype.kind != "f"):
            raise ValueError("history_ is not an array of numbers.")
        if not isinstance(vars(self).get("monitor_", ConvergenceMonitor(0.0, 1)), ConvergenceMonitor):
            raise ValueError("monitor_ is not a monitor.")
