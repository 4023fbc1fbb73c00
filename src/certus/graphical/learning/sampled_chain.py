"""Sequences drawn from a hidden Markov chain, and its shares in the long run."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base import predict_method, resolve_seed
from certus.graphical.learning.emitting_chain import EmittingChain

Floats = NDArray[np.float64]


class SampledChain(EmittingChain):
    """Draws of states and of what they emit."""

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


def _drawn(cumulated: Floats, uniform: float) -> int:
    """The first state whose cumulated probability is above a uniform number."""
    return min(int(np.searchsorted(cumulated, uniform * cumulated[-1], side="right")), len(cumulated) - 1)
