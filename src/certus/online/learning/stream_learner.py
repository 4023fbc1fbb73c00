"""The protocol of a stream: predict, be told, learn; one by one, in batches or whole with equal bits."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise, repeat
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from certus.base import Learner, TableLike, check_parameters, check_X, fit_method, warn_user
from certus.base.inputs import LARGEST, WeightsLike
from certus.base.params import Boolean, Exactly, Interval
from certus.base.training_rows import TRAINING_ROWS
from certus.guarantees import Ledger, Report
from certus.online._native_calls import stream_kernels
from certus.online._native_calls.stream_kernels import RULES, WHOLE, Array
from certus.online.evidence import slow_twin
from certus.online.learning.linear_state import FEWEST, LinearState
from certus.online.learning.stream_rows import as_sparse_row, as_table, is_dicts, joined, named_entries, native_table
from certus.online.learning.stream_weights import checked_weights, pieces

MOST_EPOCHS = 10_000  # of learning to convergence
AUDITED = 200_000  # cells of a first run up to which the best in hindsight is looked for at once
STREAM_STATE = ("state_", "names_", "classes_", "told_classes_", "audited_")
STREAM_CONSTRAINTS: dict[str, list[Any]] = {
    "fit_intercept": [Boolean()],
    "hash_bits": [Exactly(None), Interval(1, 30, integer=True)],
    "epochs": [Interval(1, None, integer=True)],
}


@dataclass
class _Engine:
    """What learning one row needs, bound once: the kernel, the names, room for the scores."""

    kernel: Any
    names: dict[str, int]
    bits: int
    problems: int
    scores: Array = field(init=False)

    def __post_init__(self) -> None:
        self.scores = np.empty(self.problems)


class StreamLearner(Learner):
    """Linear learner of a stream.

    Parameters
    ----------
    fit_intercept : bool, default=True
        Whether there is a constant among the columns.
    epochs : int, default=1
        How often `fit` goes through the rows, in their order.
    hash_bits : int, optional
        For rows that are dicts: names share 2^hash_bits columns instead of growing a table of names.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_problems, n_features)
        Coefficients now.
    intercept_ : float or ndarray
        The constant's.
    ledger_ : Ledger
        What was paid so far, and what is known about it.
    state_ : LinearState
        Everything that is kept along the stream.
    names_ : dict
        Columns of the names met so far, if rows are dicts.
    """

    _takes_sparse = True
    _updates_without_blas = True
    _rule_name: ClassVar[str]
    _classifies: ClassVar[bool]
    _takes_fractions: ClassVar[bool] = False  # whether a part of a row's loss is a loss that it can step against
    _ends_with: ClassVar[str] = "updates"  # what has to stay the same for a whole pass, if epochs is None

    fit_intercept: bool
    hash_bits: int | None
    epochs: int | None
    state_: LinearState
    names_: dict[str, int]

    # What a kind of learner adds.

    def _rule(self) -> str:
        return self._rule_name

    def _settings(self) -> dict[str, Any]:
        """What the kernel needs to know, of `stream_kernels.options`."""
        return {}

    def _penalty(self) -> float:
        return 1.0

    def _lines(self) -> tuple[Any, ...]:
        """The comparisons of the ledger."""
        return ()

    def _audit(self, X: Any, y: NDArray[Any], sample_weight: WeightsLike = None) -> None:
        """Look for the best in hindsight."""

    def _known_targets(self, y: NDArray[Any]) -> NDArray[Any]:
        raise NotImplementedError

    def _learn_rows(self, table: Any, y: NDArray[Any], shares: Array = WHOLE, *, tells: bool = True) -> NDArray[Any]:
        raise NotImplementedError

    def _target(self, y: Any) -> float | None:
        """A target as the kernel takes it, or None if it needs a closer look."""
        raise NotImplementedError

    def _played(self, scores: Array) -> NDArray[Any]:
        """The predictions along the stream that scores stand for."""
        raise NotImplementedError

    def _played_one(self, scores: Array) -> Any:
        return self._played(scores[None, :])[:1].tolist()[0]

    # One row.

    def learn_one(self, x: Any, y: Any, sample_weight: float | None = None) -> Self:
        """Learn from one trial.

        Parameters
        ----------
        x : dict, vector or sparse row
            The row. In a dict, a text is an indicator.
        y : label or float
            What is true of it.
        sample_weight : float, optional
            How many trials it stands for.

        Returns
        -------
        self
            The learner.
        """
        if sample_weight is not None and not (type(sample_weight) in (int, float) and sample_weight == 1):
            self._told(x, y, sample_weight)
            return self
        engine = vars(self).get("_engine") or self._begin(x)
        target = self._target(y)
        plain = target is not None and type(x) is dict and vars(self).get("_scores_played") is None
        if not (plain and engine.kernel.learn_dict(engine.names, engine.bits, x, target, engine.scores)):
            self._told(x, y)
        return self

    def predict_one(self, x: Any) -> Any:
        """What the learner predicts for one row, before it is told; None if no label is ahead of the others.

        Parameters
        ----------
        x : dict, vector or sparse row
            The row. Names that were never learned are passed over.

        Returns
        -------
        label or float
            The prediction.
        """
        if "state_" not in vars(self):
            return self._played(np.empty((1, 0)))[:1].tolist()[0]
        engine = vars(self).get("_engine") or self._begin(x)
        if type(x) is dict and engine.kernel.score_dict(engine.names, engine.bits, x, engine.scores):
            return self._played_one(engine.scores)
        if isinstance(x, dict):
            self._require_names()
            table = as_sparse_row(named_entries(x), self.names_, self.hash_bits or 0, self.state_.columns)
        else:
            table = native_table(check_X(self, as_table(x), accept_sparse="csr", largest=LARGEST))
        return self._played(self._scores(table))[:1].tolist()[0]

    def _told(self, x: Any, y: Any, sample_weight: float | None = None) -> None:
        """Learn one row by the long way."""
        weights = None if sample_weight is None else self._weight_of_one(sample_weight)
        if np.ndim(y) != 0 or isinstance(y, dict | set):
            raise ValueError(f"y must be one label or number, got {y!r}.\nHint: run(X, y) takes many rows.")
        target = self._known_targets(np.array([y]))
        if not isinstance(x, dict):
            self._refuse_names()
            table = native_table(
                check_X(self, as_table(x), accept_sparse="csr", largest=LARGEST, reset="state_" not in vars(self))
            )
            self._forget_rows()
            self._learn_weighted(table, target, weights)
            return
        entries = named_entries(x)
        self._begin(x)
        self._require_names()
        if weights is not None and not weights[0]:
            return
        self._meet(entries)
        table = as_sparse_row(entries, self.names_, self.hash_bits or 0, self.state_.columns)
        self._forget_rows()
        self._learn_weighted(table, target, weights)

    def _weight_of_one(self, sample_weight: float) -> Array | None:
        """The weight of one row, which may be 0."""
        if np.ndim(sample_weight) == 0 and sample_weight == 0:
            return np.zeros(1)
        return checked_weights(self, [sample_weight], np.empty((1, 1)))

    def _learn_weighted(
        self, table: Any, y: NDArray[Any], weights: Array | None, *, played: bool = False
    ) -> NDArray[Any]:
        """Learn rows of which each is as many trials as its weight says; returns what was predicted, if asked for."""
        if weights is None:
            return self._learn_rows(table, y, tells=played)
        parts, zero = [], weights == 0.0
        cuts = np.flatnonzero(np.diff(zero)) + 1 if played else np.array([], dtype=np.intp)
        for start, end in pairwise([0, *cuts.tolist(), len(weights)]):
            if played and zero[start]:
                parts.append(self._would_play(table[start:end]))
                continue
            before = start - 1
            for index, shares in pieces(weights[start:end]):
                rows = index + start
                told = self._learn_rows(table[rows], y[rows], shares)
                parts.append(told[np.diff(rows, prepend=before) > 0])
                before = int(rows[-1])
        return joined(parts)

    def _would_play(self, table: Any) -> NDArray[Any]:
        if "state_" not in vars(self):
            return self._played(np.empty((table.shape[0], 0)))
        return self._played(self._scores(table))

    def _meet(self, entries: dict[str, float]) -> None:
        """Give every name a column, and room to the columns."""
        if self.hash_bits:
            return
        for name in entries:
            self.names_.setdefault(name, len(self.names_))
        self.n_features_in_ = max(1, len(self.names_))
        room = self.state_.columns
        while room < len(self.names_):
            room *= 2
        if room > self.state_.columns:
            self.state_.widen(room)
            self._changed()

    def _require_names(self) -> None:
        if "names_" not in vars(self):
            raise ValueError(
                f"this {type(self).__name__} learned from rows without names; got a dict.\n"
                "Hint: give every row in the same form."
            )

    def _refuse_names(self) -> None:
        if "names_" in vars(self):
            raise ValueError(
                f"this {type(self).__name__} learned from dicts; got a row without names.\n"
                "Hint: give every row in the same form."
            )

    # Many rows.

    @fit_method
    def fit(self, X: TableLike, y: Any, sample_weight: WeightsLike = None) -> Self:
        """Forget everything and go through the rows in their order, once or `epochs` times."""
        self._forget()
        epochs = MOST_EPOCHS if self.epochs is None else self.epochs
        for _ in range(epochs):
            before = self.state_.number(self._ends_with).sum() if "state_" in vars(self) else 0.0
            self._learn(X, y, sample_weight, played=False)
            if self.epochs is None and self.state_.number(self._ends_with).sum() == before:
                break
        else:
            if self.epochs is None:
                warn_user(
                    f"{type(self).__name__} made mistakes in each of {epochs} passes over the rows.\n"
                    "Hint: no linear rule may separate them; give a number of epochs.",
                    ConvergenceWarning,
                )
        self.report_ = self.ledger_.report()
        return self

    @fit_method
    def run(self, X: Any, y: Any, sample_weight: WeightsLike = None) -> NDArray[Any]:
        """Go through the rows in their order: predict, be told, learn.

        Parameters
        ----------
        X : table or list of dict
            Rows.
        y : array-like of shape (n_samples,)
            What is true of them.
        sample_weight : array-like of shape (n_samples,), optional
            How many trials each row stands for.

        Returns
        -------
        ndarray of shape (n_samples,)
            The predictions, each made before its row was learned.
        """
        fresh = self._trials() == 0
        played = self._learn(X, y, sample_weight, played=True)
        cells = self.state_.vectors.shape[1] * self.state_.problems * self._trials()
        if fresh and not is_dicts(X) and cells <= AUDITED:
            self._audit(X, y, sample_weight)
        return played

    def _learn(self, X: Any, y: Any, sample_weight: WeightsLike, *, played: bool) -> NDArray[Any]:
        if is_dicts(X):
            return self._learn_dicts(X, y, sample_weight, played=played)
        self._refuse_names()
        fresh = "state_" not in vars(self)
        table = native_table(check_X(self, X, accept_sparse="csr", largest=LARGEST, reset=fresh))
        target = self._known_targets(y)
        if len(target) != table.shape[0]:
            raise ValueError(
                f"Found input variables with inconsistent numbers of samples: {[table.shape[0], len(target)]}.\n"
                "Hint: y needs one value per row of X."
            )
        weights = None if sample_weight is None else checked_weights(self, sample_weight, table)
        return self._learn_weighted(table, target, weights, played=played)

    def _learn_dicts(self, X: Any, y: Any, sample_weight: WeightsLike, *, played: bool) -> NDArray[Any]:
        if len(X) != len(y):
            raise ValueError(f"there are {len(X)} rows and {len(y)} targets.\nHint: y needs one value per row of X.")
        for row, x in enumerate(X):
            named_entries(x, row)  # a row that cannot be read is found before anything is learned
        targets = self._known_targets(np.asarray(y)).tolist()
        weights = checked_weights(self, sample_weight, np.empty((len(X), 0)))
        counts = repeat(None, len(X)) if weights is None else weights.tolist()
        predictions = []
        for x, target, count in zip(X, targets, counts, strict=True):
            if played:
                predictions.append(self.predict_one(x))
            self.learn_one(x, target, count)
        return np.array(predictions)

    # What is behind them.

    def _trials(self) -> int:
        return int(self.state_.number("trials")[0]) if "state_" in vars(self) else 0

    def _start(self, columns: int) -> None:
        self.state_ = LinearState(self._rule(), columns, self._penalty())
        self.report_ = Report()

    def _begin(self, x: Any) -> _Engine:
        """What one row needs; a first row starts the learner."""
        if "state_" not in vars(self):
            given = {name: getattr(self, name) for name in self._constraints}
            check_parameters(type(self).__name__, self._constraints, given)
            if isinstance(x, dict):
                self.names_ = {}
                self.n_features_in_ = 2**self.hash_bits if self.hash_bits else 1
                self._start(2**self.hash_bits if self.hash_bits else FEWEST)
            else:
                table = as_table(x)
                check_X(self, table, accept_sparse="csr", largest=LARGEST, reset=True)
                self._start(table.shape[1])
        return self._changed()

    def _changed(self) -> _Engine:
        """Bind the kernel to the arrays, which are others than before."""
        settings = stream_kernels.options(RULES[self._rule()], classifies=self._classifies, **self._settings())
        state = self.state_
        state.own()
        kernel = stream_kernels.bound_to(
            settings, float(self.fit_intercept), state.vectors, state.numbers, state.matrix
        )
        self._engine = _Engine(kernel, vars(self).get("names_", {}), self.hash_bits or 0, state.problems)
        return self._engine

    def _kernel(self) -> Any:
        return (vars(self).get("_engine") or self._changed()).kernel

    def _scores(self, table: Any) -> Array:
        return stream_kernels.score(self._kernel(), table, self.state_.problems)

    def _forget(self) -> None:
        super()._forget()
        for name in ("_engine", "_ledger"):
            self.__dict__.pop(name, None)

    def _note(self, scores: Array) -> None:
        """Keep the scores, if the stream is gone through again for the sake of them."""
        played = vars(self).get("_scores_played")
        if played is not None:
            played.add(scores)

    def _forget_rows(self) -> None:
        self.__dict__.pop(TRAINING_ROWS, None)  # what is known of the rows of training is no longer all of them

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in super().__getstate__().items() if name != "_engine"}

    def _read_new(self, X: Any) -> Any:
        if not is_dicts(X):
            self._refuse_names()
            return native_table(check_X(self, X, accept_sparse="csr", largest=LARGEST))
        self._require_names()
        rows = [as_sparse_row(named_entries(x), self.names_, self.hash_bits or 0, self.state_.columns) for x in X]
        return native_table(sparse.vstack(rows, format="csr"))

    def _twin_settings(self) -> dict[str, Any]:
        """What the twin needs that replays the stream."""
        given = self.get_params()
        if given.get("classes") is not None:
            given["classes"] = np.asarray(given["classes"]).tolist()
        settings: dict[str, Any] = {"class": type(self).__name__, "parameters": given}
        if "told_classes_" in vars(self):
            settings["classes"] = self.__dict__["told_classes_"].tolist()
        return settings | ({"audited": self.__dict__["audited_"]} if "audited_" in self.__dict__ else {})

    @property
    def coef_(self) -> NDArray[Any]:
        """Coefficients, without the constant's."""
        rows = self._coefficients()[:, : self.n_features_in_]
        return rows if self._classifies else rows[0]

    @property
    def intercept_(self) -> Any:
        """The constant's coefficients."""
        values = self._coefficients()[:, -1]
        return values if self._classifies else float(values[0])

    def _coefficients(self) -> Array:
        if "state_" not in vars(self):
            raise AttributeError(f"{type(self).__name__} has learned nothing yet.")
        return self.state_.vector(0)

    @property
    def ledger_(self) -> Ledger:
        """The account so far."""
        if "state_" not in vars(self):
            raise AttributeError(f"{type(self).__name__} has learned nothing yet.")
        kept: Ledger | None = vars(self).get("_ledger")
        if kept is None or kept.trials != self._trials():
            kept = self._ledger = Ledger(
                learner=slow_twin.NAME,
                settings=self._twin_settings(),
                trials=self._trials(),
                loss=float(self.state_.number("loss").sum()),
                mistakes=int(self.state_.number("mistakes")[0]) if self._classifies else None,
                lines=self._lines(),
            )
        return kept
