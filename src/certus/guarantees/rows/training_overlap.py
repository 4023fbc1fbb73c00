"""Are these rows the ones that a model was trained on? An exact test that equal rows among honest ones do not mislead.

A fitted learner keeps the smallest hashes of its n training rows. Of the m rows that it is asked about, those whose
hash is no larger than the last one kept can be compared. If both tables were draws of one distribution, every
division of the pooled rows into n and m would be equally likely. Go through the distinct rows in the order of their
hashes; a row that occurs c >= 2 times, with n' and m' rows still to come, lies in both tables with the chance

    p = 1 - C(n', c) / C(n' + m', c) - C(m', c) / C(n' + m', c),

given all that came before. Betting that it does at odds w multiplies the capital by w / (1 + (w - 1) p) if it does and
by 1 / (1 + (w - 1) p) if not: a martingale, also when one stops at the last hash kept. By Ville's inequality the mean
capital over several w reaches 10^6 with a chance of at most 10^-6, whatever the distribution and however discrete.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, logsumexp

from certus.guarantees.holdout import clopper_pearson
from certus.guarantees.records.certificate import Certificate
from certus.guarantees.records.estimates import without_promise
from certus.guarantees.records.report import Report
from certus.guarantees.records.wording import count, percent
from certus.guarantees.rows.looks import Look

LEVEL = 1e-6  # chance with which honest rows may be refused
_ODDS = np.array([2.0, 4.0, 16.0, 64.0, 1024.0, 2.0**20])
_PRODUCTS = 64  # rows that occur more often are rare enough for logarithms of factorials

Counts = NDArray[np.int64]
Hashes = NDArray[np.uint64]


class Sketch(Protocol):
    """What a learner remembers of its training rows."""

    rows: int
    complete: bool

    def distinct(self) -> tuple[Hashes, Counts]:
        """Hashes in order, and how often each occurs."""


class TrainingRowsError(ValueError):
    """The rows are rows that the model was trained on, so they cannot show how it does on new ones.

    Attributes
    ----------
    overlap : Overlap
        What was found.
    """

    options = ("allow_training_rows",)  # parameters that the message names

    def __init__(self, overlap: Overlap) -> None:
        super().__init__(
            f"the rows must not be those that {overlap.learner} was trained on, got {overlap.found_in_words()}.\n"
            "Hint: use rows that were set aside before training; allow_training_rows gives an estimate, which promises "
            "nothing."
        )
        self.overlap = overlap

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.overlap,))


@dataclass(frozen=True)
class Overlap:
    """What rows have in common with the training rows of a model.

    Attributes
    ----------
    learner : str
        The part of the model that was asked.
    training_rows, rows : int
        Rows trained on, and rows asked about.
    compared, found : int
        Distinct rows that could be compared, and those of them that are training rows.
    share : float
        Estimated share of the distinct rows that are training rows.
    interval : (float, float)
        Interval of the share with confidence 95%; a point if every training row is remembered.
    evidence : float
        Logarithm of the capital against "equal rows inside the training table explain it".
    noticed : float or None
        The smallest share that would have been noticed (with probability 95%); None if not even all rows would.
    recognized : bool
        Whether chance is ruled out at the level 1e-6.
    """

    learner: str
    training_rows: int
    rows: int
    compared: int
    found: int
    share: float
    interval: tuple[float, float]
    evidence: float
    noticed: float | None
    recognized: bool

    def to_dict(self) -> dict[str, Any]:
        """Plain values for machines."""
        return {**vars(self), "interval": list(self.interval)}

    def found_in_words(self) -> str:
        """How many rows are training rows."""
        low, high = self.interval
        if low == high:
            return f"{count(self.found)} of {count(self.compared)} distinct rows that are training rows"
        return (
            f"about {percent(self.share)} training rows (between {percent(low)} and {percent(high)} with "
            f"confidence 95%; {count(self.found)} of {count(self.compared)} compared)"
        )

    def __str__(self) -> str:
        if self.recognized:
            return f"Rows that {self.learner} was trained on: {self.found_in_words()}."
        if self.noticed is None:
            could = "so few rows that an overlap would not have been noticed"
        else:
            could = f"an overlap of {percent(self.noticed)} would have been noticed"
        if not self.found:
            return f"None of the rows that could be compared is a training row; {could}."
        return f"Equal to training rows by chance: {self.found} of {self.compared} compared rows; {could}."


_current: ContextVar[Watch | None] = ContextVar("certus_watch", default=None)


def watching() -> Watch | None:
    """Who wants to know which rows learners are asked about, if anybody."""
    return _current.get()


@contextlib.contextmanager
def watch_rows() -> Iterator[Watch]:
    """Compare the rows that learners predict in the body with those that they were trained on."""
    watch = Watch()
    token = _current.set(watch)
    try:
        yield watch
    finally:
        _current.reset(token)


class Watch:
    """Which learners were asked about which rows."""

    def __init__(self) -> None:
        self._asked: dict[int, tuple[Any, Sketch, list[Hashes]]] = {}
        self._running: dict[int, bool] = {}  # learners in the middle of a prediction: were its rows taken

    @contextlib.contextmanager
    def asking(self, learner: Any) -> Iterator[None]:
        """The body is one prediction: what the learner calls inside counts no rows twice."""
        if id(learner) in self._running:
            yield
            return
        self._running[id(learner)] = False
        try:
            yield
        finally:
            del self._running[id(learner)]

    def wants(self, learner: Any) -> bool:
        """Whether the rows that the learner reads now were not counted yet."""
        return not self._running.get(id(learner), id(learner) in self._asked)

    def add(self, learner: Any, sketch: Sketch, hashes: Hashes) -> None:
        """The learner, which keeps this sketch, reads rows with these hashes."""
        if id(learner) in self._running:
            self._running[id(learner)] = True
        pieces = self._asked.setdefault(id(learner), (learner, sketch, []))[2]
        if not any(np.array_equal(hashes, piece) for piece in pieces):  # predictions and sets of the same rows
            pieces.append(hashes)

    def asked(self) -> tuple[tuple[str, Sketch, Hashes], ...]:
        """The learners that remember their rows: what they are called, their sketch, and the rows they read."""
        return tuple(
            (type(learner).__name__, sketch, np.concatenate(pieces)) for learner, sketch, pieces in self._asked.values()
        )

    def overlap(self, *, allow: bool) -> Overlap | None:
        """The largest overlap of any learner; None if none of them remembers its rows.

        Raises
        ------
        TrainingRowsError
            The rows are training rows, and that is not allowed.
        """
        parts = len(self._asked)
        found = [
            compare_rows(sketch, np.concatenate(pieces), type(learner).__name__, LEVEL / parts)
            for learner, sketch, pieces in self._asked.values()
        ]
        worst = max(found, key=lambda item: (item.recognized, item.evidence, item.share), default=None)
        if worst is not None and worst.recognized and not allow:
            raise TrainingRowsError(worst)
        return worst


def judged_report(certificates: Iterable[Certificate], overlap: Overlap | None, look: Look | None = None) -> Report:
    """A report of what rows showed; nothing in it is promised if they were trained on, or looked at before."""
    marked = certificates if look is None else [look.marked(item) for item in certificates]
    return Report([unpromised(item, overlap) for item in marked], overlap, look)


def unpromised(certificate: Certificate, overlap: Overlap | None) -> Certificate:
    """The certificate, or an estimate if its rows were trained on."""
    if overlap is None or not overlap.recognized or not certificate.guaranteed:
        return certificate
    return without_promise(certificate, f"{overlap.learner} was trained on these rows")


def compare_rows(sketch: Sketch, hashes: Hashes, learner: str = "the model", level: float = LEVEL) -> Overlap:
    """Test whether rows with these hashes are training rows, at a level."""
    trained, times = sketch.distinct()
    asked, asked_times = np.unique(hashes, return_counts=True)
    if not sketch.complete:
        last = int(np.searchsorted(asked, trained[-1], side="right"))
        asked, asked_times = asked[:last], asked_times[:last]
    pooled = np.union1d(trained, asked)
    a, b = np.zeros(len(pooled), np.int64), np.zeros(len(pooled), np.int64)
    a[np.searchsorted(pooled, trained)] = times
    b[np.searchsorted(pooled, asked)] = asked_times
    rows = len(hashes)
    evidence = log_capital(a, b, sketch.rows, rows)
    found, compared = int(((a > 0) & (b > 0)).sum()), len(asked)
    share = found / compared if compared else 0.0
    interval = (share, share) if sketch.complete else _interval(found, compared)
    noticed = _noticed(a, b, sketch.rows, rows, -math.log(level), exact=sketch.complete)
    recognized = evidence >= -math.log(level)
    return Overlap(
        learner, sketch.rows, rows, compared, found, share, interval, evidence, noticed, recognized
    )  # fmt: skip


def have_rows_in_common(first: Hashes, second: Hashes) -> bool:
    """Whether two tables, of which all rows are known by their hashes, share more rows than chance explains."""
    pooled, places = np.unique(np.concatenate([first, second]), return_inverse=True)
    a = np.bincount(places[: len(first)], minlength=len(pooled))
    b = np.bincount(places[len(first) :], minlength=len(pooled))
    return log_capital(a, b, len(first), len(second)) >= -math.log(LEVEL)


def log_capital(a: Counts, b: Counts, n: int, m: int) -> float:
    """Logarithm of the mean capital; `a` and `b` count each distinct row in both tables, in the order of the hashes."""
    left_n, left_m = n - (np.cumsum(a) - a), m - (np.cumsum(b) - b)
    times = a + b
    several = np.flatnonzero(times >= 2)
    if not len(several):
        return 0.0
    p = _chance_of_both(left_n[several], left_m[several], times[several])
    both = int(((a > 0) & (b > 0)).sum())
    logs = [both * math.log(odds) - float(np.log1p((odds - 1.0) * p).sum()) for odds in _ODDS]
    return float(logsumexp(logs) - math.log(len(logs)))


def _chance_of_both(n: Counts, m: Counts, times: Counts) -> NDArray[np.float64]:
    """The chance that `times` of n + m rows, drawn without replacement, do not all come from one of the two."""
    total = n + m
    few = np.minimum(times, _PRODUCTS)
    all_n, all_m = np.zeros(len(n)), np.zeros(len(n))
    with np.errstate(divide="ignore", invalid="ignore"):
        for i in range(int(few.max())):
            inside = i < few
            all_n += np.where(inside, np.log1p(-np.minimum(m / (total - i), 1.0)), 0.0)
            all_m += np.where(inside, np.log1p(-np.minimum(n / (total - i), 1.0)), 0.0)
        many = times > _PRODUCTS
        if many.any():
            n_, m_, t_, c_ = n[many], m[many], total[many], times[many]
            of_all = gammaln(t_ + 1) - gammaln(t_ - c_ + 1)
            all_n[many] = np.where(c_ <= n_, gammaln(n_ + 1) - gammaln(np.maximum(n_ - c_, 0) + 1) - of_all, -np.inf)
            all_m[many] = np.where(c_ <= m_, gammaln(m_ + 1) - gammaln(np.maximum(m_ - c_, 0) + 1) - of_all, -np.inf)
    return np.clip(-np.expm1(all_n) - np.exp(all_m), 0.0, 1.0)


def _interval(found: int, compared: int) -> tuple[float, float]:
    if not compared:
        return (0.0, 1.0)
    return clopper_pearson.lower(found, compared, 0.025), clopper_pearson.upper(found, compared, 0.025)


def _noticed(a: Counts, b: Counts, n: int, m: int, goal: float, *, exact: bool) -> float | None:
    """The smallest share of the rows that, had they been training rows, would have reached the goal.

    Found by putting rows that were not trained on in the place of training rows, evenly over the hashes.
    """
    new, old = np.flatnonzero((b > 0) & (a == 0)), np.flatnonzero((a == 1) & (b == 0))
    most = min(len(new), len(old))

    def reaches(number: int) -> bool:
        moved = b.copy()
        moved[_spaced(new, number)] -= 1
        moved[_spaced(old, number)] += 1
        return log_capital(a, moved, n, m) >= goal

    if not most or not reaches(most):
        return None
    low, high = 0, most
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reaches(middle) else (middle, high)
    compared = int((b > 0).sum())
    return high / compared if exact else clopper_pearson.upper(high - 1, compared, 0.05)


def _spaced(places: NDArray[np.intp], number: int) -> NDArray[np.intp]:
    return places[(np.arange(number) * len(places)) // number]
