"""The base of learners of densities: what held-out rows say about a level of the density."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base.inputs import TableLike, TargetLike
from certus.base.learner import Learner, predict_method
from certus.guarantees import Certificate, Report
from certus.guarantees.holdout import RateSetting, rate_bound


class DensityLearner(Learner):
    """A learner that gives rows a log-density."""

    @abstractmethod
    def score_samples(self, X: TableLike) -> NDArray[np.float64]:
        """The log-density of every row."""

    @predict_method
    def certify(
        self, X: TableLike, y: TargetLike | None = None, *, loss: Any = "auto", confidence: float = 0.95, **options: Any
    ) -> Report:
        """Bound the share of rows whose log-density is below a level, from rows that training has not seen.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Held-out rows.
        y : ignored
            There for compatibility.
        loss : {"auto"}, default="auto"
            There for compatibility.
        confidence : float, default=0.95
            Probability with which the bound holds.
        **options
            ``level``: the log-density, chosen without looking at these rows. ``allow_training_rows=True`` asks for an
            estimate on rows of training, which are refused otherwise.

        Returns
        -------
        Report
            The certificates of training together with the bound of these rows.
        """
        level, allow = options.pop("level", None), options.pop("allow_training_rows", False)
        if loss != "auto" or options or not (isinstance(level, int | float) and np.isfinite(level)):
            raise ValueError(
                f"{type(self).__name__}.certify needs level, a finite log-density, got level={level!r}, loss={loss!r} "
                f"and options {sorted(options)}.\n"
                "Hint: take a low quantile of score_samples on other rows."
            )
        setting = RateSetting(
            confidence=confidence, quantity="share of rows below the density level", noun="row below the level"
        )

        def judged() -> list[Certificate]:
            below = self.score_samples(X) < level
            return [rate_bound(int(below.sum()), len(below), setting)]

        return self._with_new_rows(judged, allow_training_rows=allow)
