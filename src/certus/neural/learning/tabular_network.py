"""Networks for tables of mixed columns: how the columns enter, and the recipe of training."""

from __future__ import annotations

from typing import Any, ClassVar

import narwhals.stable.v2 as nw
import numpy as np
import polars
import polars.selectors as selectors
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import validate_data

from certus.base import saw_table
from certus.base.inputs import TableLike, check_target, check_weights, check_X, require_target
from certus.base.params import Exactly, Interval, OneOf
from certus.guarantees import Report
from certus.neural.engine import NetworkEngine
from certus.neural.learning.column_embedding import ColumnEmbedding, as_frame, has_other_columns
from certus.neural.learning.network_learner import NetworkLearner
from certus.neural.learning.network_parameters import CONSTRAINTS, STATE
from certus.neural.learning.training_data import TrainingData

NAMES = (
    "hidden_layer_sizes",
    "activation",
    "alpha",
    "batch_size",
    "learning_rate_init",
    "max_iter",
    "random_state",
    "verbose",
    "validation_fraction",
    "dropout",
    "n_jobs",
)
OWN_CONSTRAINTS: dict[str, list[Any]] = {
    **{name: CONSTRAINTS[name] for name in NAMES},
    "n_iter_no_change": [Interval(1, None, integer=True), Exactly(None)],
    "members": [Interval(1, None, integer=True)],
    "embedding": [OneOf("piecewise", "periodic"), Exactly(None)],
    "n_bins": [Interval(2, None, integer=True)],
    "validation_fraction": [Interval(0, 1, closed="neither")],
}
NOT_REPEATED = {
    "check_sample_weight_equivalence_on_dense_data": "rows are taken in batches and held out one by one, where two "
    "rows are not one row of weight 2",
}
TABULAR_STATE = ("columns_", *STATE)


class TabularNetwork(NetworkLearner):
    """What makes networks do well on tables.

    Columns enter robustly scaled with smooth ends, missing values with a learned fill, numbers in pieces between
    their quantiles, other columns of a data frame by their types. The members share all weights but have factors of
    their own in every layer (rank one; those of the first are a learned scale per column), and units blend their
    activation with the identity. AdamW with a step size that falls like a cosine trains them; the epoch that does
    best on held-out rows is kept, and predictions of the members are averaged.

    Parameters
    ----------
    hidden_layer_sizes : int or sequence of int
        Units of every hidden layer.
    activation : str or sequence of str
        Of all hidden layers or of each, blended with the identity by a learned share.
    members : int
        Networks that share the weights.
    embedding : {"piecewise", "periodic"} or None
        How numbers enter besides their scaled value.
    n_bins : int
        Pieces of "piecewise".
    alpha : float
        Decay of the weights per step, times the step size.
    n_iter_no_change : int or None
        Training stops after more than this many epochs without improvement; None: the step size falls to its end.
    batch_size : int or "auto"
        Rows per step; "auto" is 256, or a sixteenth of the rows, if that is fewer.

    Attributes
    ----------
    columns_ : ColumnEmbedding
        How the columns of a table enter the network.
    """

    _takes_sparse = False
    _state: ClassVar[tuple[str, ...]] = TABULAR_STATE

    # What these learners do not ask for.
    solver, learning_rate, learning_rate_end, decay_steps, power_t = "adamw", "cosine", 0.0, None, 0.5
    beta_1, beta_2, epsilon, rho, momentum, nesterovs_momentum = 0.9, 0.95, 1e-8, 0.9, 0.9, True
    shuffle, tol, warm_start, early_stopping, max_fun = True, 0.0, False, True, 15000
    init, init_fraction, l1, batch_norm, n_init, combine = "he", 0.1, 0.0, False, 1, "best"
    clip_norm: float | None = 1.0
    pretraining: str | None = None
    pretraining_iter, auxiliary, start, frozen = 10, 0.0, None, 0

    members: int
    embedding: str | None
    n_bins: int
    columns_: ColumnEmbedding

    def _automatic_batch(self, rows: int) -> int:
        return int(np.clip(rows // 16, min(16, rows), 256))

    def _holds_out(self, rows: int) -> bool:
        return rows * float(self.validation_fraction) >= 2.0

    def _members(self) -> int:
        return int(self.members)

    def _read_rows(
        self, X: Any, y: Any, sample_weight: Any, *, reset: bool, y_numeric: bool = False
    ) -> tuple[Any, Any]:
        del reset  # every fit begins anew
        require_target(self, y)
        table = self._read_columns(X, reset=True)
        target = check_target(self, y, multi_output=True, numeric=y_numeric)
        if len(target) != len(table):
            raise ValueError(
                f"Found input variables with inconsistent numbers of samples: [{len(table)}, {len(target)}]\n"
                "Hint: X needs one target per row."
            )
        self.columns_ = ColumnEmbedding(self.embedding, int(self.n_bins))
        weights = check_weights(self, sample_weight, table)
        kept = np.arange(len(table)) if weights is None else np.flatnonzero(weights)
        learned = self.columns_.fit_transform(_safe_indexing(table, kept), np.asarray(target)[kept])
        inputs = np.zeros((len(table), learned.shape[1]), dtype=np.float32)  # rows of weight 0 teach nothing
        inputs[kept] = learned
        return inputs, target

    def _read_columns(self, X: Any, *, reset: bool) -> Any:
        """A matrix of numbers with NaN for missing, or a data frame with columns of other types."""
        mixed = has_other_columns(X)
        other = mixed if reset or not self.columns_.mixed else not nw.dependencies.is_into_dataframe(X)
        if other and not reset:
            learned = "a data frame with columns of several types" if self.columns_.mixed else "a table of numbers"
            raise ValueError(
                f"{type(self).__name__} learned from {learned}; got {type(X).__name__} with other types of columns.\n"
                "Hint: pass tables of the same form to fit and predict."
            )
        if not mixed and (reset or not self.columns_.mixed):
            return check_X(self, X, reset=reset, dtype=(np.float64,), allow_nan=True)
        validate_data(self, X, reset=reset, skip_check_array=True)
        frame = as_frame(X)
        saw_table(self, frame.with_columns(selectors.temporal().cast(polars.String)))
        return frame

    def _table(self, X: TableLike, dtype: Any = None) -> Any:
        table = self.columns_.transform(self._read_columns(X, reset=False))
        return table if dtype is None else table.astype(dtype)

    def _keep(self, engine: NetworkEngine) -> None:
        """Trained in single precision, asked in double."""
        super()._keep(engine)
        self.__dict__.pop("_network")
        for name in ("coefs_", "intercepts_", "in_factors_", "out_factors_", "blends_"):
            setattr(self, name, [part.astype(np.float64) for part in getattr(self, name)])
        self._engine()

    def _prepared_engine(self, data: TrainingData, *arguments: Any, **options: Any) -> NetworkEngine:
        """Members begin with other signs of what enters; a single one with all columns as they are."""
        engine = super()._prepared_engine(data, *arguments, **options)
        random: np.random.RandomState = arguments[1]
        for intercept in engine.intercepts:
            intercept[...] = 0.0
        if self.members > 1:
            engine.in_factors[0][...] = random.choice((-1.0, 1.0), engine.in_factors[0].shape)
            for factor in (*engine.in_factors[1:], *engine.out_factors):
                factor += 0.1 * random.standard_normal(factor.shape).astype(factor.dtype)
        return engine

    def _first_width(self) -> int:
        return int(self.coefs_[0].shape[0])

    def _restored(self) -> None:
        super()._restored()
        if not self.columns_.mixed:
            inputs = self.columns_.transform(np.zeros((1, self.n_features_in_)))
            if inputs.shape[1] != self._first_width() or inputs.dtype != np.float64:
                raise ValueError(f"columns_ make {inputs.shape[1]} inputs, but coefs_ take {self._first_width()}.")

    def _measured(self, engine: NetworkEngine, data: TrainingData) -> Report:
        return Report()

    def hidden(self, X: TableLike, layer: int = -1) -> NDArray[Any]:
        """What a hidden layer of the first member makes of each row."""
        return super().hidden(X, layer)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.categorical = tags.input_tags.string = True
        return tags
