"""Networks that reproduce their own inputs: what autoencoders share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base import Transformer, fit_method, predict_method
from certus.base.inputs import TableLike, WeightsLike, check_weights, check_X
from certus.neural.engine import NetworkEngine
from certus.neural.learning.network_learner import NetworkLearner
from certus.neural.learning.network_options import hidden_sizes
from certus.neural.learning.network_parameters import CONSTRAINTS
from certus.neural.learning.training_data import OutputPlan, TrainingData

NAMES = (
    "hidden_layer_sizes",
    "activation",
    "solver",
    "alpha",
    "batch_size",
    "learning_rate",
    "learning_rate_init",
    "max_iter",
    "shuffle",
    "random_state",
    "tol",
    "verbose",
    "early_stopping",
    "validation_fraction",
    "n_iter_no_change",
    "dropout",
    "n_jobs",
)


class Reconstruction(NetworkLearner, Transformer):
    """``fit``, ``transform`` and ``inverse_transform`` of autoencoders.

    Parameters
    ----------
    hidden_layer_sizes : int or sequence of int
        Units of the layers from the input to the code.
    activation : str or sequence of str
        Of all these layers or of each.

    Attributes
    ----------
    n_hidden_ : int
        Layers from the input to the code.
    """

    _takes_sparse = False
    _constraints = {name: CONSTRAINTS[name] for name in NAMES}

    # What these learners do not ask for has the value that changes nothing.
    power_t, momentum, nesterovs_momentum, beta_1, beta_2, epsilon = 0.5, 0.9, True, 0.9, 0.999, 1e-8
    max_fun, learning_rate_end, decay_steps, rho, init, init_fraction = 15000, 0.0, None, 0.9, "glorot", 0.1
    l1, batch_norm, clip_norm, n_init, combine, auxiliary = 0.0, False, None, 1, "best", 0.0
    warm_start, start, frozen, pretraining_iter = False, None, 0, 10
    pretraining: str | None = None

    @property
    def n_hidden_(self) -> int:
        """Layers from the input to the code."""
        return len(hidden_sizes(self))

    @fit_method
    def fit(self, X: TableLike, y: Any = None, sample_weight: WeightsLike = None) -> Any:
        """Learn to reproduce the rows."""
        self._train(X, y, sample_weight, None, None, incremental=False)
        return self

    def _read(self, X: Any, y: Any, sample_weight: Any, *, first: bool) -> TrainingData:
        del y, first
        if not hidden_sizes(self):
            raise ValueError(
                f"{type(self).__name__} needs a layer for the code; got hidden_layer_sizes=().\n"
                "Hint: hidden_layer_sizes=(32,)."
            )
        table = check_X(self, X, reset=True, order="C")
        weights = check_weights(self, sample_weight, table)
        rows = None if weights is None or weights.all() else np.flatnonzero(weights).astype(np.int64)
        return TrainingData(table, values=table, weights=weights, rows=rows)

    def _output(self) -> OutputPlan:
        return OutputPlan(int(self.n_features_in_), "identity", ("squared", 0.0))

    def _validation_score(self, scores: NDArray[Any], y: Any, weights: Any) -> float:
        if not np.isfinite(scores).all():
            return float("nan")
        return -float(np.average(((scores - y) ** 2).sum(axis=1), weights=weights))

    @predict_method
    def transform(self, X: TableLike) -> NDArray[Any]:
        """The code of each row."""
        return self._engine().forward(self._table(X), depth=self.n_hidden_)

    @predict_method
    def inverse_transform(self, X: TableLike) -> NDArray[Any]:
        """The rows that codes stand for.

        Parameters
        ----------
        X : table of shape (n_samples, n_codes)
            Codes.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            Rows.
        """
        coefs, intercepts = self.coefs_[self.n_hidden_ :], self.intercepts_[self.n_hidden_ :]
        codes = np.asarray(X, dtype=coefs[0].dtype)
        if codes.ndim != 2 or codes.shape[1] != len(coefs[0]):
            raise ValueError(
                f"inverse_transform needs codes of {len(coefs[0])} numbers per row; got the shape {codes.shape}.\n"
                "Hint: they come from transform."
            )
        sizes = (len(coefs[0]), *(coef.shape[1] for coef in coefs))
        decoder = NetworkEngine(sizes, self._activations()[self.n_hidden_ :], dtype=codes.dtype)
        for view, value in zip((*decoder.coefs, *decoder.intercepts), (*coefs, *intercepts), strict=True):
            view[...] = value
        return decoder.forward(codes)

    @property
    def _n_features_out(self) -> int:
        return int(self.coefs_[self.n_hidden_ - 1].shape[1])

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Names of the numbers of a code.

        Parameters
        ----------
        input_features : ignored
            There for compatibility.

        Returns
        -------
        ndarray of str
            The class's name in small letters and a number.
        """
        del input_features
        prefix = type(self).__name__.lower()
        return np.array([f"{prefix}{number}" for number in range(self._n_features_out)], dtype=object)
