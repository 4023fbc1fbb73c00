"""The last check of a loaded model: it answers for a row of zeros."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from certus.base.learner import Learner
from certus.guarantees.records import CertusFileError

_QUESTIONS = ("predict", "predict_proba", "decision_function", "transform")
_MOST_COLUMNS = 100_000
# What a state that does not fit together leads to. A ValueError may be about the row, which not every model takes.
_MISFITS = (TypeError, IndexError, KeyError, AttributeError, ZeroDivisionError, AssertionError)


def check_answers(model: Any) -> None:
    """Refuse a fitted learner (or the one at the end of a pipeline) whose state cannot be computed with."""
    learner = model.steps[-1][1] if getattr(model, "steps", None) else model
    width = getattr(learner, "n_features_in_", None)
    if not isinstance(learner, Learner) or width is None or width > _MOST_COLUMNS:
        return
    row = np.zeros((1, width))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            for name in _QUESTIONS:
                if hasattr(learner, name):
                    getattr(learner, name)(row)
        except _MISFITS as error:
            kind = type(learner).__name__
            first = str(error).splitlines()[0] if str(error) else ""
            raise CertusFileError(
                f"the fitted state of a {kind} does not fit together: {type(error).__name__}: {first}"
            ) from error
        except ValueError:
            return
