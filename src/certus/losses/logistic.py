"""The logistic loss for two classes and its form for several."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, logsumexp, softmax, xlogy

from certus.losses.loss import Array, product, where_allowed


@dataclass(frozen=True)
class Logistic:
    """l(y, f) = log(1 + exp(-y f)) for labels y = -1 or 1: estimates log-odds.

    Examples
    --------
    >>> from certus.losses import Logistic
    >>> Logistic().value([1.0], [0.0]).round(4).tolist(), Logistic().derivative([1.0], [0.0]).tolist()
    ([0.6931], [-0.5])
    """

    name: ClassVar[str] = "logistic"
    lipschitz: ClassVar[float] = 1.0
    smoothness: ClassVar[float] = 0.25
    range: ClassVar[tuple[float, float]] = (0.0, math.inf)

    def value(self, y: ArrayLike, f: ArrayLike) -> Array:
        """Overflow-free for every score."""
        return np.logaddexp(0.0, -product(y, f))

    def derivative(self, y: ArrayLike, f: ArrayLike) -> Array:
        """Minus y times the probability of the other class."""
        return -np.asarray(y, dtype=np.float64) * expit(-product(y, f))

    def conjugate(self, y: ArrayLike, u: ArrayLike) -> Array:
        """The negative entropy t log t + (1 - t) log(1 - t) of t = -u y in [0, 1]."""
        t = -product(y, u)
        inside = np.clip(t, 0.0, 1.0)
        return where_allowed(t == inside, xlogy(inside, inside) + xlogy(1.0 - inside, 1.0 - inside))


@dataclass(frozen=True)
class Multinomial:
    """l(y, f) = log sum_k exp(f_k) - f_y for a class position y and a score per class.

    Scores and dual variables are matrices (rows x classes), the constants are for Euclidean lengths of their rows.

    Examples
    --------
    >>> from certus.losses import Multinomial
    >>> Multinomial().value([2], [[0.0, 0.0, 0.0]]).round(4).tolist()
    [1.0986]
    """

    name: ClassVar[str] = "multinomial"
    lipschitz: ClassVar[float] = math.sqrt(2.0)
    smoothness: ClassVar[float] = 0.5
    range: ClassVar[tuple[float, float]] = (0.0, math.inf)

    def value(self, y: ArrayLike, f: ArrayLike) -> Array:
        """Overflow-free for all scores."""
        scores = np.asarray(f, dtype=np.float64)
        chosen = np.take_along_axis(scores, _column(y), axis=1)
        return np.asarray(logsumexp(scores - chosen, axis=1), dtype=np.float64)

    def derivative(self, y: ArrayLike, f: ArrayLike) -> Array:
        """Probabilities minus the indicator of the class."""
        gradient = softmax(np.asarray(f, dtype=np.float64), axis=1)
        np.put_along_axis(gradient, _column(y), 0.0, axis=1)
        # p_y - 1 is minus the sum of the others: no cancellation when the model is sure and right.
        np.put_along_axis(gradient, _column(y), -gradient.sum(axis=1, keepdims=True), axis=1)
        return gradient

    def conjugate(self, y: ArrayLike, u: ArrayLike) -> Array:
        """The negative entropy of p = u + indicator of the class, which must be a probability vector."""
        p = np.array(u, dtype=np.float64)
        np.put_along_axis(p, _column(y), np.take_along_axis(p, _column(y), axis=1) + 1.0, axis=1)
        rounding = 4.0 * np.finfo(float).eps * p.shape[1]
        allowed = (p >= -rounding).all(axis=1) & (np.abs(p.sum(axis=1) - 1.0) <= rounding)
        inside = np.maximum(p, 0.0)
        return where_allowed(allowed, xlogy(inside, inside).sum(axis=1))


def _column(y: ArrayLike) -> NDArray[np.intp]:
    return np.asarray(y, dtype=np.intp)[:, None]
