"""Linear regression by stochastic gradient descent. Bottou (2010)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from certus.base import Regressor, fit_method, predict_method, register, resolve_threads
from certus.base.inputs import (
    LARGEST,
    RandomStateLike,
    Table,
    TableLike,
    WeightsLike,
    check_weights,
    check_Xy,
    refuse_large,
)
from certus.base.params import OneOf
from certus.guarantees import Report
from certus.linear.evidence.stochastic_gap import convex_loss, stochastic_certificate
from certus.linear.fitting import stochastic_fit
from certus.linear.fitting.linear_prediction import linear_scores
from certus.linear.fitting.stochastic_fit import StochasticRule, l1_share
from certus.linear.fitting.stochastic_parameters import StochasticParameters
from certus.linear.problems.box_problem import MachineTable
from certus.linear.sgd_classifier import NOT_REPEATED
from certus.losses import EpsilonInsensitive, Huber, Squared, SquaredEpsilonInsensitive

Array = NDArray[np.float64]


@register(
    guarantees=("gap to the optimum, with a ridge part in the penalty",),
    cost="fit n p per epoch, predict p per row",
    known_failures=NOT_REPEATED,
    draws_rows=True,
)
class SGDRegressor(StochasticParameters, Regressor):
    """Linear regression by stochastic gradient descent.

    Minimizes, over coefficients w and intercept b,

        mean_i s_i l(y_i, x_i'w + b) + alpha [ (1 - l1_ratio) |w|^2 / 2 + l1_ratio |w|_1 ]

    roughly but fast: each row moves the coefficients at once, and `partial_fit` learns from batches that need not fit
    in memory. Scale the columns first. The report says how far the result may be from the optimum.

    Parameters
    ----------
    loss : str, default="squared_error"
        "squared_error", "huber", "epsilon_insensitive" or "squared_epsilon_insensitive".
    learning_rate : str, default="invscaling"
        As for `SGDClassifier`.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Coefficients.
    intercept_ : ndarray of shape (1,)
        Intercept.
    n_iter_ : int
        Epochs.
    gap_ : float
        Certified bound on the objective minus its minimum, if the penalty has a ridge part (after `fit`).

    Examples
    --------
    >>> import numpy as np
    >>> from certus.linear import SGDRegressor
    >>> X = np.random.default_rng(0).normal(size=(500, 3))
    >>> model = SGDRegressor(random_state=0).fit(X, X @ [1.0, 2.0, 3.0])
    >>> print(model.coef_.round(1))
    [1. 2. 3.]
    """

    _constraints = {
        **stochastic_fit.COMMON_CONSTRAINTS,
        **stochastic_fit.RATE_CONSTRAINTS,
        "loss": [OneOf(*stochastic_fit.REGRESSION_LOSSES)],
    }
    _takes_sparse = True
    _state = ("gap_", *stochastic_fit.STATE)
    # What stands behind the names of losses, with the constants for which parameters have their defaults.
    loss_functions: ClassVar[dict[str, tuple[Any, ...]]] = {
        "squared_error": (Squared,),
        "huber": (Huber, 0.1),
        "epsilon_insensitive": (EpsilonInsensitive, 0.1),
        "squared_epsilon_insensitive": (SquaredEpsilonInsensitive, 0.1),
    }

    def __init__(
        self,
        loss: str = "squared_error",
        *,
        penalty: str | None = "l2",
        alpha: float = 0.0001,
        l1_ratio: float | None = 0.15,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float | None = 1e-3,
        shuffle: bool = True,
        verbose: int = 0,
        epsilon: float = 0.1,
        random_state: RandomStateLike = None,
        learning_rate: str = "invscaling",
        eta0: float = 0.01,
        power_t: float = 0.25,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        warm_start: bool = False,
        average: bool | int = False,
    ) -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(
        self, X: Any, y: Any, coef_init: Any = None, intercept_init: Any = None, sample_weight: WeightsLike = None
    ) -> SGDRegressor:
        """Descend over the rows until the objective no longer improves.

        Parameters
        ----------
        coef_init : ndarray of shape (n_features,), optional
            Coefficients to start from.
        intercept_init : ndarray of shape (1,), optional
            Intercept to start from.
        sample_weight : array-like of shape (n_samples,), optional
            Weight of every row: 0 removes it, 2 doubles the length of its steps.
        """
        stochastic_fit.check_options(self, partial=False)
        if self.warm_start and hasattr(self, "coef_"):
            coef_init = self.coef_ if coef_init is None else coef_init
            intercept_init = self.intercept_ if intercept_init is None else intercept_init
        for name in ("average_coef_", "average_intercept_", "standard_coef_", "standard_intercept_"):
            self.__dict__.pop(name, None)
        self.t_ = 1.0
        state = self._descend(X, y, sample_weight, coef_init, intercept_init, self.max_iter, whole=True)
        stochastic_fit.warn_after_fit(self, state)
        return self

    @fit_method
    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> SGDRegressor:
        """One epoch over a batch of rows, from where the last call ended."""
        if not hasattr(self, "coef_"):
            stochastic_fit.check_options(self, partial=True)
            self.t_ = 1.0
        coef, intercept = getattr(self, "coef_", None), getattr(self, "intercept_", None)
        if hasattr(self, "standard_coef_"):
            coef, intercept = self.standard_coef_, self.standard_intercept_
        self._descend(X, y, sample_weight, coef, intercept, 1, whole=False)
        return self

    def _descend(
        self,
        X: Table,
        y: NDArray[Any],
        sample_weight: WeightsLike,
        coef: NDArray[Any] | None,
        intercept: NDArray[Any] | None,
        epochs: int,
        *,
        whole: bool,
    ) -> Any:
        first = whole or not hasattr(self, "coef_")
        table, y = check_Xy(
            self, X, y, accept_sparse="csr", order="C", y_numeric=True, accept_large_sparse=False, reset=first
        )
        refuse_large(self, y, LARGEST, name="y")
        y = y.astype(np.float64, copy=False)
        held = stochastic_fit.validation_rows(self, y, sample_weight, stratified=False) if self.early_stopping else None
        weights = check_weights(self, sample_weight, table)
        if weights is not None and not weights.all():
            kept = weights > 0.0
            table, y, weights, held = table[kept], y[kept], weights[kept], None if held is None else held[kept]
        targets, rows_weights = y[None], None if weights is None else weights[None]
        rule = StochasticRule(
            self.loss, float(self.epsilon), self.learning_rate, float(self.power_t), int(self.average), False
        )
        state = stochastic_fit.first_state(self, 1, table.shape[1], coef, intercept, rule.average)
        stochastic_fit.run_epochs(self, rule, table, targets, rows_weights, held, state, epochs=epochs)
        coef, self.intercept_ = stochastic_fit.store_state(self, state, rule.average, table.dtype)
        self.coef_: Any = coef[0]
        self.report_ = Report()
        if whole and held is None:
            self._certify(table, targets, rows_weights)
        return state

    def _certify(self, X: TableLike, targets: Array, weights: Array | None) -> None:
        """The gap, where the penalty has a ridge part."""
        share, loss = l1_share(self), convex_loss(self.loss, float(self.epsilon))
        if loss is None or self.penalty is None or share == 1.0 or self.alpha == 0:
            return
        certificate = stochastic_certificate(
            MachineTable(X, 0.0, resolve_threads()),
            targets,
            weights,
            self.coef_.astype(np.float64)[None],
            self.intercept_.astype(np.float64),
            loss=loss,
            alpha=float(self.alpha),
            l1_ratio=share,
            fit_intercept=bool(self.fit_intercept),
            declared={"classes": None, "epsilon": float(self.epsilon)},
        )
        self.gap_ = float(certificate.value)  # type: ignore[arg-type]
        self.report_ = Report([certificate])

    @predict_method
    def predict(self, X: TableLike) -> NDArray[Any]:
        """Predicted values."""
        return np.asarray(linear_scores(self, X)).ravel()

    def sparsify(self) -> SGDRegressor:
        """Store ``coef_`` as a sparse matrix; worth it when most coefficients are 0."""
        check_is_fitted(self, msg="Estimator, %(name)s, must be fitted before sparsifying.")
        self.coef_ = sparse.csr_array(np.atleast_2d(self.coef_))
        return self

    def densify(self) -> SGDRegressor:
        """Store ``coef_`` as a dense array, which is the default."""
        check_is_fitted(self, msg="Estimator, %(name)s, must be fitted before densifying.")
        if sparse.issparse(self.coef_):
            self.coef_ = self.coef_.toarray().ravel()
        return self
