"""What hidden layers make of rows, and the kernel that a network has learned."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base import predict_method
from certus.base.inputs import TableLike
from certus.neural.engine import NetworkEngine


class HiddenLayers:
    """A fitted network as a map to new columns."""

    coefs_: list[NDArray[Any]]

    def _engine(self) -> NetworkEngine:
        """The engine of the fitted attributes."""
        raise NotImplementedError

    def _table(self, X: TableLike, dtype: Any = None) -> Any:
        """Rows as the engine reads them."""
        raise NotImplementedError

    @predict_method
    def hidden(self, X: TableLike, layer: int = -1) -> NDArray[Any]:
        """What a hidden layer makes of each row.

        Parameters
        ----------
        layer : int, default=-1
            Which one: 0 is the first, -1 the last.

        Returns
        -------
        ndarray of shape (n_samples, n_units)
            Its outputs.
        """
        count = len(self.coefs_) - 1
        if count == 0:
            raise ValueError(
                "hidden needs a hidden layer; got hidden_layer_sizes=().\nHint: hidden_layer_sizes=(100,)."
            )
        if not -count <= layer < count:
            raise ValueError(
                f"layer must be one of the {count} hidden layers, from {-count} to {count - 1}; got {layer}.\n"
                "Hint: 0 is the first hidden layer, -1 the last."
            )
        return self._engine().forward(self._table(X), depth=layer % count + 1)

    @predict_method
    def kernel(self, X: TableLike, Z: TableLike | None = None) -> NDArray[Any]:
        """The kernel that the last hidden layer has learned: the mean over its units of the products of outputs.

        Parameters
        ----------
        X, Z : table of shape (n_samples, n_features)
            Rows; Z None is X.

        Returns
        -------
        ndarray of shape (n_samples_X, n_samples_Z)
            Positive semi-definite for Z = X.
        """
        left = self.hidden(X).astype(np.float64)
        right = left if Z is None else self.hidden(Z).astype(np.float64)
        return left @ right.T / left.shape[1]
