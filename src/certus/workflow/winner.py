"""Who won the race: one trial, or several in a blend."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.workflow.race.trials import Trial


@dataclass(frozen=True)
class Winner:
    """Who won: one trial, or several with their weights in a blend.

    Attributes
    ----------
    trials : list of Trial
        The trials behind it.
    weights : array
        Their weights; 1.0 for a single one.
    value : float
        The measure on the validation rows.
    out_of_fold : array
        Its predictions for the validation rows.
    responses : array or None
        Probabilities, or votes, of the labels there.
    """

    trials: list[Trial]
    weights: NDArray[np.float64]
    value: float
    out_of_fold: NDArray[Any]
    responses: NDArray[Any] | None = None

    @property
    def name(self) -> str:
        """Its learners with their settings and weights."""
        if len(self.trials) == 1:
            return self.trials[0].name
        parts = (f"{weight:.2g} {trial.name}" for trial, weight in zip(self.trials, self.weights, strict=True))
        return f"blend of {' + '.join(parts)}"

    @property
    def short_name(self) -> str:
        """How a leaderboard calls it."""
        return self.trials[0].name if len(self.trials) == 1 else f"blend of {len(self.trials)} models"

    @property
    def title(self) -> str:
        """The name without its settings."""
        return self.trials[0].candidate.title if len(self.trials) == 1 else "Blend"
