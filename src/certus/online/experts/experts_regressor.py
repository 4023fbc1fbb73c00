"""Regressors as experts: their predictions are combined, at the price of (b - a)^2 ln(n) / 2."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from certus.base import fit_method, register
from certus.base.params import Constraints
from certus.online.experts.fixed_share import FixedShare
from certus.online.experts.mixture_forecaster import MixtureForecaster, Range
from certus.online.experts.model_experts import ModelExperts, asked

Floats = NDArray[np.float64]


@register(
    takes="advice",
    tasks=("experts",),
    guarantees=("squared loss at most (b - a)^2 ln(n)/2 above that of the best model, after every row",),
    cost="that of the models, and O(n) per row for n of them",
)
class ExpertsRegressor(ModelExperts):
    """Combines the predictions of models by Vovk's rule for the square loss.

    Its squared loss is at most (b - a)^2 ln(n) / 2 above that of the best of n models, if all values lie in [a, b].
    Predictions are clipped to that range first, which can only make them better.

    Parameters
    ----------
    value_range : (float, float), default=(0.0, 1.0)
        Where values lie. One outside voids the bound from its row on.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LinearRegression, SGDRegressor
    >>> from certus.online import ExpertsRegressor
    >>> rows = np.random.default_rng(0).random((200, 3))
    >>> values = rows @ [0.5, 0.3, 0.1]
    >>> models = [("fitted", LinearRegression().fit(rows[:20], values[:20])), ("learns", SGDRegressor(random_state=0))]
    >>> model = ExpertsRegressor(models).fit(rows, values)
    >>> print(model.ledger_.regret <= model.ledger_.bound, abs(model.predict(rows) - values).max() < 0.01)
    True True
    """

    _constraints: ClassVar[Constraints] = {**ModelExperts._constraints, "value_range": [Range()]}

    value_range: tuple[float, float]

    def __init__(
        self,
        experts: Any,
        *,
        alpha: float = 0.0,
        learn_along: bool = True,
        value_range: tuple[float, float] = (0.0, 1.0),
    ) -> None:
        self._set_parameters(locals())

    def _new_mixture(self) -> MixtureForecaster:
        low, high = map(float, self.value_range)
        return FixedShare(float(self.alpha), prediction="vovk", value_range=(low, high))

    def _prepare(self, y: NDArray[Any]) -> NDArray[Any]:
        values = np.asarray(y, dtype=np.float64)
        if not np.isfinite(values).all():
            row = int(np.argmin(np.isfinite(values)))
            raise ValueError(f"y of row {row} must be finite, got {values[row]}.\nHint: leave such rows out.")
        return values

    def _advice(self, model: Any, X: NDArray[Any]) -> Floats:
        low, high = self.value_range
        said = asked(model, "predict", X)
        unsure = np.full(len(X), 0.5 * (low + high))
        return unsure if said is None else np.where(np.isnan(said), unsure, np.clip(said, low, high))

    def _said(self, advice: Floats) -> Any:
        return self.mixture_.predict_one(advice)

    def _settle(self, advice: Floats, label: Any) -> None:
        self.mixture_.learn_one(advice, float(label))

    @fit_method
    def partial_fit(self, X: ArrayLike, y: ArrayLike) -> ExpertsRegressor:
        """Learn further rows in order."""
        self._advance(X, y)
        return self
