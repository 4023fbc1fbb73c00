"""How a module is trained, as the parameters of every deep learner say it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from certus.neural.modules import linear_decay


@dataclass(frozen=True)
class TrainingOptions:
    """Numbers and names that the trainer goes by; `of` reads them from a learner."""

    max_epochs: int
    batch_size: int
    optimizer: str
    learning_rate: float
    learning_rate_end: float
    schedule: str
    weight_decay: float
    momentum: float
    clip_norm: float | None
    patience: int | None
    checkpoint: Any
    resume: bool

    @classmethod
    def of(cls, learner: Any) -> TrainingOptions:
        """Those of a learner."""
        return cls(**{name: getattr(learner, name) for name in cls.__dataclass_fields__})

    def rate(self, step: int, steps: int) -> float:
        """The step size before step number `step` of so many."""
        start, end = self.learning_rate, self.learning_rate_end
        if self.schedule == "constant":
            return start
        if self.schedule == "linear":
            return linear_decay(start, end, steps)(step)
        return end + 0.5 * (start - end) * (1.0 + math.cos(math.pi * min(1.0, step / steps)))
