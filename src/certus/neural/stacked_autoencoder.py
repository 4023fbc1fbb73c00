"""Stacked autoencoders: layers that learn to reproduce the input one after the other, then together."""

from __future__ import annotations

from typing import Any

from certus.base import register
from certus.base.inputs import RandomStateLike
from certus.neural.learning.network_parameters import CONSTRAINTS
from certus.neural.learning.reconstruction import Reconstruction


@register(guarantees=(), cost="fit n times weights per epoch and layer, transform weights per row", draws_rows=True)
class StackedAutoencoder(Reconstruction):
    """Hidden layers trained one by one to reproduce the rows, each under an output layer of its own, then all together.

    Hinton, Salakhutdinov (2006). ``MLPClassifier(start=fitted, hidden_layer_sizes=...)`` puts an output for labels on
    top and refines all layers.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from certus.neural import MLPClassifier, StackedAutoencoder
    >>> X, y = load_digits(return_X_y=True)
    >>> stack = StackedAutoencoder((64, 16), learning_rate="cosine", max_iter=50, random_state=0).fit(X / 16)
    >>> stack.transform(X / 16).shape
    (1797, 16)
    >>> model = MLPClassifier((64, 16), start=stack, solver="lbfgs", random_state=0).fit(X[:300] / 16, y[:300])
    >>> model.score(X[300:] / 16, y[300:]) > 0.6
    True
    """

    _constraints = {**Reconstruction._constraints, "pretraining_iter": CONSTRAINTS["pretraining_iter"]}
    pretraining = "layerwise"

    def __init__(
        self,
        hidden_layer_sizes: Any = (64, 32),
        activation: Any = "relu",
        *,
        solver: str = "adam",
        alpha: float = 0.0001,
        batch_size: Any = "auto",
        learning_rate: str = "constant",
        learning_rate_init: float = 0.001,
        max_iter: int = 200,
        pretraining_iter: int = 10,
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
