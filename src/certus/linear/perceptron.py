"""The perceptron (Rosenblatt 1958), with its mistake bound, and its averaged and pocket variants."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from certus.base import ClassWeightLike, OneOf, RandomStateLike, TableLike, register, resolve_threads
from certus.guarantees import Report
from certus.linear._native_calls.machine_kernels import StochasticState
from certus.linear.evidence.mistake_certificate import mistake_certificate
from certus.linear.fitting import stochastic_fit
from certus.linear.fitting.stochastic_fit import SPARSE_DECAY, StochasticRule
from certus.linear.problems.box_problem import MachineTable
from certus.linear.sgd_classifier import CLASSIFIER_CONSTRAINTS, NOT_REPEATED, StochasticClassification

Array = NDArray[np.float64]
CELLS = 20_000_000  # of a table up to which a wide margin is looked for


@register(
    guarantees=("bound on the number of mistakes, on separable rows",),
    cost="fit n p per epoch and class, predict p per row and class",
    known_failures=NOT_REPEATED,
    draws_rows=True,
)
class Perceptron(StochasticClassification):
    """Linear classifier that moves only on mistakes.

    For every row that it gets wrong, y_i (x_i'w + b) <= 0 with y_i = -1 or 1, it adds eta0 y_i x_i to w and eta0 y_i
    to b: a stochastic gradient of max(0, -y (x'w + b)). On separable rows it stops making mistakes after at most
    (R / gamma)^2 of them, R the longest row and gamma the margin; the report certifies the number. Several classes
    are learned one against the rest.

    Parameters
    ----------
    penalty : {"l2", "l1", "elasticnet"} or None, default=None
        Penalty, if any.
    alpha : float, default=0.0001
        Its strength.
    tol : float or None, default=1e-3
        Stop when the mean loss along the epochs has not fallen by this for ``n_iter_no_change`` epochs.
    eta0 : float, default=1.0
        Length of the steps; without a penalty it only scales the result.
    early_stopping : bool, default=False
        Whether to judge improvement on held-out rows.
    variant : {"last", "averaged", "pocket"}, default="last"
        Which coefficients to keep: the last ones; the average over all steps (Freund, Schapire 1999), which is far
        better on noisy rows; or those with the fewest training errors at the end of an epoch (Gallant 1990).

    Attributes
    ----------
    mistakes_ : ndarray of shape (1,) or (n_classes,)
        Updates that the last `fit` made, per problem.
    report_ : Report
        The mistake bound, if the rows are separable and the plain rule was used.

    Examples
    --------
    >>> from certus.linear import Perceptron
    >>> X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 0, 0, 1]
    >>> model = Perceptron(tol=None, max_iter=50).fit(X, y)
    >>> print(model.predict(X), int(model.mistakes_[0]) <= model.report_["mistakes"].value)
    [0 0 0 1] True
    """

    _constraints = {**CLASSIFIER_CONSTRAINTS, "variant": [OneOf("last", "averaged", "pocket")]}
    _state = ("classes_", "mistakes_", *stochastic_fit.STATE)

    def __init__(
        self,
        *,
        penalty: str | None = None,
        alpha: float = 0.0001,
        l1_ratio: float | None = 0.15,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float | None = 1e-3,
        shuffle: bool = True,
        verbose: int = 0,
        eta0: float = 1.0,
        n_jobs: int | None = None,
        random_state: RandomStateLike = 0,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        class_weight: ClassWeightLike = None,
        warm_start: bool = False,
        variant: str = "last",
    ) -> None:
        self._set_parameters(locals())

    loss = "perceptron"
    learning_rate = "constant"

    def _rule(self) -> StochasticRule:
        return StochasticRule("perceptron", 0.0, "constant", 0.5, int(self.variant == "averaged"), True)

    def _after_epoch(self, X: TableLike, targets: Array) -> Pocket | None:
        return Pocket(MachineTable(X, 0.0, 1), targets) if self.variant == "pocket" else None

    def _certify(self, X: Any, targets: Array, weights: Array | None, by_class: Array, state: StochasticState) -> None:
        self.mistakes_ = state["updates"].astype(np.int64)
        plain = weights is None and self.penalty is None and not self.warm_start
        if not plain or X.shape[0] * X.shape[1] > CELLS:
            return
        decay = (SPARSE_DECAY if sparse.issparse(X) else 1.0) if self.fit_intercept else 0.0
        constant = float(np.sqrt(decay))
        table = MachineTable(X, constant, resolve_threads(self.n_jobs))
        learned = state.coef.copy()
        if constant > 0.0:
            learned[:, -1] = state["intercept"] / constant
        separates = all((t * table.scores(w) > 0.0).all() for t, w in zip(targets, learned, strict=True))
        bound = mistake_certificate(table, targets, learned, state["updates"]) if separates else None
        if bound is not None:
            self.report_ = Report([bound])


class Pocket:
    """Keeps the coefficients with the fewest training errors at the end of an epoch, problem by problem."""

    def __init__(self, table: MachineTable, targets: Array) -> None:
        self._table = table
        self._targets = targets
        self._fewest = np.full(len(targets), np.inf)
        self.coef = np.zeros((len(targets), table.width))
        self.intercept = np.zeros(len(targets))

    def __call__(self, state: StochasticState) -> None:
        """Look at the coefficients after an epoch."""
        for k, target in enumerate(self._targets):
            scores = self._table.scores(state.coef[k]) + state["intercept"][k]
            errors = int(np.sum(target * scores <= 0.0))
            if errors < self._fewest[k]:
                self._fewest[k] = errors
                self.coef[k], self.intercept[k] = state.coef[k, :-1], state["intercept"][k]
