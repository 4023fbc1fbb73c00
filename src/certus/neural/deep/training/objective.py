"""What a module is trained on: examples, batches of them, what each costs, and how an epoch is judged."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray


class Objective:
    """What the trainer asks of a learning problem; derive from it.

    Attributes
    ----------
    count : int
        Number of examples to learn from.
    lengths : ndarray or None
        Of the examples, if batches shall hold examples of similar length (less padding).
    """

    # Several players are trained in turn, batch by batch, each by an optimizer of its own.
    phases: ClassVar[tuple[str, ...]] = ("loss",)

    count: int
    lengths: NDArray[np.int64] | None = None

    def batch(self, rows: NDArray[np.int64]) -> Any:
        """Some examples as tensors."""
        raise NotImplementedError

    def loss(self, module: Any, batch: Any, phase: str) -> tuple[Any, float]:
        """The weighted sum of the losses of a batch, as a tensor, and the sum of the weights."""
        raise NotImplementedError

    def parameters(self, module: Any, phase: str) -> Iterable[Any]:
        """What a phase moves."""
        return module.parameters()

    def score(self, module: Any) -> float | None:
        """How good a finished epoch is, larger is better; None: nothing is held out."""
        return None

    def arrays(self) -> Iterable[Any]:
        """What identifies the training data: a checkpoint of other data is refused."""
        return ()

    def digest(self) -> str:
        """A hash of `arrays`."""
        found = hashlib.blake2b(str(self.count).encode(), digest_size=16)
        for array in self.arrays():
            found.update(f"{np.shape(array)}".encode())
            found.update(np.ascontiguousarray(array).view(np.uint8).data)
        return found.hexdigest()
