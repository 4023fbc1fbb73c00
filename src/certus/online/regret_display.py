"""Loss, regret and its bound along a stream."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from certus.evaluation import Display
from certus.online.pictures.looked_at import looked_at

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LOSS, REGRET, BOUND = "#9a9a9a", "#1f5fa8", "#c2562d"


class RegretDisplay(Display):
    """What a learner paid after each of some trials, its regret, and the bound on that.

    Parameters
    ----------
    trials : array of shape (looks,)
        After how many trials it was looked.
    loss, regret, bound : array of shape (looks,)
        What was paid since the first trial of the line, what the best in hindsight would have paid less, and the
        largest that this could have been.
    quantity : str, default="regret"
        What is compared.
    """

    def __init__(
        self, trials: ArrayLike, loss: ArrayLike, regret: ArrayLike, bound: ArrayLike, *, quantity: str = "regret"
    ) -> None:
        self.trials, self.loss, self.regret, self.bound = (
            np.asarray(values, dtype=np.float64) for values in (trials, loss, regret, bound)
        )
        self.quantity = quantity
        if self.trials.ndim != 1 or not len(self.trials):
            raise ValueError(f"trials must be a vector of at least one number, got the shape {self.trials.shape}.")
        for name in ("loss", "regret", "bound"):
            if vars(self)[name].shape != self.trials.shape:
                raise ValueError(f"{name} must have one entry per look, got the shape {vars(self)[name].shape}.")

    @classmethod
    def from_stream(
        cls, learner: Any, X: ArrayLike, y: ArrayLike | None = None, *, looks: int = 60, quantity: str | None = None
    ) -> RegretDisplay:
        """Let a copy of a learner go through a stream, and look at its account now and then.

        Parameters
        ----------
        learner : learner with run and ledger_
            Of advice, of losses (without y), or of rows.
        X, y : rows and what is true of them
            The stream.
        looks : int, default=60
            How often.
        quantity : str, optional
            The line of the ledger; by default the first one that is there at the end.

        Examples
        --------
        >>> import numpy as np
        >>> from certus.online import AdaHedge, RegretDisplay
        >>> losses = np.random.default_rng(0).random((500, 4)) * [1.0, 0.5, 1.0, 1.0]
        >>> display = RegretDisplay.from_stream(AdaHedge(4), losses)
        >>> bool((display.regret <= display.bound).all()), float(display.trials[-1])
        (True, 500.0)
        """
        counts, ledgers = zip(
            *((count, runner.ledger_) for count, runner in looked_at(learner, X, y, looks)), strict=True
        )
        if not ledgers[-1].lines:
            raise ValueError(
                f"the ledger of {type(learner).__name__} has no line along the stream, only after `audit`.\n"
                "Hint: draw a learner whose bound is known at any moment."
            )
        named = ledgers[-1].lines[0].quantity if quantity is None else quantity
        found = [ledger.line(named) for ledger in ledgers]  # a short beginning may have been audited besides
        columns = ([getattr(line, name) for line in found] for name in ("loss", "regret", "bound"))
        return cls(counts, *columns, quantity=named)

    def _draw(self, ax: Axes) -> None:
        for values, color, name in (
            (self.loss, LOSS, "loss"),
            (self.bound, BOUND, f"bound on the {self.quantity}"),
            (self.regret, REGRET, self.quantity),
        ):
            ax.plot(self.trials, values, color=color, linewidth=1.4, label=name)
        ax.set(xlabel="trials", ylabel="sum so far")
        told = f"after {self.trials[-1]:.0f} trials: {self.regret[-1]:.4g}, at most {self.bound[-1]:.4g}"
        ax.set_title(told, fontsize=8)
        ax.legend(fontsize=7, frameon=False)
