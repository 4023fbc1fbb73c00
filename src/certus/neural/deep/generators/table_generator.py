"""Tables as generators learn them: shifted and scaled columns, and new rows in the columns' own units."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from certus.base import predict_method, resolve_seed
from certus.base.inputs import RandomStateLike, TableLike, check_X
from certus.base.params import ArrayLike, Interval
from certus.base.persistence import check_shapes
from certus.neural.deep.learning.deep_learner import CONSTRAINTS, DeepLearner
from certus.neural.deep.training.torch_settings import own_randomness
from certus.neural.learning.network_options import hidden_sizes

GENERATOR_CONSTRAINTS: dict[str, list[Any]] = {
    **CONSTRAINTS,
    "n_components": [Interval(1, None, integer=True)],
    "hidden_layer_sizes": [ArrayLike(), Interval(1, None, integer=True)],
}
MOST_ROWS = 100_000  # made at once


class TableGenerator(DeepLearner):
    """A learner that makes new rows of a table.

    Parameters
    ----------
    n_components : int
        Numbers of noise that a row is made from.
    hidden_layer_sizes : int or sequence of int
        Units of the hidden layers; those of the other network are the same, or the same in reverse.

    Attributes
    ----------
    center_, scale_ : ndarray of shape (n_features_in_,)
        Means of the columns, and their deviations: networks see the columns shifted and scaled by these.
    """

    _state: ClassVar[tuple[str, ...]] = ("center_", "scale_", *DeepLearner._state)
    _arguments: ClassVar[dict[str, str]] = {
        "sample": """
n_samples : int, default=1
    How many.
random_state : int, RandomState, Generator or None, default=None
    Seed; None: the learner's own.
"""
    }

    n_components: int
    hidden_layer_sizes: Any
    center_: NDArray[np.float64]
    scale_: NDArray[np.float64]
    n_features_in_: int

    def _sizes(self) -> tuple[int, ...]:
        return hidden_sizes(self)

    def _read(self, X: TableLike, *, reset: bool) -> NDArray[np.float32]:
        """Rows as the networks see them."""
        table = np.asarray(check_X(self, X, reset=reset, order="C"))
        with np.errstate(over="ignore", invalid="ignore"):  # told below
            if reset:
                self.center_ = table.mean(axis=0, dtype=np.float64)
                deviations = np.sqrt(((table - self.center_) ** 2).mean(axis=0, dtype=np.float64))
                floor = 1e-12 * (1.0 + np.abs(self.center_))  # a constant column is not blown up
                self.scale_ = np.where(deviations > floor, deviations, 1.0)
            found = ((table - self.center_) / self.scale_).astype(np.float32)
        if not (np.isfinite(found).all() and np.isfinite(self.scale_).all()):
            raise ValueError(
                f"{type(self).__name__}: X must have numbers whose squares can be added, got some that overflow.\n"
                "Hint: divide such columns by a power of ten."
            )
        return found

    def _made(self, module: Any, count: int) -> Any:
        """New rows as the networks see them."""
        raise NotImplementedError

    @predict_method
    def sample(self, n_samples: int = 1, *, random_state: RandomStateLike = None) -> NDArray[np.float64]:
        """Make new rows.

        Returns
        -------
        ndarray of shape (n_samples, n_features_in_)
        """
        whole = isinstance(n_samples, int | np.integer) and not isinstance(n_samples, bool)
        if not whole or n_samples < 1:
            raise ValueError(f"n_samples must be a whole number of at least 1, got {n_samples!r}.\nHint: sample(100).")
        seed = resolve_seed(self.random_state if random_state is None else random_state)
        with self._asking() as module, own_randomness(self._place(module), seed, 0x53414D):
            parts = [
                self._made(module, min(MOST_ROWS, int(n_samples) - begin)).double().cpu().numpy()
                for begin in range(0, int(n_samples), MOST_ROWS)
            ]
        return np.asarray(np.concatenate(parts) * self.scale_ + self.center_)

    def _restored(self) -> None:
        super()._restored()
        if "center_" in vars(self):
            check_shapes(self, center_=(self.n_features_in_,), scale_=(self.n_features_in_,))
