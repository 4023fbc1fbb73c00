"""Columns made from others: arithmetic of two numbers, numbers beside the mean of their group, crossed categories.

What is made is chosen on the rows given to `fit` alone. Main effects come first: numbers in quantile bins and levels of
categories explain the target additively. Of the columns that can be made of pairs, the one whose bins (or levels) add
most is taken if that is beyond chance, by a partial F test at 1 % over all that were tried together; then the next
beside it, and so on. Whether columns made so help a learner is for the race to say.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import stats
from scipy.linalg import cho_factor, cho_solve

from certus.base import register_part
from certus.tables import as_floats

MOST_MADE = 5
MOST_NUMBERS, MOST_CATEGORIES = 16, 12  # that are paired: those with the largest main effects
MOST_SCREENED = 200  # numbers whose main effects are looked at; of more, those that correlate most
MOST_COMPARED = 60  # pairs that are compared beside all main effects: those that explain most of what these leave
MOST_ROWS = 3_000  # by which is chosen
MOST_CLASSES = 10
MOST_LEVELS = 40  # of a crossed category
LEVEL = 0.01
FEWEST_ROWS = 60
_BINS, _MOST_MAIN_BINS, _KEPT_LEVELS = 12, 10, 20
_DRAWN = 1.0  # rows that the mean of all counts for in the mean of a group
ARITHMETIC = ("/", "×", "-", "+")
BY_GROUP = ("mean of", "difference from the mean of")
CROSS = "&"

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]


@dataclass(frozen=True)
class Made:
    """How one column is made from two: an operation, and the names of both."""

    operation: str
    first: str
    second: str

    @property
    def name(self) -> str:
        """The column in words."""
        if self.operation in BY_GROUP:
            start = f"{self.operation} {self.first}" if self.operation == "mean of" else f"{self.first} - its mean"
            return f"{start} by {self.second}"
        return f"{self.first} {self.operation} {self.second}"


@register_part("workflow")
class MadeColumns:
    """Adds columns that are made from pairs of others, chosen on training rows.

    Parameters
    ----------
    numbers, categories : list of str
        The columns of which pairs are made.
    """

    _state = ("numbers", "categories", "rules", "levels", "means")

    def __init__(self, numbers: Sequence[str], categories: Sequence[str]) -> None:
        self.numbers, self.categories = list(numbers), list(categories)
        self.rules: list[list[str]] = []
        self.levels: list[list[str]] = []  # of the groups of every rule, with their means
        self.means: list[Floats] = []

    def fit(self, frame: pl.DataFrame, y: NDArray[Any] | None) -> MadeColumns:
        """Choose what is made; nothing without a target, or with few rows."""
        self.rules, self.levels, self.means = [], [], []
        drawn = np.random.default_rng(0).permutation(frame.height)[:MOST_ROWS]
        targets = None if y is None else _numeric(np.asarray(y)[drawn])
        if targets is None or len(drawn) < FEWEST_ROWS:
            return self
        for made in _chosen(frame[drawn], targets, self.numbers, self.categories):
            self.rules.append([made.operation, made.first, made.second])
            levels, means = _group_means(frame, made) if made.operation in BY_GROUP else ([], np.empty(0))
            self.levels.append(levels)
            self.means.append(means)
        return self

    @property
    def made(self) -> list[Made]:
        """What is made."""
        return [Made(*rule) for rule in self.rules]

    @property
    def made_numbers(self) -> list[str]:
        """Names of the numbers that are made."""
        return [self._name(made) for made in self.made if made.operation != CROSS]

    @property
    def made_categories(self) -> list[str]:
        """Names of the categories that are made."""
        return [self._name(made) for made in self.made if made.operation == CROSS]

    def _name(self, made: Made) -> str:
        name = made.name
        while name in self.numbers or name in self.categories:
            name += "'"
        return name

    def extend(self, frame: pl.DataFrame) -> pl.DataFrame:
        """The rows with the columns that are made."""
        found = []
        for made, levels, means in zip(self.made, self.levels, self.means, strict=True):
            if made.operation == CROSS:
                values = _crossed(frame, made.first, made.second)
            elif made.operation in BY_GROUP:
                values = pl.Series(_beside_group(frame, made, levels, means))
            else:
                values = pl.Series(_computed(as_floats(frame[made.first]), as_floats(frame[made.second]), made))
            found.append(values.alias(self._name(made)))
        return frame.with_columns(found)

    def _restored(self) -> None:
        known = set(self.numbers) | set(self.categories)
        if not len(self.rules) == len(self.levels) == len(self.means):
            raise ValueError("rules, levels and means must be as many")
        for rule, levels, means in zip(self.rules, self.levels, self.means, strict=True):
            if len(rule) != 3 or rule[0] not in (*ARITHMETIC, *BY_GROUP, CROSS) or not set(rule[1:]) <= known:
                raise ValueError(f"there is no rule {rule!r}")
            grouped = rule[0] in BY_GROUP
            shape = (len(levels) + 1,) if grouped else (0,)
            if not isinstance(means, np.ndarray) or means.dtype != np.float64 or means.shape != shape:
                raise ValueError(f"means must be numbers of the shape {shape}")
            if not all(isinstance(level, str) for level in levels) or len(set(levels)) < len(levels):
                raise ValueError("levels must be different texts")


def _numeric(y: NDArray[Any]) -> Floats | None:
    """One column per number or class, of mean 0 and variance 1; None for targets that have no mean."""
    if y.ndim != 1 or not len(y):
        return None
    classes, codes = np.unique(y, return_inverse=True)
    if len(classes) <= MOST_CLASSES:
        values = np.eye(len(classes))[codes][:, 1 if len(classes) == 2 else 0 :]
    elif y.dtype.kind == "f":
        values = np.asarray(y, dtype=np.float64)[:, None]
        low, high = np.quantile(values, [0.01, 0.99])  # single large values shall not decide
        values = np.clip(values, low, high)
    else:
        return None
    spread = values.std(axis=0)
    return (values - values.mean(axis=0)) / np.where(spread > 0.0, spread, 1.0)


def _chosen(frame: pl.DataFrame, targets: Floats, numbers: list[str], categories: list[str]) -> list[Made]:
    """The columns worth making, the best first."""
    rows, numbers = frame.height, _screened(frame, targets, numbers)
    bins = int(np.clip(rows // (5 * max(1, min(len(numbers), MOST_NUMBERS))), 2, _MOST_MAIN_BINS))
    kept = int(np.clip(rows // (10 * max(1, min(len(categories), MOST_CATEGORIES))), 2, _KEPT_LEVELS))
    codes = {name: _binned(as_floats(frame[name]), bins) for name in numbers}
    codes |= {name: _leveled(frame[name].cast(pl.String), kept) for name in categories}
    numbers = _strongest(numbers, codes, targets, MOST_NUMBERS)
    categories = _strongest(categories, codes, targets, MOST_CATEGORIES)
    tried = {made: _codes_of(made, frame) for made in _pairs(numbers, categories)}
    known = _MainEffects([codes[name] for name in [*numbers, *categories]], rows)
    rest = known.without(targets)
    closest = sorted(tried, key=lambda made: _log_chance(rest, tried[made]))[:MOST_COMPARED]
    beside = {made: known.without(_indicators(tried[made])) for made in closest}
    level, used, found = np.log(LEVEL / max(1, len(tried))), known.width, list[Made]()
    while beside and len(found) < MOST_MADE:
        chances = {made: _log_partial(rest, values, used) for made, values in beside.items()}
        best = min(chances, key=chances.__getitem__)
        if chances[best] > level:
            break
        found.append(_turned(best, frame, targets))
        basis = _basis(beside.pop(best))
        used += basis.shape[1]
        rest = rest - basis @ (basis.T @ rest)
        beside = {made: values - basis @ (basis.T @ values) for made, values in beside.items()}
    return found


def _turned(made: Made, frame: pl.DataFrame, targets: Floats) -> Made:
    """A ratio the way round that follows the target more straightly: for bins both are the same."""
    if made.operation != "/":
        return made
    ways = made, Made("/", made.second, made.first)
    ratios = [_computed(as_floats(frame[one.first]), as_floats(frame[one.second]), one) for one in ways]
    ends = [np.nanquantile(ratio, [0.01, 0.99]) for ratio in ratios]
    filled = [
        np.nan_to_num(np.clip(ratio, *end), nan=np.nanmedian(ratio)) for ratio, end in zip(ratios, ends, strict=True)
    ]
    straight = [np.abs((one - one.mean()) @ targets).max() / (one.std() or np.inf) for one in filled]
    return ways[int(np.argmax(straight))]


class _MainEffects:
    """An additive model of bins: what it leaves of a target, or of the indicators of one column more."""

    def __init__(self, codes: Sequence[Codes], rows: int) -> None:
        self._design = np.hstack([np.ones((rows, 1)), *(_indicators(one) for one in codes)])
        gram = self._design.T @ self._design
        # Hardly more than least squares: the indicators of one column sum to 1.
        self._factor = cho_factor(gram + 1e-6 * rows * np.eye(len(gram)))
        self.width = len(gram) - len(codes)

    def without(self, values: Floats) -> Floats:
        return np.asarray(values - self._design @ cho_solve(self._factor, self._design.T @ values))


def _basis(values: Floats) -> Floats:
    """Orthonormal columns that span these; sums of indicators that are nearly constant are left out."""
    left, sizes, _ = np.linalg.svd(values, full_matrices=False)
    return np.asarray(left[:, sizes > 1e-3 * max(1e-300, sizes[0])])


def _log_partial(rest: Floats, values: Floats, used: int) -> float:
    """Logarithm of the chance that a column more explains as much if it tells nothing: the partial F test.

    ``rest`` and ``values`` (the indicators of its bins) are what a model of ``used`` parameters leaves.
    """
    gram = values.T @ values
    sizes, vectors = np.linalg.eigh(gram)
    kept = sizes > 1e-6 * max(1e-300, sizes[-1])
    width = int(np.count_nonzero(kept))
    free = len(rest) - used - width
    if free < 1 or sizes[-1] < 1e-9 * len(rest):
        return 0.0
    gained = np.sum((vectors[:, kept].T @ (values.T @ rest)) ** 2 / sizes[kept, None], axis=0)
    return _log_f(gained, np.sum(rest**2, axis=0) - gained, width, free)


def _indicators(codes: Codes) -> Floats:
    """A 0/1 column for every bin that occurs."""
    _, places = np.unique(codes, return_inverse=True)
    return np.asarray(np.eye(int(places.max()) + 1)[places])


def _screened(frame: pl.DataFrame, targets: Floats, numbers: list[str]) -> list[str]:
    """Of very many numbers those that correlate most with the target, in the order of the table."""
    if len(numbers) <= MOST_SCREENED:
        return numbers
    values = np.column_stack([as_floats(frame[name]) for name in numbers])
    values[~np.isfinite(values)] = np.nan
    ranks = stats.rankdata(values, axis=0, nan_policy="omit")
    ranks = np.nan_to_num(ranks - np.nanmean(ranks, axis=0))
    size = np.sqrt(np.sum(ranks**2, axis=0))
    found = np.abs(ranks.T @ targets).max(axis=1) / np.where(size > 0.0, size, np.inf)
    return [numbers[place] for place in np.sort(np.argsort(-found, kind="stable")[:MOST_SCREENED])]


def _pairs(numbers: Sequence[str], categories: Sequence[str]) -> Iterator[Made]:
    """All that may be made."""
    for one, other in itertools.combinations(numbers, 2):
        yield from (Made(operation, one, other) for operation in ARITHMETIC)
    for number, category in itertools.product(numbers, categories):
        yield from (Made(operation, number, category) for operation in BY_GROUP)
    for one, other in itertools.combinations(categories, 2):
        yield Made(CROSS, one, other)


def _codes_of(made: Made, frame: pl.DataFrame) -> Codes:
    """The made column in bins, as it would be learned from these rows."""
    if made.operation == CROSS:
        return _leveled(_crossed(frame, made.first, made.second), MOST_LEVELS)
    if made.operation in BY_GROUP:
        return _binned(_beside_group(frame, made, *_group_means(frame, made)), _BINS)
    return _binned(_computed(as_floats(frame[made.first]), as_floats(frame[made.second]), made), _BINS)


def _computed(one: Floats, other: Floats, made: Made) -> Floats:
    with np.errstate(all="ignore"):
        found = {"/": np.divide, "×": np.multiply, "-": np.subtract, "+": np.add}[made.operation](one, other)
    found[~np.isfinite(found)] = np.nan
    return np.asarray(found)


def _crossed(frame: pl.DataFrame, one: str, other: str) -> pl.Series:
    """Both levels as one text; missing where one is."""
    return frame.select(
        pl.concat_str(pl.col(one).cast(pl.String), pl.col(other).cast(pl.String), separator=" & ").alias("crossed")
    ).to_series()


def _group_means(frame: pl.DataFrame, made: Made) -> tuple[list[str], Floats]:
    """The levels of a category and the mean of a number in each, drawn towards that of all rows, which comes last."""
    numbers, texts = as_floats(frame[made.first]), frame[made.second].cast(pl.String)
    known = np.isfinite(numbers) & texts.is_not_null().to_numpy()
    overall = float(np.mean(numbers[known])) if known.any() else 0.0
    levels, codes = np.unique(np.asarray(texts.to_list(), dtype=object)[known].astype(str), return_inverse=True)
    sums = np.bincount(codes, numbers[known], minlength=len(levels))
    counts = np.bincount(codes, minlength=len(levels))
    return levels.tolist(), np.append((sums + _DRAWN * overall) / (counts + _DRAWN), overall)


def _beside_group(frame: pl.DataFrame, made: Made, levels: list[str], means: Floats) -> Floats:
    """The mean of the row's group, or how far its number is from it."""
    texts = frame[made.second].cast(pl.String)
    places = texts.replace_strict(levels, range(len(levels)), default=len(levels), return_dtype=pl.Int64)
    mean = means[places.fill_null(len(levels)).to_numpy()]
    return np.asarray(mean if made.operation == "mean of" else as_floats(frame[made.first]) - mean)


def _binned(values: Floats, bins: int) -> Codes:
    """The quantile bin of every number; missing ones have a bin of their own."""
    known = np.isfinite(values)
    edges = np.unique(np.quantile(values[known], np.linspace(0, 1, bins + 1)[1:-1])) if known.any() else np.empty(0)
    return np.where(known, np.searchsorted(edges, np.where(known, values, 0.0), side="right"), len(edges) + 1)


def _leveled(texts: pl.Series, most: int) -> Codes:
    """The place of every text among the most frequent ones; all others share the last."""
    counts = texts.alias("level").value_counts().sort(["count", "level"], descending=[True, False])
    levels = counts["level"].drop_nulls().head(most).to_list()
    places = texts.replace_strict(levels, range(len(levels)), default=len(levels), return_dtype=pl.Int64)
    return np.asarray(places.fill_null(len(levels)).to_numpy(), dtype=np.intp)


def _bin_means(values: Floats, codes: Codes) -> Floats:
    """For every row the mean of its bin."""
    counts = np.maximum(np.bincount(codes), 1)[:, None]
    sums = np.column_stack([np.bincount(codes, column) for column in values.T])
    return np.asarray((sums / counts)[codes])


def _strongest(names: list[str], codes: dict[str, Codes], targets: Floats, most: int) -> list[str]:
    """The columns whose bins explain most of the target, in the order of the table."""
    if len(names) <= most:
        return names
    chances = {name: _log_chance(targets, codes[name]) for name in names}
    kept = set(sorted(names, key=chances.__getitem__)[:most])
    return [name for name in names if name in kept]


def _log_chance(values: Floats, codes: Codes) -> float:
    """Logarithm of the chance that bins alone explain as much if they tell nothing, smallest over the targets."""
    rows, bins = len(values), len(np.unique(codes))
    if not 1 < bins < rows // 2:
        return 0.0
    means = _bin_means(values, codes)
    between = np.sum((means - values.mean(axis=0)) ** 2, axis=0)
    return _log_f(between, np.sum((values - means) ** 2, axis=0), bins - 1, rows - bins)


def _log_f(explained: Floats, left: Floats, width: int, free: int) -> float:
    """Logarithm of the chance of an F statistic, the smallest over the targets, each of which may be it."""
    ratio = np.divide(explained / width, left / free, out=np.full_like(explained, 1e300), where=left > 0.0)
    ratio[explained <= 1e-12] = 0.0
    return float(min(0.0, np.min(stats.f.logsf(ratio, width, free)) + np.log(len(ratio))))
