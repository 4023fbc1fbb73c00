"""How many independent draws a sampler's chains are worth."""

from typing import Any

import numpy as np

from benchmarks.measure.task import Data, Quality


def _smallest(model: Any, _prediction: np.ndarray, _data: Data) -> float:
    from certus.evaluation import ess

    drawn = getattr(model.draws_, "values", model.draws_)
    return float(np.min(ess(np.asarray(drawn))))


def smallest_effective_size(wanted: float) -> Quality:
    """The smallest bulk effective sample size of all coefficients."""
    return Quality("smallest ess", _smallest, lower_is_better=False, wanted=wanted)
