"""What a candidate is trained and judged on, and how one evaluation is done."""

from __future__ import annotations

import time
import warnings
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import Pipeline

from certus.tables.encoding import TableEncoder
from certus.workflow.candidates import Candidate, Style
from certus.workflow.clustering.ratios import distance_ratios
from certus.workflow.columns import Columns
from certus.workflow.outcome import Outcome
from certus.workflow.response import shares_of

Rows = NDArray[np.intp]

FOLDS = 5
# Above this many rows one part is held out instead of five in turn, and candidates are tried on few rows first.
LARGEST_CROSS_VALIDATION = 20_000
LARGEST_VALIDATION = 10_000
SMALLEST_RUNG = 5_000
RUNG_FACTOR = 4
# Encoded rows that are kept for the next candidate, in bytes.
LARGEST_CACHE = 512 * 2**20


@dataclass(frozen=True)
class Division:
    """Rows to fit on and rows to judge by."""

    fit: Rows
    validation: Rows


@dataclass(frozen=True)
class Learning:
    """The learning rows and how they are divided.

    Attributes
    ----------
    frame : polars.DataFrame
        The used columns.
    y : array
        Class positions, or numbers; a 0/1 matrix where every row has several labels.
    classes : int
        How many classes there are; 0 for numbers.
    columns : Columns
        Which column is what.
    divisions : list of Division
        Judged on in this order. Folds have different validation rows, rungs the same ones and ever more rows to
        fit on.
    rungs : bool
        Which of the two it is.
    seed : int
        Decides every random choice of a learner.
    clustering : bool
        Whether groups are looked for; the targets then say nothing.
    """

    frame: pl.DataFrame
    y: NDArray[Any]
    classes: int
    columns: Columns
    divisions: list[Division]
    rungs: bool
    seed: int
    clustering: bool = False

    @property
    def several(self) -> bool:
        """Whether every row has several labels."""
        return self.y.ndim == 2

    @property
    def labels(self) -> NDArray[Any]:
        """The classes as learners know them; (0, 1) for each of several targets."""
        return np.tile([0, 1], (self.y.shape[1], 1)) if self.several else np.arange(self.classes)

    def validated(self, divisions: int) -> Rows:
        """The rows that are judged in the first divisions, in the order of the outcomes."""
        if self.rungs:
            return self.divisions[0].validation
        return np.concatenate([division.validation for division in self.divisions[:divisions]])


def divide(
    y: NDArray[Any], groups: Rows, *, classes: int, seed: int, in_order: bool = False
) -> tuple[list[Division], bool]:
    """Divisions of the learning rows: five folds, or for many rows one validation part and growing fitting parts.

    A group is never divided. Rows in order of time are validated on the last part only.
    """
    if in_order:
        border = round(0.8 * len(y))
        rows = np.arange(len(y))
        return _rungs(rows[:border], rows[border:], np.random.default_rng(seed)), True
    rng = np.random.default_rng(seed)
    if y.ndim == 2:  # rows with equal sets of labels are dealt in turn
        y = np.unique(y, axis=0, return_inverse=True)[1].ravel()
    folds = _deal(y if classes else np.zeros(len(y)), groups, rng)
    pairs = [Division(np.flatnonzero(folds != k), np.flatnonzero(folds == k)) for k in range(folds.max() + 1)]
    if len(y) <= LARGEST_CROSS_VALIDATION:
        return pairs, False
    return _rungs(pairs[0].fit, pairs[0].validation, rng), True


def _deal(labels: NDArray[Any], groups: Rows, rng: np.random.Generator) -> Rows:
    """The fold of every row: groups are dealt like cards, to and fro, the largest first, then label by label."""
    _, first, places, sizes = np.unique(groups, return_index=True, return_inverse=True, return_counts=True)
    mixed = rng.permutation(len(sizes))
    order = mixed[np.lexsort((labels[first][mixed], -sizes[mixed]))]
    count = min(FOLDS, len(sizes))
    rounds, seats = np.divmod(np.arange(len(sizes)), count)
    fold_of = np.empty(len(sizes), dtype=np.intp)
    fold_of[order] = np.where(rounds % 2 == 0, seats, count - 1 - seats)
    return fold_of[places]


def _rungs(fit: Rows, validation: Rows, rng: np.random.Generator) -> list[Division]:
    """Fitting parts of 5 000 rows, four times as many, and so on; each contains the one before."""
    if len(validation) > LARGEST_VALIDATION:
        validation = np.sort(rng.permutation(validation)[:LARGEST_VALIDATION])
    mixed = rng.permutation(fit)
    sizes = [len(fit)]
    while sizes[0] > SMALLEST_RUNG * RUNG_FACTOR:
        sizes.insert(0, max(SMALLEST_RUNG, sizes[0] // RUNG_FACTOR))
    return [Division(np.sort(mixed[:size]), validation) for size in sizes]


def make_encoder(columns: Columns, style: Style) -> TableEncoder:
    """The encoder of a study's columns in the style that suits a learner."""
    return TableEncoder(columns.numbers, columns.categories, columns.dates, columns.texts, style)


class Evaluator:
    """Trains candidates on divisions; keeps encoded rows for the next candidate."""

    def __init__(self, learning: Learning) -> None:
        self._learning = learning
        self._encoded: OrderedDict[tuple[int, Style], tuple[NDArray[Any], NDArray[Any]]] = OrderedDict()

    def evaluate(self, candidate: Candidate, place: int, threads: int) -> Outcome:
        """One candidate on one division. What goes wrong inside is the outcome, not an error."""
        begin = time.perf_counter()
        try:
            answers, shares = self._answers(candidate, place, threads)
        except (ValueError, ArithmeticError, np.linalg.LinAlgError, MemoryError) as error:
            reason = (str(error).splitlines() or [type(error).__name__])[0]
            return Outcome(None, None, time.perf_counter() - begin, reason)
        return Outcome(answers, shares, time.perf_counter() - begin)

    def _answers(self, candidate: Candidate, place: int, threads: int) -> tuple[NDArray[Any], NDArray[Any] | None]:
        learning = self._learning
        division = learning.divisions[place]
        X_fit, X_validation = self._encode(place, candidate.style)
        learner = candidate.build(
            seed=learning.seed,
            threads=threads,
            categories=len(learning.columns.categories),
            several=learning.several,
        )
        with warnings.catch_warnings():  # a fit is judged by its validation loss; its gap is reported at the end
            warnings.simplefilter("ignore")
            if learning.clustering:
                return distance_ratios(learner.fit(X_fit), X_validation), None
            learner.fit(X_fit, learning.y[division.fit])
            answers = np.asarray(learner.predict(X_validation))
            if not learning.classes:
                return answers.astype(np.float64), None
            shares = shares_of(learner, X_validation, learning.labels)
        return answers.astype(np.int32), shares.astype(np.float32)

    def _encode(self, place: int, style: Style) -> tuple[NDArray[Any], NDArray[Any]]:
        key = (place, style)
        if key not in self._encoded:
            learning, division = self._learning, self._learning.divisions[place]
            encoder = make_encoder(learning.columns, style)
            fit = encoder.fit_transform(learning.frame[division.fit])
            self._encoded[key] = fit, encoder.transform(learning.frame[division.validation])
            while (
                len(self._encoded) > 1 and sum(a.nbytes + b.nbytes for a, b in self._encoded.values()) > LARGEST_CACHE
            ):
                self._encoded.popitem(last=False)
        self._encoded.move_to_end(key)
        return self._encoded[key]


def train(
    candidate: Candidate, frame: pl.DataFrame, labels: NDArray[Any], columns: Columns, *, seed: int, threads: int
) -> Pipeline:
    """Encoder and learner fitted on all these rows."""
    learner = candidate.build(
        seed=seed, threads=threads, categories=len(columns.categories), several=np.ndim(labels) == 2
    )
    model = Pipeline([("encoder", make_encoder(columns, candidate.style)), ("learner", learner)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.filterwarnings("ignore", message="The number of unique classes is greater than 50%")
        return model.fit(frame, labels)
