"""What the capacity of a class promises about its empirical winner: three ways to measure it, side by side."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from certus.guarantees import (
    Certificate,
    Report,
    finite_class_bound,
    rademacher,
    rademacher_bound,
    vc_bound,
    vc_dimension,
)
from certus.guarantees.records import check_confidence
from certus.theory.text import aligned


@dataclass(frozen=True)
class ClassBounds:
    """Bounds on the error of the hypothesis with the fewest training errors.

    Parameters
    ----------
    picked, errors, rows : int
        The hypothesis (the first of equals), its training errors, and the training rows.
    finite, vc, rademacher : Certificate
        By the number of hypotheses, by the VC dimension, and by the Rademacher complexity of the losses.
    shattered : int
        Size of the largest set of training rows that the class labels in every way.
    """

    picked: int
    errors: int
    rows: int
    finite: Certificate
    vc: Certificate
    rademacher: Certificate
    shattered: int

    @property
    def report(self) -> Report:
        """All certificates."""
        return Report([self.finite, self.vc, self.rademacher])

    def __str__(self) -> str:
        values = [self.errors / self.rows, self.finite.value, self.vc.value, self.rademacher.value]
        return aligned(["training error", "finite class", "VC dimension", "Rademacher"], [values])


def class_bounds(
    hypotheses: ArrayLike, labels: ArrayLike, *, vc: int | None = None, confidence: float = 0.95, seed: int = 0
) -> ClassBounds:
    """Bound the error of the best of finitely many binary classifiers on these rows, by three capacities.

    Parameters
    ----------
    hypotheses : array-like of shape (hypotheses, rows)
        The label that every hypothesis gives every training row; the class was fixed before seeing them.
    labels : array-like of shape (rows,)
        The true labels.
    vc : int, optional
        VC dimension of the class; by default the most that so few hypotheses can have, floor(log2(hypotheses)).
    confidence : float, default=0.95
        Of each bound. The Rademacher bound states 1 - (1 - confidence) / 2: the rest pays for drawing signs.
    seed : int, default=0
        Seed of the signs.

    Examples
    --------
    >>> points = np.linspace(0, 1, 200)
    >>> found = class_bounds([points > t for t in np.linspace(0, 1, 21)], points > 0.5)
    >>> found.errors, round(found.finite.value, 3), found.vc.value > found.finite.value
    (0, 0.03, True)
    """
    predicted, truth = np.asarray(hypotheses), np.asarray(labels)
    if predicted.ndim != 2 or truth.shape != predicted.shape[1:] or predicted.size == 0:
        raise ValueError(f"hypotheses must be a (hypotheses, {truth.size}) table of labels, got {predicted.shape}.")
    wrong, rows = predicted != truth, len(truth)
    picked = int(wrong.sum(axis=1).argmin())
    errors = int(wrong[picked].sum())
    half = 1.0 - (1.0 - check_confidence(confidence)) / 2.0
    noise: float = rademacher(wrong.astype(float), seed=seed, confidence=half).value  # type: ignore[assignment]
    return ClassBounds(
        picked,
        errors,
        rows,
        finite_class_bound(errors, rows, len(predicted), confidence),
        vc_bound(errors / rows, rows, int(np.log2(len(predicted))) if vc is None else vc, confidence),
        rademacher_bound(errors / rows, noise, rows, half),
        vc_dimension(wrong),
    )
