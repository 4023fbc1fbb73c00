"""Numbers to predict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from certus.evaluation import Display, ResidualsDisplay
from certus.guarantees import Certificate
from certus.guarantees.holdout import RateSetting, rate_bound
from certus.guarantees.records import LARGE_ERRORS, Quantity
from certus.workflow.declared_costs import declared_measure
from certus.workflow.measures import MEASURES, BoundedBy, Measure, find_measure
from certus.workflow.notes import Note
from certus.workflow.options import Options
from certus.workflow.race.weighted_fit import fit_rows
from certus.workflow.study_error import StudyError
from certus.workflow.tasks.judged import Constant, Judged
from certus.workflow.tasks.kind_of_task import Kind, Task
from certus.workflow.verdict import Comparison, Rival, against_mean, against_numbers

if TYPE_CHECKING:
    from certus.workflow.evaluation_record import Evaluation

Array = NDArray[Any]
# The squares of larger numbers to predict, added up over many rows, would overflow.
LARGEST_NUMBER = 1e140
# A winner promises how often its error exceeds t; t is this quantile of the validation errors.
TOLERATED_QUANTILE = 0.9


@dataclass(frozen=True, eq=False)
class RegressionTask(Task):
    """The prediction of a number."""

    kind: ClassVar[Kind] = "regression"
    learners: ClassVar[Literal["classification", "regression", "clustering"]] = "regression"

    @classmethod
    def create(cls, column: pl.Series, options: Options) -> RegressionTask:
        """From the target's column."""
        if options.costs:
            raise StudyError(
                "costs can be given for labels only, but a number is to be predicted.\n"
                "Hint: choose task='classification'.",
                options=["costs", "task"],
            )
        too_large = (column.cast(pl.Float64).abs() > LARGEST_NUMBER).fill_null(False)
        if too_large.any():
            row = int(too_large.arg_max() or 0)
            raise StudyError(
                f"The target column {column.name!r} is {column[row]!r} in row {row + 1}; at most {LARGEST_NUMBER:g} "
                "can be learned.\nHint: leave the row out, or choose another unit."
            )
        name = options.measure or "rmse"
        declared = name not in MEASURES and "prediction" in name
        none = np.empty(0)
        measure = declared_measure(name, options.loss_range, none) if declared else find_measure(name, cls.kind)
        text = f"regression on {column.name!r}, measured by {measure.name} (task, measure override)"
        return cls((column.name,), measure, none, Note(text, ["task", "measure"]))

    def values(self, frame: pl.DataFrame) -> Array:
        return frame[self.target].cast(pl.Float64).to_numpy()

    def colors(self, values: Array) -> Array:
        return values

    @staticmethod
    def strata(y: Array) -> Array:
        return np.zeros(len(y))

    @staticmethod
    def fit_and_predict(
        learner: Any, X: Array, y: Array, X_new: Array, _classes: int, weights: Array | None = None
    ) -> tuple[Array, Array | None]:
        return np.asarray(fit_rows(learner, X, y, weights).predict(X_new)).astype(np.float64), None

    @staticmethod
    def best_constant(y: Array, measure: Measure, _classes: int, weights: Array | None = None) -> Constant:
        """The median minimizes absolute errors, the mean squared ones."""
        if measure.name != "mae":
            return Constant(float(np.average(y, weights=weights)))
        return Constant(float(np.median(y) if weights is None else _weighted_median(y, weights)))

    def decide(self, votes: Array) -> tuple[Array, Array | None]:
        return votes, None

    def tolerance(self, truth: Array, predictions: Array) -> float | None:
        return tolerance(truth, predictions)

    def certify(self, judged: Judged) -> Certificate:
        """The mean loss where its range is known, else how often errors are large."""
        measure = self.measure
        ends = measure.range if measure.bounded_by is BoundedBy.MEAN else judged.loss_range
        if ends is not None and measure.rows is not None:
            losses = measure.rows(judged.truth, judged.predictions, None)
            return judged.bound_mean(losses, ends, Quantity(measure.quantity))
        far, quantity = self.plain_losses(judged)
        setting = RateSetting(confidence=judged.confidence, quantity=quantity, noun="such row")
        return rate_bound(int(far.sum()), len(far), setting)

    def plain_losses(self, judged: Judged) -> tuple[Array, Quantity]:
        assert judged.threshold is not None
        far = np.abs(judged.truth - judged.predictions) > judged.threshold
        return far.astype(float), Quantity(LARGE_ERRORS, threshold=judged.threshold)

    def against_constants(self, judged: Judged, learned: Array) -> Comparison:
        """By absolute errors; a declared loss by its mean."""
        measure = self.measure
        if judged.groups is None and measure.compares_rows and measure.rows is not None and measure.range is not None:
            constant = self.best_constant(learned, measure, 0)
            own, other = (measure.rows(one.truth, one.predictions, None) for one in (judged, judged.always(constant)))
            rivals = [Rival(constant.prediction, other, measure.range)]
            return against_mean(own, measure.range, rivals, judged.level)
        return against_numbers(judged.truth, judged.predictions, judged.groups, judged.level)

    def certified_value(self, judged: Judged, certificate: Certificate) -> float:
        if certificate.quantity.name == LARGE_ERRORS:
            return float(np.mean(self.plain_losses(judged)[0]))
        assert self.measure.rows is not None
        return float(np.mean(self.measure.rows(judged.truth, judged.predictions, None)))

    def comparable_losses(self, truth: Array, predictions: Array) -> Array:
        """Declared losses, or the distance."""
        if self.measure.compares_rows:
            return super().comparable_losses(truth, predictions)
        return np.abs(truth - predictions)

    def figures(self, evaluation: Evaluation, confidence: float) -> list[tuple[str, Display]]:
        residuals = ResidualsDisplay(
            evaluation.truth, evaluation.predictions, evaluation.certificate.quantity.threshold
        )
        return [(f"Errors on the {evaluation.rows} rows", residuals)]


def tolerance(truth: Array, predictions: Array) -> float:
    """The error size t, from validation rows, rounded up to two digits so that it can be said aloud."""
    size = float(np.quantile(np.abs(np.asarray(truth, dtype=float) - predictions), TOLERATED_QUANTILE))
    if size == 0.0:
        return 0.0
    unit = 10.0 ** (np.floor(np.log10(size)) - 1)
    return float(f"{np.ceil(size / unit) * unit:.2g}")


def _weighted_median(y: Array, weights: Array) -> float:
    """The least number up to which half of the weight lies."""
    order = np.argsort(y, kind="stable")
    reached = np.cumsum(weights[order])
    return float(y[order][np.searchsorted(reached, reached[-1] / 2.0)])
