"""Classifiers as experts: their probabilities are mixed, at the price of ln n."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from certus.base import Interval, fit_method, predict_method, register
from certus.base.params import Constraints
from certus.online.experts.fixed_share import FixedShare
from certus.online.experts.mixture_forecaster import MixtureForecaster
from certus.online.experts.model_experts import ModelExperts, asked, takes_classes

Floats = NDArray[np.float64]


@register(
    takes="advice",
    tasks=("experts",),
    guarantees=("log loss at most ln n above that of the best model, after every row",),
    cost="that of the models, and O(n) per row for n of them",
)
class ExpertsClassifier(ModelExperts):
    """Mixes the class probabilities of models by weights that are products of what they gave to the labels.

    In the log loss it is at most ln n worse than the best of n models, whatever the rows are, and against sequences of
    models if `alpha` is above 0. Probabilities are first mixed with the uniform ones, so that nobody is wrong beyond
    repair; a model without ``predict_proba`` is sure of what it predicts.

    Parameters
    ----------
    smoothing : float, default=0.01
        The part of uniform probabilities in what every model says.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.bayes import BernoulliNB
    >>> from certus.online import ExpertsClassifier
    >>> rows = np.random.default_rng(0).integers(0, 2, (300, 4))
    >>> labels = rows[:, 0] | rows[:, 1]
    >>> models = [("bayes", BernoulliNB()), ("strong prior", BernoulliNB(alpha=100.0))]
    >>> model = ExpertsClassifier(models).fit(rows, labels)
    >>> print(model.predict([[0, 0, 1, 1], [1, 0, 1, 0]]), model.ledger_.regret <= model.ledger_.bound)
    [0 1] True
    """

    _constraints: ClassVar[Constraints] = {
        **ModelExperts._constraints,
        "smoothing": [Interval(0.0, 1.0, closed="right")],
    }
    _state: ClassVar[tuple[str, ...]] = (*ModelExperts._state, "classes_")

    smoothing: float
    classes_: NDArray[Any]

    def __init__(self, experts: Any, *, alpha: float = 0.0, learn_along: bool = True, smoothing: float = 0.01) -> None:
        self._set_parameters(locals())

    def _new_mixture(self) -> MixtureForecaster:
        return FixedShare(float(self.alpha), loss="log")

    def _prepare(self, y: NDArray[Any]) -> NDArray[Any]:
        if "classes_" not in vars(self):
            self.classes_ = np.unique(y)
        codes = np.searchsorted(self.classes_, y).clip(0, len(self.classes_) - 1)
        unknown = self.classes_[codes] != y
        if unknown.any():
            raise ValueError(
                f"the label {y[unknown].tolist()[0]!r} of row {int(np.argmax(unknown))} is none of the classes "
                f"{self.classes_.tolist()}.\nHint: give all of them as classes to the first partial_fit."
            )
        return codes

    def _advice(self, model: Any, X: NDArray[Any]) -> Floats:
        count = len(self.classes_)
        given = np.zeros((len(X), count))
        sure = not hasattr(model, "predict_proba")
        said = asked(model, "predict" if sure else "predict_proba", X)
        if said is None:
            given[:] = 1.0 / count
        elif sure:
            given[:] = said[:, None] == self.classes_
        else:
            places = np.searchsorted(self.classes_, model.classes_).clip(0, count - 1)
            known = self.classes_[places] == model.classes_
            given[:, places[known]] = said[:, known]
            given[~(np.isfinite(given) & (given >= 0)).all(axis=1) | ~given.any(axis=1)] = 1.0
            given /= given.sum(axis=1, keepdims=True)
        return (1.0 - self.smoothing) * given + self.smoothing / count

    def _mixed(self, advice: Floats) -> Floats:
        return self._weights() @ advice

    def _said(self, advice: Floats) -> Any:
        return self.classes_[int(self._mixed(advice).argmax())]

    def _settle(self, advice: Floats, label: Any) -> None:
        self.mixture_.learn_one(np.minimum(advice[:, label], 1.0), 1.0)

    def _further(self, model: Any, row: NDArray[Any], label: NDArray[Any]) -> None:
        if takes_classes(model):
            model.partial_fit(row, label, classes=self.classes_)
        else:
            model.partial_fit(row, label)

    @fit_method
    def partial_fit(self, X: ArrayLike, y: ArrayLike, classes: ArrayLike | None = None) -> ExpertsClassifier:
        """Learn further rows in order."""
        fresh = "classes_" not in vars(self)
        if classes is not None and fresh:
            self.classes_ = np.unique(np.asarray(classes))
        try:
            self._advance(X, y)
        except BaseException:
            if fresh:
                self.__dict__.pop("classes_", None)
            raise
        return self

    @predict_method
    def predict_proba(self, X: ArrayLike) -> Floats:
        """Mixed probabilities of the classes.

        Returns
        -------
        ndarray of shape (n_trials, n_classes)
        """
        rows = np.asarray(X)
        return np.tensordot(self._weights(), np.stack([self._advice(model, rows) for model in self.experts_]), axes=1)

    def _restored(self) -> None:
        super()._restored()
        classes = vars(self).get("classes_", np.zeros(1))
        if not isinstance(classes, np.ndarray) or classes.ndim != 1 or not len(classes) or classes.dtype.kind in "cmMV":
            raise ValueError("classes_ must be a vector of labels.")
        if classes.dtype.kind == "f" and not np.isfinite(classes).all():
            raise ValueError("classes_ must be finite.")
        if len(np.unique(classes)) != len(classes) or (np.sort(classes) != classes).any():
            raise ValueError("classes_ must be different labels in ascending order.")
