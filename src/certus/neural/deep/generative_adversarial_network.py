"""New rows that a network cannot tell from real ones."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from certus.base import fit_method, predict_method, register
from certus.base.inputs import RandomStateLike, TableLike
from certus.neural.deep.generators.generator_objectives import AdversarialObjective
from certus.neural.deep.generators.table_generator import GENERATOR_CONSTRAINTS, MOST_ROWS, TableGenerator
from certus.neural.deep.learning.deep_learner import without_validation
from certus.neural.deep.learning.supervised_objective import batches_in_order


@register(
    family="neural.deep",
    tasks=("density",),
    guarantees=(),
    cost="fit n times weights per epoch, a new row costs the weights of the generator",
    needs="deep",
    draws_rows=True,
)
class GenerativeAdversarialNetwork(TableGenerator):
    """Rows made from noise that a discriminator, learning along, cannot tell from real ones (Goodfellow et al. 2014).

    Both learn in turn, batch by batch, and no labels are needed. Where neither can gain, made rows have the
    distribution of the real ones, and the discriminator's odds are even. Nothing says that training gets there: kinds
    of rows may be missing among those made. The curve of losses is the discriminator's; 2 log 2 = 1.386 means that it
    is guessing.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.neural.deep import GenerativeAdversarialNetwork
    >>> X = np.random.default_rng(0).normal([5.0, -5.0], [1.0, 2.0], size=(500, 2))
    >>> made = GenerativeAdversarialNetwork(max_epochs=60, random_state=0).fit(X).sample(1000)
    >>> made.shape, bool(np.abs(made.mean(axis=0) - [5, -5]).max() < 1)
    ((1000, 2), True)
    """

    _constraints: ClassVar[Any] = without_validation(GENERATOR_CONSTRAINTS)

    def __init__(
        self,
        n_components: int = 8,
        *,
        hidden_layer_sizes: Any = (64, 64),
        max_epochs: int = 200,
        batch_size: int = 64,
        optimizer: str = "adamw",
        learning_rate: float = 0.001,
        learning_rate_end: float = 0.0,
        schedule: str = "linear",
        weight_decay: float = 0.0,
        momentum: float = 0.9,
        clip_norm: float | None = 10.0,
        random_state: RandomStateLike = None,
        checkpoint: Any = None,
        resume: bool = False,
        device: str = "auto",
        n_jobs: int | None = 1,
        verbose: bool | int = False,
    ) -> None:
        self._set_parameters(locals())

    patience: ClassVar[None] = None

    @fit_method
    def fit(self, X: TableLike, y: Any = None) -> GenerativeAdversarialNetwork:
        """Learn from the rows of a table."""
        self._train(AdversarialObjective(self._read(X, reset=True), self._tensor))
        return self

    def _build(self) -> Any:
        from certus.neural.deep.blocks.generator_blocks import AdversarialNetwork

        return AdversarialNetwork(self.n_features_in_, self._sizes(), self.n_components)

    def _made(self, module: Any, count: int) -> Any:
        return module.generate(count)

    @predict_method
    def score_samples(self, X: TableLike) -> NDArray[np.float64]:
        """Log-odds, by the discriminator, that rows are real and not made; it is no density.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        rows = self._read(X, reset=False)
        with self._asking() as module:
            parts = [
                module.odds(self._tensor(rows[part])).double().cpu().numpy()
                for part in batches_in_order(len(rows), size=MOST_ROWS)
            ]
        return np.concatenate(parts)
