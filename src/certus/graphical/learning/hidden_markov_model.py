"""The base of hidden Markov models: what they share whatever their states emit."""

from __future__ import annotations

import copy
from abc import abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags

from certus.base import Iterations, Learner, check_X, fit_method, predict_method, resolve_seed, warn_user
from certus.base.inputs import LARGEST
from certus.base.params import ArrayLike, Interval, OneOf, RandomState, Verbosity
from certus.graphical import _native_calls
from certus.graphical.convergence_monitor import ConvergenceMonitor
from certus.graphical.evidence.best_path import path_certificate
from certus.graphical.evidence.likelihood_ascent import ascent_certificate
from certus.graphical.learning.baum_welch import Run, Statistics, learn, refuse_impossible
from certus.graphical.learning.chain_updates import (
    dirichlet_log_prior,
    distributions_in,
    normalized_counts,
    random_distributions,
)
from certus.graphical.sequences.observed_rows import ObservedRows
from certus.graphical.sequences.sequence_input import SequenceBatch, SequenceInput
from certus.graphical.state_tracker import StateTracker
from certus.guarantees import Report

Floats = NDArray[np.float64]
PRIOR = [Interval(0, None), ArrayLike()]
# scikit-learn's checks that ask for one answer per row, whatever the others are.
ROWS_BELONG_TOGETHER = dict.fromkeys(
    ("check_dict_unchanged", "check_methods_sample_order_invariance", "check_methods_subset_invariance"),
    "rows of a sequence belong together, and score_samples returns a likelihood with the states, as in hmmlearn",
)


class HiddenMarkovModel(Learner):
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

    _arguments: ClassVar = {
        "": """
X : table, list of tables or stream of tables
    Sequences, as in ``fit``.
lengths : array-like of shape (n_sequences,), default=None
    Numbers of rows of the sequences.
"""
    }
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
    _emitted: ClassVar[dict[str, str]] = {}  # letter -> attribute of the emissions
    _wide: ClassVar[bool] = True  # whether rows have several columns

    n_components: int
    startprob_prior: Any
    transmat_prior: Any
    algorithm: str
    random_state: Any
    n_iter: int
    tol: float
    params: str
    init_params: str
    n_init: int
    startprob_: Floats
    transmat_: Floats
    history_: Floats
    n_iter_: int
    converged_: bool
    monitor_: ConvergenceMonitor

    # What an emission has to say.

    @abstractmethod
    def _width(self) -> int:
        """Columns of a row, by the parameters of the emissions."""

    @abstractmethod
    def _check_emissions(self) -> None:
        """Refuse parameters of the emissions that cannot be, by name."""

    @abstractmethod
    def _start_emissions(self, batch: SequenceBatch, letters: str, rng: np.random.Generator) -> None:
        """Set first values of the named parameters."""

    @abstractmethod
    def _log_emissions(self, rows: ObservedRows) -> Floats:
        """Log p(row | state), of shape (n_rows, n_components)."""

    @abstractmethod
    def _emission_statistics(self, rows: ObservedRows, posterior: Floats) -> Statistics:
        """Expected statistics, which are added over batches."""

    @abstractmethod
    def _update_emissions(self, statistics: Statistics, letters: str) -> None:
        """Set the named parameters to the most probable ones given expected statistics."""

    @abstractmethod
    def _emission_log_prior(self) -> float:
        """Logarithm of the prior, up to a constant."""

    @abstractmethod
    def _draw(self, state: int, rng: np.random.RandomState) -> Any:
        """A row that the state emits."""

    @abstractmethod
    def _emission_parameters(self) -> int:
        """Free numbers of the emissions."""

    @abstractmethod
    def _emission_scores(self, rows: ObservedRows, posterior: Floats) -> list[Floats]:
        """Derivatives of the log-likelihood by the parameters of the emissions, in the order of ``_emitted``."""

    @abstractmethod
    def _plain_emissions(self) -> dict[str, Any]:
        """The emissions as plain values, for certificates."""

    def _read_rows(self, X: Any, *, reset: bool, learning: bool = False) -> ObservedRows:
        """Check a table: ``reset`` takes its width as that of all, ``learning`` asks for no parameters."""
        table = check_X(
            self, X, reset=reset, dtype=np.float64, order="C", allow_nan=True, largest=LARGEST if learning else None
        )
        return ObservedRows.of(table)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.target_tags.required = False
        return tags

    # Learning.

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

    def _is_set(self, name: str) -> bool:
        return name in vars(self)

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

    # Using a model, fitted or with attributes set by hand.

    def _chain(self) -> tuple[Floats, Floats]:
        """Checked probabilities of first states and transitions."""
        states = self.n_components
        for name in ("startprob_", "transmat_", *self._emitted.values()):
            if not self._is_set(name):
                raise ValueError(f"{name} must be set, or learned by fit, got nothing.")
        return (
            distributions_in(self.startprob_, "startprob_", (states,)),
            distributions_in(self.transmat_, "transmat_", (states, states)),
        )

    def _log_densities(self, batch: SequenceBatch) -> Floats:
        densities = self._log_emissions(batch.rows)
        if batch.allowed is not None:
            densities[~batch.allowed] = -np.inf
        return densities

    def _asked(self, X: Any, lengths: Any, y: Any = None) -> SequenceInput:
        by_hand = "history_" not in vars(self)
        if by_hand:  # what is set by hand may have got another width
            self.__dict__.pop("n_features_in_", None)
        self._chain()
        self._check_emissions()
        if by_hand:
            self.n_features_in_ = self._width()
        return SequenceInput(
            lambda rows: self._read_rows(rows, reset=False), self.n_components, X, y=y, lengths=lengths, wide=self._wide
        )

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

    @predict_method
    def sample(
        self, n_samples: int = 1, random_state: Any = None, currstate: int | None = None
    ) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """Draw a sequence.

        Parameters
        ----------
        n_samples : int, default=1
            Number of rows.
        random_state : int, RandomState or None, default=None
            Seed; None: the parameter of the model.
        currstate : int, default=None
            The state of the first row; None: drawn.

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
            Rows.
        states : ndarray of shape (n_samples,)
            Their states.
        """
        if n_samples < 1:
            raise ValueError(f"n_samples must be at least 1, got {n_samples!r}.")
        start, transitions = self._chain()
        self._check_emissions()
        seed = resolve_seed(self.random_state if random_state is None else random_state)
        rng = np.random.RandomState(np.random.MT19937(seed))
        states = np.empty(n_samples, dtype=np.int64)
        uniforms = rng.random_sample(n_samples)
        chances = np.cumsum(transitions, axis=1)
        states[0] = _drawn(np.cumsum(start), uniforms[0]) if currstate is None else currstate
        for t in range(1, n_samples):
            states[t] = _drawn(chances[states[t - 1]], uniforms[t])
        return np.array([np.atleast_1d(self._draw(int(state), rng)) for state in states]), states

    def get_stationary_distribution(self) -> Floats:
        """Shares of the states in the long run: the distribution that a transition leaves as it is.

        Returns
        -------
        ndarray of shape (n_components,)
            The distribution; of several the one of least norm.
        """
        transitions = self._chain()[1]
        states = len(transitions)
        system = np.vstack([transitions.T - np.eye(states), np.ones(states)])
        found = np.linalg.lstsq(system, np.append(np.zeros(states), 1.0), rcond=None)[0]
        return np.asarray(np.maximum(found, 0.0) / np.maximum(found, 0.0).sum())

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


def normalized_scores(counts: Floats, p: Floats) -> Floats:
    """Derivatives by probabilities along the last axis, which sum to 1."""
    shares = np.divide(counts, p, out=np.zeros_like(counts), where=p > 0.0)
    return np.asarray(np.where(p > 0.0, shares - counts.sum(axis=-1, keepdims=True), 0.0))


def _drawn(cumulated: Floats, uniform: float) -> int:
    """The first state whose cumulated probability is above a uniform number."""
    return min(int(np.searchsorted(cumulated, uniform * cumulated[-1], side="right")), len(cumulated) - 1)
