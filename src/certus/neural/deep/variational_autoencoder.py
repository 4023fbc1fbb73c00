"""Codes of rows with their uncertainty, and new rows from new codes."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin

from certus.base import Transformer, fit_method, predict_method, register, resolve_seed
from certus.base.inputs import RandomStateLike, TableLike
from certus.guarantees import Report
from certus.neural.deep.generators.bound_estimate import bound_estimate
from certus.neural.deep.generators.generator_objectives import BoundObjective
from certus.neural.deep.generators.table_generator import GENERATOR_CONSTRAINTS, MOST_ROWS, TableGenerator
from certus.neural.deep.lazy_torch import torch
from certus.neural.deep.learning.supervised_objective import batches_in_order, held_out_rows
from certus.neural.deep.training.torch_settings import own_randomness


@register(
    family="neural.deep",
    guarantees=(),
    cost="fit n times weights per epoch, transform weights per row",
    needs="deep",
    draws_rows=True,
)
class VariationalAutoencoder(ClassNamePrefixFeaturesOutMixin, TableGenerator, Transformer):
    """Rows from normally distributed codes: x = decoder(z) + noise, with z from N(0, I) (Kingma, Welling 2014).

    An encoder gives every row a normal distribution of codes. Both networks and the noise of every column maximize the
    lower bound E[log p(x | z)] - KL(q(z | x), p(z)) of the log-density of the training rows. `transform` gives the mean
    codes, `inverse_transform` the rows that codes stand for, `sample` new rows, `lower_bound` the bound of given rows,
    estimated by drawn codes. The report holds the bound on the held-out rows, as an estimate.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.neural.deep import VariationalAutoencoder
    >>> random = np.random.default_rng(0)
    >>> t = random.normal(size=500)
    >>> X = np.column_stack([t, 2 * t]) + 0.2 * random.normal(size=(500, 2))
    >>> model = VariationalAutoencoder(1, hidden_layer_sizes=(16,), random_state=0).fit(X)
    >>> model.transform(X[:3]).shape, bool(np.corrcoef(model.sample(500).T)[0, 1] > 0.9)
    ((3, 1), True)
    """

    _constraints: ClassVar[Any] = GENERATOR_CONSTRAINTS
    _arguments: ClassVar[dict[str, str]] = {
        "lower_bound": """
n_draws : int, default=100
    Codes drawn per row.
random_state : int, RandomState, Generator or None, default=None
    Seed; None: the learner's own.
"""
    }

    batch_size: int
    validation_fraction: float

    def __init__(
        self,
        n_components: int = 2,
        *,
        hidden_layer_sizes: Any = (64,),
        max_epochs: int = 100,
        batch_size: int = 64,
        optimizer: str = "adamw",
        learning_rate: float = 0.005,
        learning_rate_end: float = 0.0,
        schedule: str = "cosine",
        weight_decay: float = 0.0,
        momentum: float = 0.9,
        clip_norm: float | None = 10.0,
        validation_fraction: float = 0.1,
        patience: int | None = None,
        random_state: RandomStateLike = None,
        checkpoint: Any = None,
        resume: bool = False,
        device: str = "auto",
        n_jobs: int | None = 1,
        verbose: bool | int = False,
    ) -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(self, X: TableLike, y: Any = None) -> VariationalAutoencoder:
        """Learn from the rows of a table."""
        rows = self._read(X, reset=True)
        held = held_out_rows(len(rows), float(self.validation_fraction), self._seed())
        kept = np.setdiff1d(np.arange(len(rows)), held)
        seed = self._seed()
        self.__dict__.pop("report_", None)  # of an earlier fit
        try:
            self._train(BoundObjective(rows[kept], rows[held], self._tensor))
        finally:  # the best epoch of a training that was interrupted has a report, too
            if "report_" in vars(self) and len(held):
                self.report_ = self._judged(rows[held], seed)
        return self

    def _judged(self, rows: NDArray[np.float32], seed: int) -> Report:
        """What is estimated on held-out rows."""
        found = self._bounds(rows, 1, seed)
        finite = np.isfinite(found).all()
        return Report([bound_estimate(float(found.sum()), len(rows), rows.shape[1])] if finite else [])

    def _build(self) -> Any:
        from certus.neural.deep.blocks.generator_blocks import VariationalNetwork

        return VariationalNetwork(self.n_features_in_, self._sizes(), self.n_components)

    def _made(self, module: Any, count: int) -> Any:
        rows = module.decoder(torch.randn(count, self.n_components, device=self._place(module)))
        return rows + module.log_scale().exp() * torch.randn_like(rows)

    @predict_method
    def transform(self, X: TableLike) -> NDArray[np.float64]:
        """Means of the codes of rows.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        rows = self._read(X, reset=False)
        with self._asking() as module:
            parts = [
                module.encode(self._tensor(rows[part]))[0].double().cpu().numpy()
                for part in batches_in_order(len(rows), size=MOST_ROWS)
            ]
        return np.concatenate(parts)

    @predict_method
    def inverse_transform(self, X: TableLike) -> NDArray[np.float64]:
        """The rows that codes stand for, without noise.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components)
            Codes.

        Returns
        -------
        ndarray of shape (n_samples, n_features_in_)
        """
        codes = np.asarray(X, dtype=np.float64)
        if codes.ndim != 2 or codes.shape[1] != self.n_components:
            raise ValueError(
                f"inverse_transform needs codes of {self.n_components} numbers per row; got the shape {codes.shape}.\n"
                "Hint: they come from transform."
            )
        with self._asking() as module:
            rows = module.decoder(self._tensor(codes)).double().cpu().numpy()
        return np.asarray(rows * self.scale_ + self.center_)

    @predict_method
    def lower_bound(
        self, X: TableLike, n_draws: int = 100, *, random_state: RandomStateLike = None
    ) -> NDArray[np.float64]:
        """Estimate of a lower bound of the log-density of every row, by codes that are drawn.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        if not isinstance(n_draws, int | np.integer) or n_draws < 1:
            raise ValueError(f"n_draws must be a whole number of at least 1, got {n_draws!r}.\nHint: n_draws=100.")
        seed = resolve_seed(self.random_state if random_state is None else random_state)
        return self._bounds(self._read(X, reset=False), int(n_draws), seed)

    def _bounds(self, rows: NDArray[np.float32], draws: int, seed: int) -> NDArray[np.float64]:
        total = np.zeros(len(rows))
        with self._asking() as module, own_randomness(self._place(module), seed, 0x454C42):
            table = self._tensor(rows)
            for _ in range(draws):
                noise = torch.randn(len(rows), self.n_components, device=table.device)
                total += module.bound(table, noise).double().cpu().numpy()
        return total / draws - np.log(self.scale_).sum()  # of the density in the columns' own units

    @property
    def _n_features_out(self) -> int:
        return self.n_components
