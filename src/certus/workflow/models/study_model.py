"""The model that a study hands over: the winner together with the calibration of its sets or intervals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.metaestimators import available_if

from certus.base import TableLike, register_part
from certus.evaluation import gives_probabilities
from certus.guarantees import Calibration, Report
from certus.tables import TableEncoder
from certus.workflow.models.blend import Blend
from certus.workflow.models.fold_models import FoldModels
from certus.workflow.models.forms import Form, Labels, LabelSets, Numbers, Trained
from certus.workflow.models.made_encoder import MadeEncoder
from certus.workflow.models.temperature import fitted_exponent, tempered

Floats = NDArray[np.float64]


@register_part("workflow")
class StudyModel:
    """A trained model that knows its target and, if it was calibrated, which predictions it cannot rule out.

    Parameters
    ----------
    model : Pipeline or Blend
        The winner of a study.
    target : str
        What it predicts.
    facts : dict
        What else it must know: ``classes_`` and ``costs_`` of labels, ``targets_`` and ``classes_`` of several
        targets.
    """

    _state = ("model_", "target_", "targets_", "classes_", "costs_", "threshold_", "folds_", "exponent_", "about_")
    classes_: NDArray[Any]  # of labels only
    reads_tables = True  # it encodes the columns of a data frame itself

    def __init__(self, model: Trained, target: str, facts: Mapping[str, Any]) -> None:
        self.model_ = model
        self.target_ = target
        vars(self).update(facts)
        self.threshold_: float | None = None
        self.folds_: FoldModels | None = None
        self.about_: list[str] = []  # where it comes from, as lines of "name: value"
        self.feature_names_in_ = model.feature_names_in_
        self.n_features_in_ = model.n_features_in_
        self.report_ = Report()

    @property
    def form(self) -> Form:
        """What kind of predictions it gives, from what a file keeps of it."""
        if hasattr(self, "targets_"):
            return LabelSets(self.classes_)
        return Labels(self.classes_, getattr(self, "costs_", None)) if hasattr(self, "classes_") else Numbers()

    @property
    def several(self) -> bool:
        """Whether every row gets several labels, one for each of ``targets_``."""
        return hasattr(self, "targets_")

    @property
    def _responds_in_probabilities(self) -> bool:
        """Whether `response` gives probabilities already."""
        return hasattr(self, "classes_") and gives_probabilities(self.model_)

    @property
    def gives_probabilities(self) -> bool:
        """Whether there are probabilities: the winner's own, or responses calibrated on rows that were left out."""
        return self._responds_in_probabilities or getattr(self, "exponent_", None) is not None

    def calibrate_probabilities(
        self, responses: Floats, truth: NDArray[Any], weights: NDArray[Any] | None = None
    ) -> None:
        """Learn from out-of-fold responses how sure the model may be, if its response is no probability.

        ``truth`` has the indices of the true labels among ``classes_``.
        """
        if not self._responds_in_probabilities and not self.several:
            self.exponent_ = fitted_exponent(responses, truth, weights)

    def probabilities(self, X: TableLike) -> Floats:
        """The response as probabilities, where the model gives them; else the response."""
        return self.as_probabilities(self.response(X))

    def as_probabilities(self, response: Floats) -> Floats:
        """Responses as probabilities, where the model gives them; else as they are."""
        exponent = getattr(self, "exponent_", None)
        return response if exponent is None else tempered(response, exponent)

    @property
    def _encoder(self) -> TableEncoder:
        first = self.model_.members_[0] if isinstance(self.model_, Blend) else self.model_
        encoder = first[0]
        assert isinstance(encoder, TableEncoder)
        return encoder

    @property
    def column_kinds(self) -> dict[str, str]:
        """How every column was learned: "number", "category", "date" or "text"."""
        return self._encoder.column_kinds

    @property
    def made_columns(self) -> list[str]:
        """Columns that the model makes from others, in words."""
        members = self.model_.members_ if isinstance(self.model_, Blend) else [self.model_]
        encoders = [member[0] for member in members if isinstance(member[0], MadeEncoder)]
        return list(dict.fromkeys(made.name for encoder in encoders for made in encoder.made_.made))

    @property
    def usual_numbers(self) -> dict[str, tuple[float, float]]:
        """Mean and spread of every column of numbers in training."""
        return self._encoder.usual_numbers

    def predict(self, X: TableLike) -> NDArray[Any]:
        """The number or the most probable label of every row; with declared costs the label of least mean cost."""
        return self._decide(X, self.response(X)) if self._decides else self._own(X)

    @property
    def _decides(self) -> bool:
        """Whether predictions follow from probabilities, rather than being the model's own."""
        costs = getattr(self, "costs_", None) is not None
        return not self.several and (self._responds_in_probabilities or costs)

    def _decide(self, X: TableLike, response: Floats) -> NDArray[Any]:
        return self.form.decide(self.as_probabilities(response)) if self._decides else self._own(X)

    def _own(self, X: TableLike) -> NDArray[Any]:
        predictions = np.asarray(self.model_.predict(X))
        return self.form.decide(predictions) if self.several else predictions

    def predict_all(self, X: TableLike) -> tuple[NDArray[Any], Floats | None, NDArray[Any] | None]:
        """Predictions, probabilities, and sets or intervals, each as its own method gives it, in one go.

        None for what the model does not give.
        """
        if hasattr(self, "classes_"):
            response = self.response(X)
            predictions = self._decide(X, response)
        else:
            predictions = self._own(X)
            response = predictions.astype(np.float64)
        inside = self._inside(X, response) if self.gives_sets else None
        return predictions, self.as_probabilities(response) if self.gives_probabilities else None, inside

    def response(self, X: TableLike) -> Floats:
        """Numbers, or how strongly the model speaks for every label (every target's second one), between 0 and 1."""
        return self.form.respond(self.model_, X)

    @available_if(lambda self: self.gives_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: TableLike) -> Floats:
        """Probability of every label: the winner's own, or calibrated on rows that were left out."""
        return self.probabilities(X)

    @property
    def gives_sets(self) -> bool:
        """Whether the model was calibrated, on rows of their own or by cross-validation."""
        return self.threshold_ is not None or getattr(self, "folds_", None) is not None

    def calibrate(self, X: TableLike, y: NDArray[Any], confidence: float) -> Calibration:
        """Learn from rows that the model has not seen how unusual a true value may be."""
        calibration = self.form.calibrate(self.response(X), y, confidence)
        self.threshold_ = float(calibration.threshold)
        return calibration

    def scores(self, X: TableLike, y: NDArray[Any]) -> Floats:
        """How unusual each true value is: 1 - its probability, or its distance from the prediction."""
        return self.form.scores(self.response(X), y)

    def missed(self, X: TableLike, y: NDArray[Any]) -> NDArray[np.bool_]:
        """For every row whether its true value lies outside its set or interval."""
        return self.form.missed(self._calibrated(X), y)

    def predict_set(self, X: TableLike) -> NDArray[np.bool_]:
        """For every row and label whether it cannot be ruled out; the prediction itself never is.

        With several targets for every row, target and one of its two labels: the sets of all targets together
        contain all true labels of a row with the stated probability.
        """
        return self._calibrated(X)

    def predict_interval(self, X: TableLike) -> Floats:
        """For every row the least and the largest number that cannot be ruled out; the prediction itself never is."""
        return self._calibrated(X)

    def set_size(self, X: TableLike) -> float:
        """Mean number of labels in a set (of one target), or mean length of an interval."""
        return self.form.size(self._calibrated(X))

    def _calibrated(self, X: TableLike) -> NDArray[Any]:
        if not self.gives_sets:
            raise ValueError(
                "The model has no sets: it was not calibrated.\n"
                "Hint: a study calibrates unless it has very few rows, or orders them in time."
            )
        return self._inside(X, self.response(X))

    def _inside(self, X: TableLike, response: Floats) -> NDArray[Any]:
        if self.threshold_ is not None:
            return self.form.within(response, self.threshold_)
        assert self.folds_ is not None
        return self.form.within_folds(response, self.folds_, X)

    def __repr__(self) -> str:
        return f"StudyModel({self.model_!r}, target={self.target_!r})"
