"""Online gradient descent for classification (Zinkevich 2003; McMahan, Streeter 2010; Kivinen, Warmuth 1997)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.utils.metaestimators import available_if

from certus.base import predict_method, register
from certus.base.params import OneOf
from certus.losses import named_loss
from certus.online.learning.gradient_learner import GRADIENT_CONSTRAINTS, GradientLearner
from certus.online.learning.stream_classifier import CLASSIFIER_CONSTRAINTS, StreamClassifier
from certus.online.learning.stream_learner import STREAM_STATE
from certus.online.learning.stream_weights import NOT_REPEATED

LOSSES = ("logistic", "log_loss", "hinge", "squared_hinge", "modified_huber", "perceptron")


def _is_logistic(learner: Any) -> bool:
    if learner.loss not in ("logistic", "log_loss"):
        raise AttributeError(f"probability estimates are not available for loss={learner.loss!r}")
    return True


@register(
    guarantees=("bound on the regret of the linearized losses, at any moment", "regret in hindsight"),
    cost="fit n p, predict p per row",
    known_failures=NOT_REPEATED,
    draws_rows=True,
)
class OGDClassifier(GradientLearner, StreamClassifier):
    """Linear classifier of a stream by online gradient descent.

    Parameters
    ----------
    loss : str, default="logistic"
        "logistic" (or "log_loss"), "hinge", "squared_hinge", "modified_huber" or "perceptron".

    Examples
    --------
    >>> import numpy as np
    >>> from certus.online import OGDClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(500, 3))
    >>> learner = OGDClassifier()
    >>> y = X[:, 0] + X[:, 1] > 0
    >>> played = learner.run(X, y)
    >>> ledger = learner.ledger_
    >>> bool(np.mean(played[100:] == y[100:]) > 0.9), ledger.regret <= ledger.bound
    (True, True)
    """

    _constraints = {**CLASSIFIER_CONSTRAINTS, **GRADIENT_CONSTRAINTS, "loss": [OneOf(*LOSSES)]}
    _state = STREAM_STATE
    _adaptive_eta, _adaptive_radius = 0.5, 30.0

    def __init__(
        self,
        loss: str = "logistic",
        *,
        geometry: str = "adagrad",
        eta: float | None = None,
        radius: float | None = None,
        horizon: int | None = None,
        max_norm: float | None = None,
        fit_intercept: bool = True,
        conservative: bool = False,
        epochs: int = 1,
        classes: Sequence[Any] | None = None,
        hash_bits: int | None = None,
    ) -> None:
        self._set_parameters(locals())

    def _loss(self) -> Any:
        return named_loss(self.loss)

    @available_if(_is_logistic)  # type: ignore[untyped-decorator]
    @predict_method
    def predict_proba(self, X: Any) -> NDArray[Any]:
        """Probabilities of the classes, for the logistic loss."""
        single = expit(self._values(self._read_new(X)))
        if single.shape[1] == 1:
            only = len(self.classes_) == 1
            return np.ones_like(single) if only else np.hstack([1.0 - single, single])
        total = single.sum(axis=1, keepdims=True)
        single = np.where(total == 0.0, 1.0, single)
        return np.asarray(single / single.sum(axis=1, keepdims=True))
