"""Autoencoders: networks that reproduce their input through a narrow layer."""

from __future__ import annotations

from typing import Any

from certus.base import register
from certus.base.inputs import RandomStateLike
from certus.neural.learning.network_options import activations_of, hidden_sizes
from certus.neural.learning.reconstruction import Reconstruction


@register(guarantees=(), cost="fit n times weights per epoch, transform weights per row", draws_rows=True)
class Autoencoder(Reconstruction):
    """Autoencoder: layers down to a code and back again, trained to reproduce the rows (half the squared error).

    The decoder mirrors the encoder: ``hidden_layer_sizes=(64, 8)`` has 64, 8 and 64 units between the columns. With
    the activation "identity" and one layer the codes span the space of the leading principal components.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.neural import Autoencoder
    >>> t = np.linspace(-1, 1, 100)[:, None]
    >>> X = np.hstack([t, t**2, t**3])
    >>> model = Autoencoder((8, 1), "tanh", solver="lbfgs", max_iter=500, random_state=0).fit(X)
    >>> codes = model.transform(X)
    >>> codes.shape, bool(((model.inverse_transform(codes) - X) ** 2).mean() < 0.01)
    ((100, 1), True)
    """

    def __init__(
        self,
        hidden_layer_sizes: Any = (32,),
        activation: Any = "relu",
        *,
        solver: str = "adam",
        alpha: float = 0.0001,
        batch_size: Any = "auto",
        learning_rate: str = "constant",
        learning_rate_init: float = 0.001,
        max_iter: int = 200,
        shuffle: bool = True,
        random_state: RandomStateLike = None,
        tol: float = 1e-4,
        verbose: bool | int = False,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: float = 10,
        dropout: float = 0.0,
        n_jobs: int | None = None,
    ) -> None:
        self._set_parameters(locals())

    def _hidden_sizes(self) -> tuple[int, ...]:
        encoder = hidden_sizes(self)
        return (*encoder, *encoder[-2::-1]) if len(encoder) > 1 else encoder

    def _activations(self) -> tuple[str, ...]:
        if isinstance(self.activation, str):
            return activations_of(self)
        encoder = tuple(self.activation)
        return (*encoder, *encoder[-2::-1]) if len(encoder) > 1 else encoder
