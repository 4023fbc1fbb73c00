"""Losses of gradient boosting with exact trees: where to start, negative gradients, values of leaves, scores.

Raw predictions are arrays of shape (outputs, rows). Friedman (2001) calls the negative gradients pseudo-residuals;
a tree is grown on them, and its leaves then get the values that lower the loss most.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from certus.losses import Absolute, Exponential, KnownLoss, Logistic, Multinomial, Quantile, Squared

Numbers = NDArray[np.float64]
Weights = NDArray[np.float64] | None
Leaves = NDArray[np.int64]

# Leaves whose curvature is smaller than this keep their rows' predictions: the loss cannot fall there.
NO_CURVATURE = 1e-150
LONGEST_STEP = 1e300
# Residuals of probabilities have no unit: nodes in which they vary by less are not worth a split.
ROUNDING = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Grown:
    """A tree on pseudo-residuals and the rows that it was grown on.

    Parameters
    ----------
    leaves : ndarray of shape (n_rows,)
        The leaf of each row.
    values : ndarray of shape (n_nodes,)
        Mean residual of each node.
    y, residuals : ndarray of shape (n_rows,)
        Targets and residuals.
    raw : ndarray of shape (n_outputs, n_rows)
        Raw predictions before the tree.
    weights : ndarray of shape (n_rows,) or None
        Weights of the rows.
    learning_rate : float
        What the values of the leaves are multiplied with.
    """

    leaves: Leaves
    values: Numbers
    y: Numbers
    residuals: Numbers
    raw: Numbers
    weights: Weights
    learning_rate: float

    def with_steps(self, steps: Numbers) -> Numbers:
        """The values with those of the leaves replaced; ``steps`` has one number per node."""
        values = self.values.copy()
        reached = np.unique(self.leaves)
        values[reached] = steps[reached]
        return values

    def newton_steps(self, curvatures: Numbers) -> Numbers:
        """Sum of the residuals over the sum of the curvatures in each leaf, but no more than surely lowers the loss.

        After a Newton step x a loss whose curvature changes at most e-fold per unit of the score (as these do) is not
        larger than before if the learning rate shortens it to log(1 + 2 |x|) at most (Bach 2010, proposition 1).
        """
        slopes, nodes = self.residuals, len(self.values)
        if self.weights is not None:
            slopes, curvatures = slopes * self.weights, curvatures * self.weights
        top = np.bincount(self.leaves, weights=slopes, minlength=nodes)
        bottom = np.bincount(self.leaves, weights=curvatures, minlength=nodes)
        steps = np.zeros(nodes)
        curved = np.abs(bottom) >= NO_CURVATURE
        with np.errstate(over="ignore"):
            steps[curved] = np.clip(top[curved] / bottom[curved], -LONGEST_STEP, LONGEST_STEP)
        if self.learning_rate > 0.0:
            longest = np.log1p(2.0 * np.abs(steps)) / self.learning_rate
            steps = np.clip(steps, -longest, longest)
        return steps

    def quantiles(self, share: float) -> Numbers:
        """The quantile of ``y - raw`` in each leaf."""
        return leaf_quantiles(self.leaves, len(self.values), self.y - self.raw[0], self.weights, share)


class StageLoss:
    """What the boosting loop needs of a loss; this one is half the squared error, whose trees need no second step."""

    loss: KnownLoss = Squared()
    outputs: int = 1
    score_factor: ClassVar[float] = 2.0  # scores are the squared error and the deviance, not their halves
    fixed: ClassVar[bool] = True  # whether the loss is the same in all rounds
    negligible_impurity: ClassVar[float] = 0.0  # of residuals; numbers have units, so none is negligible in itself

    def prepare(self, y: Numbers, raw: Numbers, weights: Weights) -> None:
        """Set what depends on the current predictions."""

    def residuals(self, y: Numbers, raw: Numbers) -> Numbers:
        """Negative gradients, outputs x rows."""
        return -self.loss.derivative(self.loss.from_codes(y), raw)

    def each(self, y: Numbers, raw: Numbers) -> Numbers:
        """The loss of every row."""
        return self.loss.value(self.loss.from_codes(y), raw[0])

    def best_constant(self, y: Numbers, weights: Weights) -> Numbers:
        """The answer without any column: a number, or a probability per class."""
        return np.array([self.loss.best_constant(y, weights)])

    def link(self, answers: Numbers) -> Numbers:
        """Raw predictions (outputs x rows) of a model's answers: numbers, or rows x classes of probabilities."""
        return np.asarray(answers, dtype=np.float64).reshape(1, -1)

    def leaf_values(self, output: int, grown: Grown) -> Numbers:
        """Values of a tree's nodes, given those that it was grown with and the leaf of each row."""
        return grown.values

    def score(self, y: Numbers, raw: Numbers, weights: Weights) -> float:
        """Weighted mean of the loss, in the customary scale; NaN without rows."""
        if len(y) == 0:
            return float("nan")
        return float(self.score_factor * np.average(self.each(y, raw), weights=weights))


def leaf_quantiles(leaves: Leaves, nodes: int, values: Numbers, weights: Weights, share: float) -> Numbers:
    """For each leaf the smallest of its values that has at least this share of the leaf's weight at or below it."""
    order = np.lexsort((values, leaves))
    groups = leaves[order]
    mass = np.ones(len(order)) if weights is None else weights[order]
    totals = np.bincount(groups, weights=mass, minlength=nodes)
    reached = np.cumsum(mass)
    first = np.flatnonzero(np.diff(groups, prepend=-1))
    before = np.zeros(nodes)
    before[groups[first]] = reached[first] - mass[first]
    enough = reached - before[groups] >= (share - 1e-12) * totals[groups]
    enough[np.append(first[1:] - 1, len(order) - 1)] = True  # the largest value of a leaf always is enough
    places = np.flatnonzero(enough)
    found, where = np.unique(groups[places], return_index=True)
    quantiles = np.zeros(nodes)
    quantiles[found] = values[order[places[where]]]
    return quantiles


class QuantileLoss(StageLoss):
    """The pinball loss, whose best constant is a quantile; half of it is the absolute error for a share of 1/2."""

    score_factor = 1.0

    def __init__(self, share: float) -> None:
        self.loss, self.share = Quantile(share), share

    def residuals(self, y: Numbers, raw: Numbers) -> Numbers:
        """The share where the target is at or above the prediction, the share minus 1 where it is below."""
        return np.where(y >= raw, self.share, self.share - 1.0)

    def leaf_values(self, output: int, grown: Grown) -> Numbers:
        """The quantile of what the predictions leave over."""
        return grown.with_steps(grown.quantiles(self.share))


class AbsoluteLoss(QuantileLoss):
    """The absolute error: twice the quantile loss of the median."""

    def __init__(self) -> None:
        super().__init__(0.5)
        self.loss = Absolute()

    def residuals(self, y: Numbers, raw: Numbers) -> Numbers:
        """Signs."""
        return np.where(y >= raw, 1.0, -1.0)


class HuberLoss(StageLoss):
    """Squared for the smaller residuals, absolute for the largest: ``share`` of them count as smaller."""

    score_factor = 1.0
    fixed = False

    def __init__(self, share: float) -> None:
        self.share = share
        self.delta = 1.0

    def prepare(self, y: Numbers, raw: Numbers, weights: Weights) -> None:
        """The border between smaller and larger residuals is a quantile of their sizes."""
        together = np.zeros(len(y), dtype=np.int64)
        self.delta = float(leaf_quantiles(together, 1, np.abs(y - raw[0]), weights, self.share)[0])

    def residuals(self, y: Numbers, raw: Numbers) -> Numbers:
        """What is left over, cut off at the border."""
        return np.clip(y - raw, -self.delta, self.delta)

    def each(self, y: Numbers, raw: Numbers) -> Numbers:
        """Half the square up to the border, a straight line beyond."""
        rest = np.abs(y - raw[0])
        return np.where(rest <= self.delta, 0.5 * rest**2, self.delta * (rest - 0.5 * self.delta))

    def best_constant(self, y: Numbers, weights: Weights) -> Numbers:
        """The median."""
        return np.array([Absolute().best_constant(y, weights)])

    def leaf_values(self, output: int, grown: Grown) -> Numbers:
        """Median of what is left over plus the mean of the deviations from it, cut off (Friedman 2001, section 4.4)."""
        medians = grown.quantiles(0.5)
        beyond = np.clip(grown.y - grown.raw[0] - medians[grown.leaves], -self.delta, self.delta)
        mass = np.ones(len(beyond)) if grown.weights is None else grown.weights
        sums = np.bincount(grown.leaves, weights=beyond * mass, minlength=len(medians))
        totals = np.bincount(grown.leaves, weights=mass, minlength=len(medians))
        return grown.with_steps(medians + sums / np.where(totals > 0.0, totals, 1.0))


class BinaryLoss(StageLoss):
    r"""Log-loss of two classes, y = 0 or 1: log(1 + exp(f)) - y f."""

    loss: KnownLoss = Logistic()
    negligible_impurity = ROUNDING

    def best_constant(self, y: Numbers, weights: Weights) -> Numbers:
        """Shares of the classes."""
        share = np.average(y, weights=weights)
        return np.array([1.0 - share, share])

    def link(self, answers: Numbers) -> Numbers:
        """The score of the second class's probability."""
        epsilon = np.finfo(np.float64).eps
        return self.loss.link(np.clip(answers[:, 1].astype(np.float64), epsilon, 1.0 - epsilon))[None]

    def leaf_values(self, output: int, grown: Grown) -> Numbers:
        """One Newton step in every leaf."""
        shares = grown.y - grown.residuals
        return grown.with_steps(grown.newton_steps(shares * (1.0 - shares)))

    def probabilities(self, raw: Numbers) -> Numbers:
        """Rows x classes."""
        second = self.loss.inverse_link(raw[0])
        return np.stack([1.0 - second, second], axis=1)


class ExponentialLoss(BinaryLoss):
    """The loss of AdaBoost: exp(-f) for the second class, exp(f) for the first."""

    loss: KnownLoss = Exponential()
    score_factor = 1.0

    def leaf_values(self, output: int, grown: Grown) -> Numbers:
        """One Newton step in every leaf."""
        return grown.with_steps(grown.newton_steps(np.abs(grown.residuals)))


class ClassesLoss(StageLoss):
    """Log-loss of more than two classes, y = 0, 1, …: one raw prediction per class."""

    loss: KnownLoss = Multinomial()
    score_factor = 1.0
    negligible_impurity = ROUNDING

    def __init__(self, classes: int) -> None:
        self.outputs = classes

    def residuals(self, y: Numbers, raw: Numbers) -> Numbers:
        """Label minus probability, for each class."""
        return np.asarray((y == np.arange(self.outputs)[:, None]) - self.loss.inverse_link(raw.T).T)

    def each(self, y: Numbers, raw: Numbers) -> Numbers:
        """Minus the logarithm of the probability of the label."""
        return self.loss.value(y, raw.T)

    def best_constant(self, y: Numbers, weights: Weights) -> Numbers:
        """Shares of the classes."""
        shares = np.bincount(y.astype(np.intp), weights=weights, minlength=self.outputs)
        return np.asarray(shares / shares.sum())

    def link(self, answers: Numbers) -> Numbers:
        """Logarithms of the probabilities, centered."""
        epsilon = np.finfo(np.float64).eps
        return self.loss.link(np.clip(answers.astype(np.float64), epsilon, 1.0 - epsilon)).T

    def leaf_values(self, output: int, grown: Grown) -> Numbers:
        """One Newton step in every leaf, times (K - 1) / K (Friedman 2001, algorithm 6)."""
        shares = (grown.y == output) - grown.residuals
        steps = grown.newton_steps(shares * (1.0 - shares))
        return grown.with_steps(steps * (self.outputs - 1) / self.outputs)

    def probabilities(self, raw: Numbers) -> Numbers:
        """Rows x classes."""
        return self.loss.inverse_link(raw.T)
