"""Multi-layer perceptrons for labels of tables with mixed columns."""

from __future__ import annotations

from typing import Any

from certus.base import fit_method, register
from certus.base.inputs import ClassWeightLike, RandomStateLike, TableLike, WeightsLike
from certus.base.params import Exactly, InstanceOf, Interval, OneOf
from certus.neural.learning.label_targets import LabelTargets
from certus.neural.learning.tabular_network import NOT_REPEATED, OWN_CONSTRAINTS, TABULAR_STATE, TabularNetwork


@register(
    guarantees=(),
    cost="fit n times weights and members per epoch, predict weights times members per row",
    known_failures=NOT_REPEATED,
    draws_rows=True,
)
class TabularMLPClassifier(TabularNetwork, LabelTargets):
    """Multi-layer perceptron for labels, for data frames or tables with columns of any kind and missing values.

    Nothing has to be scaled, filled or encoded first. See the parameters for what happens to the columns; for
    scikit-learn's plain network use `MLPClassifier`.

    Examples
    --------
    >>> import numpy as np, polars as pl
    >>> from certus.neural import TabularMLPClassifier
    >>> rng = np.random.default_rng(0)
    >>> table = pl.DataFrame({"size": rng.lognormal(0, 3, 200), "color": rng.choice(["red", "blue"], 200)})
    >>> y = (table["size"] > 1).to_numpy() ^ (table["color"] == "red").to_numpy()
    >>> TabularMLPClassifier((32,), max_iter=30, random_state=0).fit(table, y).score(table, y) > 0.9
    True
    """

    _constraints = {
        **OWN_CONSTRAINTS,
        "class_weight": [Exactly(None), OneOf("balanced"), InstanceOf(dict)],
        "label_smoothing": [Interval(0, 1, closed="left")],
    }
    _state = ("classes_", "several_labels_", *TABULAR_STATE)

    def __init__(
        self,
        hidden_layer_sizes: Any = (128, 128),
        activation: Any = "mish",
        *,
        members: int = 4,
        embedding: str | None = "piecewise",
        n_bins: int = 8,
        alpha: float = 0.02,
        dropout: float = 0.15,
        batch_size: Any = "auto",
        learning_rate_init: float = 0.003,
        max_iter: int = 60,
        validation_fraction: float = 0.15,
        n_iter_no_change: int | None = None,
        label_smoothing: float = 0.0,
        class_weight: ClassWeightLike = None,
        random_state: RandomStateLike = None,
        verbose: bool | int = False,
        n_jobs: int | None = None,
    ) -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(
        self, X: TableLike, y: Any, sample_weight: WeightsLike = None, *, X_val: Any = None, y_val: Any = None
    ) -> TabularMLPClassifier:
        """Train and keep the epoch that does best on held-out rows.

        Parameters
        ----------
        X_val, y_val : table and targets, default=None
            Your own validation rows, in place of a share of the training rows.
        """
        self._train(X, y, sample_weight, X_val, y_val, incremental=False)
        return self
