"""Logistic regression whose predictions integrate over the posterior."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base import Classifier, fit_method, predict_method, register
from certus.base.inputs import RandomStateLike, TableLike, TargetLike, WeightsLike, check_weights, check_X, check_Xy
from certus.base.params import Boolean, Exactly, InstanceOf, Interval, OneOf, RandomState
from certus.base.persistence import check_shapes
from certus.guarantees import Report
from certus.sampling.chains import NAMED, sample
from certus.sampling.draws import Draws
from certus.sampling.logistic_posterior import LogisticPosterior, parts, probabilities
from certus.sampling.sampler import Floats, Sampler

MOST_DRAWS = 1000  # that a prediction averages over


@register(guarantees=("held-out error bound",), cost="fit O(n p) per leapfrog step, predict O(n p draws)")
class BayesianLogisticRegression(Classifier):
    """Logistic regression with a normal prior, by draws from its posterior instead of one estimate.

    ``P(y = c | x)`` is the softmax of ``W x + b`` (of ``(0, w x + b)`` for two classes), every coefficient has the
    prior ``N(0, 1 / prior_precision)`` and intercepts are flat (of more than two classes the first has intercept 0).
    `predict_proba` averages over the draws, which makes it less sure far from the rows than the best estimate is. A
    weight counts as repetition of the row. Chains run in coordinates in which the posterior is round at its mode, so
    that few steps suffice whatever the scales and correlations of the columns. Scale the columns first all the same:
    the prior knows no units.

    Parameters
    ----------
    prior_precision : float, default=1.0
        Precision of the coefficients.
    fit_intercept : bool, default=True
        Whether there are intercepts.
    sampler : str or sampler, default="nuts"
        As in `certus.sampling.sample`.
    draws, tune, chains : int, default=1000, 1000 and 4
        Draws that are kept and thrown away per chain, and chains.
    random_state : int, RandomState instance or None, default=None
        Seed.
    n_jobs : int, default=None
        Threads that run chains; the draws are the same for any number.

    Attributes
    ----------
    draws_ : Draws
        The draws, with their diagnostics.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Mean of the draws of the coefficients.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Mean of the draws of the intercepts.
    report_ : Report
        Empty: diagnostics of chains are estimates and promise nothing.

    Examples
    --------
    >>> from certus.sampling import BayesianLogisticRegression
    >>> model = BayesianLogisticRegression(draws=200, tune=200, chains=2, random_state=0)
    >>> model = model.fit([[-2.0], [-1.0], [1.0], [2.0]], ["low", "low", "high", "high"])
    >>> print(model.predict([[-1.5], [1.5]]))
    ['low' 'high']
    """

    _constraints = {
        "prior_precision": [Interval(0, None, closed="neither")],
        "fit_intercept": [Boolean()],
        "sampler": [OneOf(*NAMED), InstanceOf(Sampler)],
        "draws": [Interval(4, None, integer=True)],
        "tune": [Interval(0, None, integer=True)],
        "chains": [Interval(1, None, integer=True)],
        "random_state": [RandomState()],
        "n_jobs": [Interval(None, None, integer=True), Exactly(None)],
    }
    _state = ("classes_", "draws_", "coef_", "intercept_")

    def __init__(
        self,
        *,
        prior_precision: float = 1.0,
        fit_intercept: bool = True,
        sampler: Any = "nuts",
        draws: int = 1000,
        tune: int = 1000,
        chains: int = 4,
        random_state: RandomStateLike = None,
        n_jobs: int | None = None,
    ) -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(self, X: TableLike, y: TargetLike, sample_weight: WeightsLike = None) -> BayesianLogisticRegression:
        """Draw coefficients from their posterior."""
        table, labels = check_Xy(self, X, y, dtype=np.float64, largest=1e50)
        weights = check_weights(self, sample_weight, table)
        if weights is not None:
            table, labels, weights = table[weights > 0], labels[weights > 0], weights[weights > 0]
        codes = self._encode_labels(labels, min_classes=2)
        posterior = LogisticPosterior(
            table, codes, len(self.classes_), weights, float(self.prior_precision), self.fit_intercept
        )
        whitening = posterior.whitening()
        found = sample(
            whitening.white(posterior.as_target()),
            self.sampler,
            draws=self.draws,
            tune=self.tune,
            chains=self.chains,
            random_state=self.random_state,
            n_jobs=self.n_jobs,
        )
        if found.values.shape[:2] != (self.chains, self.draws):
            raise KeyboardInterrupt  # a part of the draws is no fit
        values = posterior.uncentered(whitening.theta(found.values))
        self.draws_ = replace(found, values=values, states=(), samplers=())
        coef, intercept = parts(self.draws_.mean(), posterior.rows, table.shape[1])
        self.coef_, self.intercept_ = coef, intercept
        self.report_ = Report()
        return self

    @property
    def _rows(self) -> int:
        """Rows of coefficients: one for two classes."""
        return 1 if len(self.classes_) == 2 else len(self.classes_)

    def _restored(self) -> None:
        if hasattr(self, "classes_"):
            rows, width = self._rows, self.n_features_in_
            check_shapes(self, coef_=(rows, width), intercept_=(rows,))
            dim = rows * width + (len(self.classes_) - 1 if self.fit_intercept else 0)
            if not isinstance(self.draws_, Draws) or self.draws_.values.shape[2] != dim:
                raise ValueError(f"draws_ must be draws with {dim} components.")

    def _drawn(self, X: TableLike) -> Iterator[Floats]:
        """Probabilities (rows, draws, classes), some rows after the other."""
        table = check_X(self, X, dtype=np.float64, largest=1e50)
        thetas = self.draws_.values.reshape(-1, self.draws_.values.shape[2])
        coef, intercept = parts(thetas[:: -(-len(thetas) // MOST_DRAWS)], self._rows, self.n_features_in_)
        size = max(1, 2**22 // (len(coef) * len(self.classes_)))
        for first in range(0, len(table), size):
            yield probabilities(table[first : first + size], coef, intercept)

    @predict_method
    def predict_proba(self, X: TableLike) -> NDArray[Any]:
        """Probability of each class for each row, averaged over the draws, in the order of ``classes_``."""
        return np.concatenate([drawn.mean(axis=1) for drawn in self._drawn(X)])

    @predict_method
    def predict(self, X: TableLike) -> NDArray[Any]:
        """The most probable label of each row."""
        return np.asarray(self.classes_[np.argmax(self.predict_proba(X), axis=1)])

    @predict_method
    def predict_interval(self, X: TableLike, level: float = 0.95) -> NDArray[Any]:
        """Intervals of the probabilities, as far as the coefficients are unsure: quantiles over the draws.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        level : float, default=0.95
            Share of the draws inside.

        Returns
        -------
        ndarray of shape (n_samples, n_classes, 2)
        """
        if not 0 < level < 1:
            raise ValueError(f"level must be above 0 and below 1, got {level!r}.")
        ends = [0.5 - level / 2, 0.5 + level / 2]
        found = [np.quantile(drawn, ends, axis=1) for drawn in self._drawn(X)]
        return np.moveaxis(np.concatenate(found, axis=1), 0, -1)
