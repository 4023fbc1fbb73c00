"""Following one sequence row by row."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

Floats = NDArray[np.float64]


class StateTracker:
    """The state of a sequence that is still going on: what `HiddenMarkovModel.filter` gives, one row at a time.

    Made by ``model.tracker()``.

    Attributes
    ----------
    probabilities : ndarray of shape (n_components,)
        Probabilities of the present state; before the first row those of the first state.
    log_likelihood : float
        Log-likelihood of the rows so far.
    n_rows : int
        Rows so far.
    """

    def __init__(self, model: Any) -> None:
        self._model = model
        start, transitions = model._chain()
        with np.errstate(divide="ignore"):
            self._ahead, self._log_transitions = np.log(start), np.log(transitions)
        self._present = self._ahead
        self.log_likelihood = 0.0
        self.n_rows = 0

    @property
    def probabilities(self) -> Floats:
        return np.asarray(np.exp(self._present))

    def observe(self, x: Any) -> Floats:
        """Take one more row; NaN is a missing value.

        Parameters
        ----------
        x : array-like of shape (n_features,)
            The row.

        Returns
        -------
        ndarray of shape (n_components,)
            Probabilities of its state, given all rows up to it.
        """
        rows = self._model._read_rows(np.atleast_1d(np.asarray(x)).reshape(1, -1), reset=False)
        joint = self._ahead + self._model._log_emissions(rows)[0]
        gained = float(logsumexp(joint))
        if gained == -np.inf:
            raise ValueError(
                f"Row {self.n_rows} cannot be emitted by any state that is possible now, got {x!r}.\n"
                "Hint: begin a new sequence with another tracker."
            )
        self._present = joint - gained
        self._ahead = logsumexp(self._present[:, None] + self._log_transitions, axis=0)
        self.log_likelihood += gained
        self.n_rows += 1
        return self.probabilities

    def forecast(self, steps: int = 1) -> Floats:
        """Probabilities of the state some rows ahead.

        Parameters
        ----------
        steps : int, default=1
            How many rows ahead; 0 is the present row.

        Returns
        -------
        ndarray of shape (n_components,)
            The probabilities.
        """
        if isinstance(steps, bool) or not isinstance(steps, int | np.integer) or steps < 0:
            raise ValueError(f"steps must be a whole number of at least 0, got {steps!r}.")
        if self.n_rows == 0:
            steps -= 1  # the first row is one step ahead
        return np.asarray(self.probabilities @ np.linalg.matrix_power(np.exp(self._log_transitions), max(steps, 0)))
