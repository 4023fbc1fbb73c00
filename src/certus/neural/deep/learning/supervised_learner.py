"""Fitting deep learners on examples with targets: what is held out, and the trainer's objective."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.neural.deep.learning.deep_learner import DeepLearner
from certus.neural.deep.learning.supervised_objective import Examples, SupervisedObjective, held_out_rows
from certus.neural.deep.training.torch_settings import choose_device


class SupervisedLearner(DeepLearner):
    """A deep learner that is fitted to targets; heirs say how examples are read."""

    validation_fraction: float

    def _validation_examples(self, X: Any, y: Any) -> Examples:
        """The user's own held-out examples."""
        raise NotImplementedError

    def _fit_examples(self, examples: Examples, X_val: Any, y_val: Any, codes: NDArray[np.intp] | None = None) -> None:
        """Train on examples; `codes` are labels by which a share of every class is held out."""
        device = choose_device(self.device)
        if X_val is not None:
            if y_val is None:
                raise ValueError(
                    "X_val needs y_val, the targets of the validation examples; got None.\nHint: pass both."
                )
            held: Examples | None = self._validation_examples(X_val, y_val)
            used = examples.without_zeros()
        else:
            there = np.arange(len(examples.targets))
            if examples.weights is not None:
                there = np.flatnonzero(examples.weights)
            places = held_out_rows(
                len(there), float(self.validation_fraction), self._seed(), None if codes is None else codes[there]
            )
            kept = np.ones(len(there), dtype=bool)
            kept[places] = False
            held = examples.part(there[places]) if len(places) else None
            used = examples if len(places) == 0 and len(there) == len(examples.targets) else examples.part(there[kept])
        self._train(SupervisedObjective(self, used, held, device))
