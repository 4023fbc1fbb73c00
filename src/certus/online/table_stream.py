"""Rows of a table that comes piece by piece, as an online learner takes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import sparse

from certus.base import register_part
from certus.base.inputs import LARGEST
from certus.guarantees import Ledger, Report
from certus.online.balanced_winnow import BalancedWinnow
from certus.online.learning.running_moments import RunningMoments
from certus.online.learning.stream_learner import StreamLearner
from certus.online.ogd_classifier import OGDClassifier
from certus.online.ogd_regressor import OGDRegressor
from certus.online.online_perceptron import OnlinePerceptron
from certus.online.passive_aggressive_classifier import PassiveAggressiveClassifier
from certus.online.vovk_azoury_warmuth import VovkAzouryWarmuth

Cells = dict[str, pl.Series]
_INFINITE = tuple(sign + name for sign in ("", "-", "+") for name in ("inf", "infinity", "nan"))
MISSING = ("", "na", "null", "none", *_INFINITE)


def named_learner(name: str) -> StreamLearner:
    """A fresh learner of the command line's name."""
    kinds = {
        "logistic": OGDClassifier(),
        "perceptron": OnlinePerceptron(),
        "pa": PassiveAggressiveClassifier(),
        "winnow": BalancedWinnow(factor=1.1),
        "square": OGDRegressor(),
        "vaw": VovkAzouryWarmuth(fit_intercept=True),
    }
    return kinds[name]


@register_part("online")
class TableStream:
    """A learner of rows of text cells: numbers are centered and scaled as they come, texts become indicators.

    A cell that is empty or no finite number says nothing; a number is centered by the mean and divided by the
    standard deviation of its column up to its own row; any other text is a 1 under ``column=text``. How the stream is
    cut into pieces changes no bit.

    Parameters
    ----------
    learner : {"logistic", "perceptron", "pa", "winnow", "square", "vaw"}
        What learns; the last two predict numbers.

    Attributes
    ----------
    model : StreamLearner
        The learner.
    moments : RunningMoments
        Of the columns.
    rows : int
        Rows that were learned.

    Examples
    --------
    >>> import polars as pl
    >>> from certus.online import TableStream
    >>> stream = TableStream("perceptron")
    >>> cells = {"size": pl.Series(["1", "9", "2", ""]), "color": pl.Series(["red", "blue", "red", "blue"])}
    >>> stream.learn(cells, pl.Series(["ripe", "raw", "ripe", "raw"])).tolist()
    [None, 'ripe', 'ripe', 'raw']
    """

    _state = ("learner", "model", "moments", "rows")
    reads_cells = True  # it takes the columns of a data frame as they are

    learner: str
    model: StreamLearner
    moments: RunningMoments

    def __init__(self, learner: str) -> None:
        self.learner, self.model = learner, named_learner(learner)
        self.moments, self.rows = RunningMoments(), 0

    @property
    def classifies(self) -> bool:
        """Whether targets are labels."""
        return bool(self.model._classifies)

    @property
    def ledger(self) -> Ledger | None:
        """The learner's account."""
        return self.model.ledger_ if self.rows else None

    def report(self) -> Report:
        """What its account certifies."""
        return self.model.ledger_.report() if self.rows else Report()

    @property
    def feature_names_in_(self) -> NDArray[Any]:
        """The columns met so far."""
        return np.array(list(self.moments.columns), dtype=object)

    def learn(self, cells: Cells, target: pl.Series) -> NDArray[Any]:
        """Learn rows in their order.

        Parameters
        ----------
        cells : dict of Series
            Text cells by column; null where a row has none.
        target : Series
            Texts: labels, or numbers for the learners of numbers.

        Returns
        -------
        ndarray
            What was predicted for each row before it was learned.
        """
        if not len(target):
            return np.array([])
        values, table = self._encoded(cells, len(target), learns=True)
        y = target.to_numpy() if self.classifies else target.cast(pl.Float64).to_numpy()
        self.moments = values
        played = self.model._learn_rows(table, self.model._known_targets(y))
        self.model._forget_rows()
        self.rows += len(target)
        return played

    def predict(self, frame: Any) -> NDArray[Any]:
        """Predict rows of a data frame; columns that were never learned are passed over.

        Parameters
        ----------
        frame : polars or pandas data frame
            Rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels or numbers.
        """
        given = frame if isinstance(frame, pl.DataFrame) else pl.from_pandas(frame)
        cells = {name: given[name].cast(pl.String) for name in given.columns if name in self.moments.columns}
        _, table = self._encoded(cells, given.height, learns=False)
        if not self.classifies:
            return self.model._played(self.model._scores(table))
        return self.model._labels(self.model._values(table))

    def _encoded(self, cells: Cells, rows: int, *, learns: bool) -> tuple[RunningMoments, Any]:
        """The moments after these rows, and the rows as the learner takes them."""
        names = list(cells)
        numbers = np.full((rows, len(names)), np.nan)
        texts: list[_Texts] = []
        for place, name in enumerate(names):
            numbers[:, place] = numbers_in(cells[name])
            other = np.flatnonzero(np.isnan(numbers[:, place]))
            if len(other):
                texts.extend(_texts(name, place, other, cells[name].gather(other)))
        after, scaled = self.moments.scaled(names, numbers, learns=learns)
        there = ~np.isnan(scaled)
        if learns:
            first = there.argmax(axis=0)
            met = [(int(first[place]), place, name) for place, name in enumerate(names) if there[:, place].any()]
            self._meet([*met, *((int(found.rows[0]), found.place, found.name) for found in texts)])
        return after, self._table(names, scaled, there, texts)

    def _meet(self, cells: list[tuple[int, int, str]]) -> None:
        """Give new names their columns, in the order (row, place) in which their first cells come."""
        known = vars(self.model).get("names_", {})
        self.model._begin({})
        self.model._meet({name: 1.0 for _, _, name in sorted(cells) if name not in known})

    def _table(
        self, names: list[str], scaled: NDArray[np.float64], there: NDArray[np.bool_], texts: list[_Texts]
    ) -> Any:
        known = self.model.names_
        columns = np.array([known.get(name, -1) for name in names], dtype=np.int64)
        order = np.argsort(columns, kind="stable")
        order = order[columns[order] >= 0]
        row, place = np.nonzero(there[:, order])
        column, value = columns[order][place], scaled[:, order][row, place]
        kept = [found for found in texts if found.name in known]
        if kept:
            row = np.concatenate([row, *(found.rows for found in kept)])
            column = np.concatenate([column, *(np.full(len(found.rows), known[found.name]) for found in kept)])
            value = np.concatenate([value, np.ones(len(row) - len(value))])
            sort = np.lexsort((column, row))
            row, column, value = row[sort], column[sort], value[sort]
        starts = np.searchsorted(row, np.arange(len(scaled) + 1)).astype(np.int32)
        shape = (len(scaled), self.model.state_.columns)
        return sparse.csr_array((value, column.astype(np.int32), starts), shape=shape)


@dataclass(frozen=True)
class _Texts:
    """The cells with one text; ``place`` is that of their column."""

    name: str
    place: int
    rows: NDArray[np.int64]


def _texts(name: str, place: int, where: NDArray[np.int64], cells: pl.Series) -> list[_Texts]:
    told = cells.fill_null("")
    kept = (~told.str.to_lowercase().is_in(MISSING)).to_numpy()
    groups = pl.DataFrame({"row": where, "text": told}).filter(kept).group_by("text", maintain_order=True).agg("row")
    return [_Texts(f"{name}={text}", place, np.array(rows, dtype=np.int64)) for text, rows in groups.iter_rows()]


def numbers_in(cells: pl.Series) -> NDArray[np.float64]:
    """The cells as numbers, NaN where they are none; a number too large to be squared counts as a text."""
    values = cells.cast(pl.Float64, strict=False).fill_null(np.nan).to_numpy()
    return np.where(np.abs(values) <= LARGEST, values, np.nan)
