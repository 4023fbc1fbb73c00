"""How the loss of a network fell while it learned."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from certus.evaluation.displays.display import ACCENT, SOFT, Display

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class LossCurveDisplay(Display):
    """Loss after every epoch or step, on the rows that are learned from and on others.

    Parameters
    ----------
    loss : sequence of float
        On the rows of training.
    validation : sequence of float, default=()
        On other rows; the lowest is marked: its weights are the ones to keep.
    unit : str, default="epoch"
        What is counted.
    """

    def __init__(self, loss: Sequence[float], validation: Sequence[float] = (), unit: str = "epoch") -> None:
        if not len(loss):
            raise ValueError("loss must have at least one value, got none.\nHint: loss_curve_ of a fitted network.")
        self.loss, self.validation, self.unit = loss, validation, unit

    @classmethod
    def from_estimator(cls, model: Any) -> LossCurveDisplay:
        """From the `loss_curve_` of a fitted network, and the curve of its validation rows if it has kept one."""
        return cls(model.loss_curve_, getattr(model, "validation_losses_", None) or ())

    @property
    def best(self) -> int | None:
        """Number of the epoch with the lowest loss on validation rows, from 1."""
        return 1 + min(range(len(self.validation)), key=self.validation.__getitem__) if len(self.validation) else None

    def _draw(self, ax: Axes) -> None:
        ax.plot(range(1, len(self.loss) + 1), self.loss, color=ACCENT, label="training")
        if self.best is not None:
            ax.plot(range(1, len(self.validation) + 1), self.validation, color=SOFT, label="validation")
            ax.plot([self.best], [self.validation[self.best - 1]], "o", color=SOFT, markersize=5)
        ax.set(xlabel=self.unit, ylabel="loss")
        ax.legend(frameon=False)
