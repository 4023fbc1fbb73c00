"""What generators of rows are trained on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from certus.neural.deep.lazy_torch import torch
from certus.neural.deep.training import Objective

Rows = NDArray[np.float32]


class BoundObjective(Objective):
    """Minus the variational lower bound of the log-density, at one code per row and epoch.

    Parameters
    ----------
    rows, held : ndarray of shape (n, columns)
        To learn from, and to judge epochs by.
    tensor : callable
        Makes tensors on the right device.
    """

    def __init__(self, rows: Rows, held: Rows, tensor: Callable[[Any], Any]) -> None:
        self._rows, self._held, self._tensor = rows, held, tensor
        self.count = len(rows)

    def batch(self, rows: NDArray[np.int64]) -> Any:
        """Some rows."""
        return self._tensor(self._rows[rows])

    def loss(self, module: Any, batch: Any, phase: str) -> tuple[Any, float]:
        """Minus the sum of the bounds."""
        del phase
        noise = torch.randn(len(batch), module.decoder[0].in_features, device=batch.device)
        return -module.bound(batch, noise).sum(), float(len(batch))

    def score(self, module: Any) -> float | None:
        """The mean bound of the held-out rows."""
        if not len(self._held):
            return None
        total, count = self.loss(module, self._tensor(self._held), "loss")
        return -float(total) / count

    def arrays(self) -> Iterable[Any]:
        """All rows."""
        return self._rows, self._held


class AdversarialObjective(Objective):
    """Both players in turn: -log D(x) - log(1 - D(G(z))) for one, -log D(G(z)) for the other (Goodfellow et al. 2014).

    Parameters
    ----------
    rows : ndarray of shape (n, columns)
        Real rows.
    tensor : callable
        Makes tensors on the right device.
    """

    phases: ClassVar[tuple[str, ...]] = ("discriminator", "generator")

    def __init__(self, rows: Rows, tensor: Callable[[Any], Any]) -> None:
        self._rows, self._tensor, self.count = rows, tensor, len(rows)

    def batch(self, rows: NDArray[np.int64]) -> Any:
        """Some rows."""
        return self._tensor(self._rows[rows])

    def parameters(self, module: Any, phase: str) -> Iterable[Any]:
        """Each player moves its own."""
        return getattr(module, phase).parameters()

    def loss(self, module: Any, batch: Any, phase: str) -> tuple[Any, float]:
        """The loss of one player."""
        entropy = torch.nn.functional.softplus
        made = module.generate(len(batch))
        if phase == "generator":
            return entropy(-module.odds(made)).sum(), float(len(batch))
        real, other = module.odds(batch), module.odds(made.detach())
        return (entropy(-real) + entropy(other)).sum(), float(len(batch))

    def arrays(self) -> Iterable[Any]:
        """All rows."""
        return (self._rows,)
