"""Where a column of numbers is cut into intervals."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

Floats = NDArray[np.float64]
METHODS = ("mdl", "quantile", "width")


def cut_points(values: Floats, weights: Floats, method: str, bins: int, codes: NDArray[np.intp] | None) -> Floats:
    """Ascending cuts of the numbers that are there; a number belongs to the interval that ends at or above it."""
    there = ~np.isnan(values) & (weights > 0.0)
    values, weights = values[there], weights[there]
    if not len(values):
        return np.empty(0)
    if method == "mdl":
        if codes is None:
            raise ValueError(
                "method='mdl' must have labels y to cut by, got None.\nHint: method='quantile' needs none."
            )
        return _mdl_cuts(values, weights, codes[there])
    if method == "width":
        return _inner(2.0 * np.linspace(0.5 * values.min(), 0.5 * values.max(), bins + 1)[1:-1], values)
    order = np.argsort(values, kind="stable")
    below = np.cumsum(weights[order])
    places = np.searchsorted(below, below[-1] * np.arange(1, bins) / bins * (1.0 - 1e-12))
    return _inner(values[order][places], values)


def _inner(cuts: Floats, values: Floats) -> Floats:
    """Distinct cuts with numbers on both sides."""
    return np.unique(cuts[(cuts >= values.min()) & (cuts < values.max())])


def _mdl_cuts(values: Floats, weights: Floats, codes: NDArray[np.intp]) -> Floats:
    """Recursive halving by information gain while it pays for its description (Fayyad, Irani 1993)."""
    distinct, places = np.unique(values, return_inverse=True)
    counts = np.zeros((len(distinct), int(codes.max()) + 1))
    np.add.at(counts, (places, codes), weights)
    found: list[int] = []
    waiting = [(0, len(distinct))]
    while waiting:
        first, last = waiting.pop()
        cut = _best_cut(counts[first:last])
        if cut is not None:
            found.append(first + cut)
            waiting += [(first, first + cut), (first + cut, last)]
    middles = [distinct[place - 1] + (0.5 * distinct[place] - 0.5 * distinct[place - 1]) for place in sorted(found)]
    return np.array([min(m, np.nextafter(distinct[p], -math.inf)) for m, p in zip(middles, sorted(found), strict=True)])


def _best_cut(counts: Floats) -> int | None:
    """The number of leading rows after which a cut gains most, if it gains more than it costs to tell."""
    if len(counts) < 2:
        return None
    left = np.cumsum(counts, axis=0)[:-1]
    whole = counts.sum(axis=0)
    right = whole - left
    total = float(whole.sum())
    inside = (_bits(left) + _bits(right)) / total
    place = int(np.argmin(inside))
    gain = float(_bits(whole)) / total - float(inside[place])
    classes = [int((part > 0.0).sum()) for part in (whole, left[place], right[place])]
    means = [float(_bits(part)) / max(float(part.sum()), 1e-300) for part in (whole, left[place], right[place])]
    choices = classes[0] * math.log2(3.0) + math.log1p(-2.0 * 3.0 ** -classes[0]) / math.log(2.0)  # log2(3^k - 2)
    change = choices - sum(sign * k * mean for sign, k, mean in zip((1, -1, -1), classes, means, strict=True))
    if total <= 1.0 or gain <= (math.log2(total - 1.0) + change) / total:
        return None
    return place + 1


def _bits(counts: Floats) -> Floats:
    """The total of counts times their entropy in bits, over the last axis."""
    totals = counts.sum(axis=-1)
    found: Floats = (xlogy(totals, totals) - xlogy(counts, counts).sum(axis=-1)) / math.log(2.0)
    return np.maximum(found, 0.0)


def interval_names(cuts: Floats) -> list[str]:
    """Texts of the intervals between cuts, open below and closed above."""
    if not len(cuts):
        return ["any"]
    digits = next((d for d in (6, 9, 12) if len({f"{cut:.{d}g}" for cut in cuts}) == len(cuts)), 17)
    texts = [f"{cut:.{digits}g}" for cut in cuts]
    middle = [f"({low}, {high}]" for low, high in pairwise(texts)]
    return [f"<= {texts[0]}", *middle, f"> {texts[-1]}"]
