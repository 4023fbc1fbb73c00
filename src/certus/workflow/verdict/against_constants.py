"""The winner against every constant prediction, on the same test rows.

Whoever guesses answers the same for every row. The winner is better than guessing if it beats each constant, so the
hypothesis "some constant is as good" is rejected when the test against every single one rejects (Berger's
intersection-union test): the largest of the p-values decides, and no level has to be split. Each single test is exact.

A unit is a test row, or with groups a whole group with its mean loss. On a unit the winner wins if its loss is smaller
than the constant's. If the two were equally good, wins among the units on which they differ would be Bin(units, 1/2) or
fewer: McNemar's test for 0/1 losses, the sign test for others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from certus.guarantees import mean_bound

Array = NDArray[Any]
MCNEMAR = "McNemar's exact test of the 0/1 losses"
SIGN_OF_ERRORS = "the sign test on absolute errors"
SIGN_OF_GROUPS = "the sign test on the mean losses of groups"
MEAN_DIFFERENCE = "a bound on the mean difference of the losses, by betting"
BOUND = "the certificate, which holds against what any constant reaches"


@dataclass(frozen=True)
class Comparison:
    """The winner against the constant that is hardest to beat.

    Attributes
    ----------
    constant : object
        Its prediction: a number, or the index of a label; None where no single one is the hardest.
    shown : bool
        Whether the winner is shown to be better, at the level asked.
    test : str
        By which test.
    wins, losses : int or None
        Units on which the winner is better, and worse.
    p_value : float or None
        Chance of so many wins, or more, if the winner were no better.
    """

    constant: Any
    shown: bool
    test: str
    wins: int | None = None
    losses: int | None = None
    p_value: float | None = None


@dataclass(frozen=True)
class Rival:
    """A constant prediction, its losses on the test rows, and between which values they must lie."""

    constant: Any
    losses: Array
    ends: tuple[float, float]


def against_labels(truth: Array, predictions: Array, groups: Array | None, level: float) -> Comparison:
    """By the 0/1 loss, against each label that occurs; of several targets, against each set of labels.

    Constants that are never right are no rivals.
    """
    codes, constants = _coded(truth)
    right = _same(truth, predictions)
    if groups is None:
        per_constant = np.bincount(codes, minlength=len(constants))
        right_there = np.bincount(codes, weights=right, minlength=len(constants)).astype(int)
        wins, losses = int(right.sum()) - right_there, per_constant - right_there
        return _hardest(constants, wins, losses, level, MCNEMAR)
    own = _group_means(~right, groups)
    others = [_group_means(codes != index, groups) for index in range(len(constants))]
    wins = np.array([int(np.sum(own < other)) for other in others])
    losses = np.array([int(np.sum(own > other)) for other in others])
    return _hardest(constants, wins, losses, level, SIGN_OF_GROUPS)


def against_numbers(truth: Array, predictions: Array, groups: Array | None, level: float) -> Comparison:
    """By absolute errors, against every number at once.

    A constant c is nearer than the winner on a unit exactly where c lies in an interval around the truth. The number
    that lies in most of these open intervals is the hardest constant; against the median of the distribution no
    prediction that knows nothing wins more than half of the rows.
    """
    errors = np.abs(truth - predictions)
    if groups is None:
        ends, test = np.column_stack([truth - errors, truth + errors]), SIGN_OF_ERRORS
    else:
        ends, test = _nearer_by_group(truth, errors, groups), SIGN_OF_GROUPS
    constant, depth = _deepest(ends)
    return _hardest([constant], np.array([len(ends) - depth]), np.array([depth]), level, test)


def against_mean(losses: Array, ends: tuple[float, float], rivals: Sequence[Rival], level: float) -> Comparison:
    """By mean losses of a known range: the mean difference to every rival is bounded away from 0."""
    hardest, least = rivals[0].constant, np.inf
    for rival in rivals:
        low, high = rival.ends[0] - ends[1], rival.ends[1] - ends[0]
        bound = mean_bound(rival.losses - losses, low=low, high=high, side="lower", confidence=1.0 - level)
        if bound.single_value < least:
            hardest, least = rival.constant, bound.single_value
    return Comparison(hardest, bool(least > 0.0), MEAN_DIFFERENCE)


def against_bound(better: bool) -> Comparison:
    """By a certificate that already excludes what any constant can reach."""
    return Comparison(None, better, BOUND)


def _hardest(constants: Sequence[Any] | Array, wins: Array, losses: Array, level: float, test: str) -> Comparison:
    p_values = binom.sf(wins - 1, wins + losses, 0.5)
    worst = int(np.argmax(p_values))
    p_value = float(p_values[worst])
    return Comparison(constants[worst], p_value <= level, test, int(wins[worst]), int(losses[worst]), p_value)


def _coded(truth: Array) -> tuple[Array, Array]:
    """The index of every row's label (or set of labels) among those that occur, and these."""
    constants, codes = np.unique(truth, axis=0, return_inverse=True)
    return codes.ravel(), constants


def _same(truth: Array, predictions: Array) -> NDArray[np.bool_]:
    return np.asarray((truth == predictions).reshape(len(truth), -1).all(axis=1))


def _group_means(losses: Array, groups: Array) -> Array:
    return np.asarray(np.bincount(groups, weights=losses) / np.bincount(groups))


def _nearer_by_group(truth: Array, errors: Array, groups: Array) -> Array:
    """For every group the numbers whose mean distance to its truths is below the winner's mean error.

    The mean distance is convex and piecewise linear in the number, so that these form an interval around the median
    (an empty one is given as its point).
    """
    level, ends = _group_means(errors, groups), []
    for group, height in enumerate(level):
        values = np.sort(truth[groups == group])
        low, high = values[0] - 2.0 * height, values[-1] + 2.0 * height
        knots = np.concatenate([[low], values, [high]])
        distances = np.abs(knots[:, None] - values).mean(axis=1)
        below = np.flatnonzero(distances < height)
        if not len(below):
            ends.append((values[0], values[0]))
            continue
        first, last = below[0], below[-1]
        ends.append(
            (
                _crossing(knots[first - 1 : first + 1], distances[first - 1 : first + 1], height),
                _crossing(knots[last : last + 2], distances[last : last + 2], height),
            )
        )
    return np.array(ends)


def _crossing(knots: Array, distances: Array, height: float) -> float:
    """Where the line through two points reaches a height."""
    share = (height - distances[0]) / (distances[1] - distances[0])
    return float(knots[0] + share * (knots[1] - knots[0]))


def _deepest(ends: Array) -> tuple[float, int]:
    """A point that lies in most of these open intervals, and in how many."""
    filled = ends[ends[:, 0] < ends[:, 1]]
    if not len(filled):
        return float(np.median(ends[:, 0])), 0
    places = filled.ravel()
    steps = np.tile([1, -1], len(filled))
    order = np.lexsort((steps, places))  # at one place intervals end before others begin
    depth = np.cumsum(steps[order])
    best = int(np.argmax(depth))
    return float((places[order[best]] + places[order[best + 1]]) / 2.0), int(depth[best])
