"""What a candidate is trained and judged on, and how one evaluation is done."""

from __future__ import annotations

import time
import warnings
from collections import OrderedDict
from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import Pipeline

from certus.tables.encoding import TableEncoder
from certus.workflow.columns import Columns
from certus.workflow.models.made_encoder import MadeEncoder
from certus.workflow.models.word_encoder import WordEncoder
from certus.workflow.race.candidates import Candidate, Style
from certus.workflow.race.outcome import Outcome
from certus.workflow.race.weighted_fit import fit_rows

if TYPE_CHECKING:
    from certus.workflow.tasks import Task

Rows = NDArray[np.intp]

FOLDS = 5
# Above this many rows one part is held out instead of five in turn, and candidates are tried on few rows first.
LARGEST_CROSS_VALIDATION = 20_000
LARGEST_VALIDATION = 10_000
SMALLEST_RUNG = 5_000
RUNG_FACTOR = 4
# Encoded rows that are kept for the next candidate, in bytes.
LARGEST_CACHE = 512 * 2**20
# Learning rows by which the width of encoded rows is foretold.
WIDTH_SAMPLE = 1_000


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
    kind : type of Task
        Knows how learners of this kind of task are built, trained and asked.
    frame : polars.DataFrame
        The used columns.
    y : array
        Indices of classes, or numbers; a 0/1 matrix where every row has several labels.
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
    weights : array or None
        What every row counts in training, for learners that take weights; all count alike where they are judged.
    """

    kind: type[Task]
    frame: pl.DataFrame
    y: NDArray[Any]
    classes: int
    columns: Columns
    divisions: list[Division]
    rungs: bool
    seed: int
    weights: NDArray[np.float64] | None = None

    def validated(self, divisions: int) -> Rows:
        """The rows that are judged in the first divisions, in the order of the outcomes."""
        if self.rungs:
            return self.divisions[0].validation
        return np.concatenate([division.validation for division in self.divisions[:divisions]])


def divide(strata: NDArray[Any], groups: Rows, *, seed: int, in_order: bool = False) -> tuple[list[Division], bool]:
    """Divisions of the learning rows: five folds, or for many rows one validation part and growing fitting parts.

    A group is never divided; rows of one stratum are dealt evenly. Rows in order of time are validated on the last
    part only.
    """
    rng = np.random.default_rng(seed)
    if in_order:
        border = round(0.8 * len(strata))
        rows = np.arange(len(strata))
        return _rungs(rows[:border], rows[border:], rng), True
    folds = _deal(strata, groups, rng)
    pairs = [Division(np.flatnonzero(folds != k), np.flatnonzero(folds == k)) for k in range(folds.max() + 1)]
    if len(strata) <= LARGEST_CROSS_VALIDATION:
        return pairs, False
    return _rungs(pairs[0].fit, pairs[0].validation, rng), True


def _deal(strata: NDArray[Any], groups: Rows, rng: np.random.Generator) -> Rows:
    """The fold of every row: groups are dealt like cards, to and fro, the largest first, then stratum by stratum."""
    _, first, group_of, sizes = np.unique(groups, return_index=True, return_inverse=True, return_counts=True)
    mixed = rng.permutation(len(sizes))
    order = mixed[np.lexsort((strata[first][mixed], -sizes[mixed]))]
    count = min(FOLDS, len(sizes))
    rounds, seats = np.divmod(np.arange(len(sizes)), count)
    fold_of = np.empty(len(sizes), dtype=np.intp)
    fold_of[order] = np.where(rounds % 2 == 0, seats, count - 1 - seats)
    return fold_of[group_of]


def _rungs(fit: Rows, validation: Rows, rng: np.random.Generator) -> list[Division]:
    """Fitting parts of 5 000 rows, four times as many, and so on; each contains the one before."""
    if len(validation) > LARGEST_VALIDATION:
        validation = np.sort(rng.permutation(validation)[:LARGEST_VALIDATION])
    mixed = rng.permutation(fit)
    sizes = [len(fit)]
    while sizes[0] > SMALLEST_RUNG * RUNG_FACTOR:
        sizes.insert(0, max(SMALLEST_RUNG, sizes[0] // RUNG_FACTOR))
    return [Division(np.sort(mixed[:size]), validation) for size in sizes]


def make_encoder(columns: Columns, style: Style, made: bool = False) -> TableEncoder:
    """The encoder of a study's columns in the style that suits a learner, with columns made from others or without."""
    kinds = (columns.numbers, columns.categories, columns.dates, columns.texts)
    if style == "words":
        return WordEncoder(*kinds)
    return MadeEncoder(*kinds, style) if made else TableEncoder(*kinds, style)


def category_count(encoder: TableEncoder) -> int:
    """How many of the first columns of a fitted encoder of the style "native" are categories."""
    return encoder.category_count if isinstance(encoder, MadeEncoder) else len(encoder.categories)


def encoded_widths(learning: Learning, styles: Collection[Style]) -> dict[Style, float]:
    """Numbers in an encoded row of each style: levels of categories, words and pieces of words count one by one.

    Measured on a sample of the learning rows; of sparse tables only the entries that are kept.
    """
    rows = np.sort(np.random.default_rng(0).permutation(len(learning.y))[:WIDTH_SAMPLE])
    frame, y = learning.frame[rows], learning.y[rows]
    return {style: max(1.0, _width(make_encoder(learning.columns, style), frame, y)) for style in styles}


def _width(encoder: TableEncoder, frame: pl.DataFrame, y: NDArray[Any]) -> float:
    try:
        return _bytes(encoder.fit_transform(frame, y)) / (8.0 * frame.height)
    except ValueError:  # what cannot be encoded is told by the candidates that fail
        return float(frame.width)


class Evaluator:
    """Trains candidates on divisions; keeps encoded rows for the next candidate."""

    def __init__(self, learning: Learning) -> None:
        self._learning = learning
        self._encoded: OrderedDict[tuple[int, Style, bool], tuple[Any, Any, int]] = OrderedDict()

    def evaluate(self, candidate: Candidate, index: int, threads: int) -> Outcome:
        """One candidate on one division. What goes wrong inside is the outcome, not an error."""
        begin = time.perf_counter()
        try:
            predictions, probabilities = self._predictions(candidate, index, threads)
        except (ValueError, ArithmeticError, np.linalg.LinAlgError, MemoryError) as error:
            reason = (str(error).splitlines() or [type(error).__name__])[0]
            return Outcome(None, None, time.perf_counter() - begin, reason)
        return Outcome(predictions, probabilities, time.perf_counter() - begin)

    def _predictions(self, candidate: Candidate, index: int, threads: int) -> tuple[NDArray[Any], NDArray[Any] | None]:
        learning = self._learning
        fit = learning.divisions[index].fit
        y, weights = learning.y[fit], None if learning.weights is None else learning.weights[fit]
        X, X_validation, categories = self._encode(index, candidate.style, candidate.made)
        learner = learning.kind.build(candidate, seed=learning.seed, threads=threads, categories=categories)
        with warnings.catch_warnings():  # a fit is judged by its validation loss; its gap is reported at the end
            warnings.simplefilter("ignore")
            return learning.kind.fit_and_predict(learner, X, y, X_validation, learning.classes, weights)

    def _encode(self, index: int, style: Style, made: bool) -> tuple[Any, Any, int]:
        """Rows to fit on and to judge by, and how many of their first columns are categories if the style is native."""
        key = (index, style, made)
        if key not in self._encoded:
            learning, division = self._learning, self._learning.divisions[index]
            encoder = make_encoder(learning.columns, style, made)
            fit = encoder.fit_transform(learning.frame[division.fit], learning.y[division.fit])
            judged = encoder.transform(learning.frame[division.validation])
            self._encoded[key] = fit, judged, category_count(encoder)
            while len(self._encoded) > 1 and self._cached() > LARGEST_CACHE:
                self._encoded.popitem(last=False)
        self._encoded.move_to_end(key)
        return self._encoded[key]

    def _cached(self) -> int:
        return sum(_bytes(table) for fit, judged, _ in self._encoded.values() for table in (fit, judged))


def _bytes(table: Any) -> int:
    """Memory of encoded rows, dense or sparse."""
    parts = (table.data, table.indices, table.indptr) if sparse.issparse(table) else (table,)
    return sum(part.nbytes for part in parts)


def train(
    kind: type[Task],
    candidate: Candidate,
    frame: pl.DataFrame,
    targets: NDArray[Any],
    columns: Columns,
    *,
    seed: int,
    threads: int,
    weights: NDArray[np.float64] | None = None,
) -> Pipeline:
    """Encoder and learner fitted on all these rows."""
    encoder = make_encoder(columns, candidate.style, candidate.made)
    X = encoder.fit_transform(frame, targets)
    learner = kind.build(candidate, seed=seed, threads=threads, categories=category_count(encoder))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.filterwarnings("ignore", message="The number of unique classes is greater than 50%")
        fit_rows(learner, X, targets, weights)
    return Pipeline([("encoder", encoder), ("learner", learner)])
