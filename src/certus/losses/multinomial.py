"""The logistic loss of several classes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import softmax, xlogy

from certus.losses.loss import Array, KnownLoss, Targets, where_allowed


@dataclass(frozen=True)
class Multinomial(KnownLoss):
    """l(y, f) = log sum_k exp(f_k) - f_y for a class position y and a score per class.

    Scores and dual variables are matrices (rows x classes), the constants are for Euclidean lengths of their rows.

    Examples
    --------
    >>> from certus.losses import Multinomial
    >>> Multinomial().value([2], [[0.0, 0.0, 0.0]]).round(4).tolist()
    [1.0986]
    """

    name: ClassVar[str] = "multinomial"
    native: ClassVar[str | None] = "multinomial"
    lipschitz = math.sqrt(2.0)
    smoothness = 0.5
    targets = Targets(least=0.0)

    def value(self, y: ArrayLike, f: ArrayLike) -> Array:
        """Overflow-free for all scores."""
        scores = np.asarray(f, dtype=np.float64)
        above = scores - np.take_along_axis(scores, _column(y), axis=1)
        best = above.argmax(axis=1)[:, None]
        top = np.take_along_axis(above, best, axis=1)
        above = np.exp(above - top, out=above)
        np.put_along_axis(above, best, 0.0, axis=1)  # its 1 goes into log1p: small losses keep all their digits
        return np.asarray(top[:, 0] + np.log1p(above.sum(axis=1)), dtype=np.float64)

    def derivative(self, y: ArrayLike, f: ArrayLike) -> Array:
        """Probabilities minus the indicator of the class."""
        gradient = self.inverse_link(f)
        np.put_along_axis(gradient, _column(y), 0.0, axis=1)
        # p_y - 1 is minus the sum of the others: no cancellation when the model is sure and right.
        np.put_along_axis(gradient, _column(y), -gradient.sum(axis=1, keepdims=True), axis=1)
        return gradient

    def curvature(self, y: ArrayLike, f: ArrayLike) -> Array:
        """The diagonal p (1 - p) of the second derivative diag(p) - p p'."""
        p = self.inverse_link(f)
        return p * (1.0 - p)

    def conjugate(self, y: ArrayLike, u: ArrayLike) -> Array:
        """The negative entropy of p = u + indicator of the class, which must be a probability vector."""
        p = np.array(u, dtype=np.float64)
        np.put_along_axis(p, _column(y), np.take_along_axis(p, _column(y), axis=1) + 1.0, axis=1)
        rounding = 4.0 * np.finfo(float).eps * p.shape[1]
        allowed = (p >= -rounding).all(axis=1) & (np.abs(p.sum(axis=1) - 1.0) <= rounding)
        inside = np.maximum(p, 0.0)
        return where_allowed(allowed, xlogy(inside, inside).sum(axis=1))

    def from_codes(self, codes: ArrayLike) -> NDArray[np.intp]:
        """The codes themselves."""
        return np.asarray(codes, dtype=np.intp)

    def link(self, prediction: ArrayLike) -> Array:
        """Logarithms of probabilities, centered."""
        logarithms = np.log(np.asarray(prediction, dtype=np.float64))
        return logarithms - logarithms.mean(axis=-1, keepdims=True)

    def inverse_link(self, f: ArrayLike) -> Array:
        """Probabilities of the classes."""
        return np.asarray(softmax(np.asarray(f, dtype=np.float64), axis=-1), dtype=np.float64)

    def best_constant(self, y: ArrayLike, weights: ArrayLike | None = None) -> Array:
        """Logarithms of the classes' shares, centered."""
        totals = np.bincount(np.asarray(y, dtype=np.intp), weights=weights)
        return self.link(totals / totals.sum())


def _column(y: ArrayLike) -> NDArray[np.intp]:
    return np.asarray(y, dtype=np.intp)[:, None]
