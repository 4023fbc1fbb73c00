"""The options of a study: one list, from which `certus.study` and the command ``certus study`` are made."""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

from certus.workflow.described_option import (
    Described,
    DescribedOptions,
    option,
    read_costs,
    read_kinds,
    read_list,
    read_names,
)
from certus.workflow.sealed_options import problem_with_sealed

if TYPE_CHECKING:
    import polars as pl

COLUMN_KINDS = ("category", "number", "date", "text", "id")
COMMAS = "With commas between them."
SEVERAL = "Several with commas between them, or given several times."
TASKS = ("classification", "ordinal", "multi-label", "regression", "clustering")


def _raise(message: str, *options: str) -> NoReturn:
    from certus.workflow.study_error import StudyError

    raise StudyError(message, options=options)


def likely_column(name: str, columns: Sequence[str]) -> str:
    """A hint at the column that was probably meant."""
    alike = [one for one in columns if one.strip().casefold() == name.strip().casefold()]
    near = alike or difflib.get_close_matches(name, columns, n=1)
    return f"did you mean {near[0]!r}? Its columns are {list(columns)}" if near else f"its columns are {list(columns)}"


@dataclass(frozen=True)
class Options(DescribedOptions):
    """What the user asks for besides the table; checked when it is made."""

    target: str | Sequence[str] | None = option(
        None,
        "str or list of str",
        "The column to predict, or several columns with two values each; without one, the study looks for clusters.",
        list[str],
        typing=SEVERAL,
    )
    task: str | None = option(
        None, "str", "The kind of task; inferred from the target if not given.", str, choices=TASKS
    )
    measure: str | None = option(
        None,
        "str",
        "What to minimize: error, balanced_error, log_loss, auc, f1, macro_f1; hamming (several targets); rmse, mae; "
        "silhouette_loss (clusters); all as losses. Or an SQL expression of truth and prediction with its "
        '``loss_range``, such as "least(abs(truth - prediction), 10)".',
        str,
    )
    positive: str | None = option(
        None, "str", "Which of two labels is the positive one; by default the last in alphabetical order.", str
    )
    levels: Sequence[Any] = option(
        (),
        "sequence",
        "Labels that have an order, from the lowest to the highest; inferred where words or types tell.",
        str,
        typing=COMMAS,
        read=read_list,
    )
    drop: Sequence[str] = option(
        (), "sequence of str", "Columns to leave out.", list[str], typing=SEVERAL, read=read_names, later=True
    )
    keep: Sequence[str] = option(
        (),
        "sequence of str",
        "Columns to use although they look like identifiers or counters.",
        list[str],
        typing=SEVERAL,
        read=read_names,
        later=True,
    )
    weight: str | None = option(
        None,
        "str",
        "Column with positive weights of rows, for the training of learners that take them, of the baseline, of a "
        "blend and of calibrated probabilities. Candidates are judged, and "
        "the winner is tested and certified, with every row counted alike.",
        str,
        later=True,
    )
    types: Mapping[str, str] | None = option(
        None,
        "dict of str to str",
        "What columns are: category, number, date, text or id (left out); guessed where not given.",
        list[str],
        flag="type",
        typing="As in COLUMN=category; may be given several times.",
        read=read_kinds,
        later=True,
    )
    test: str | None = option(
        None,
        "path or data frame",
        "A table of your own test rows, with the same columns; no rows are then set aside from the other one.",
        str,
        decides=False,
    )
    encoding: str | None = option(
        None,
        "str",
        "Encoding of a text file, such as cp1252; guessed, and told, where it is not UTF-8.",
        str,
        decides=False,
    )
    confidence: float = option(0.95, "float", "Probability with which the winner's certificate holds.", float)
    holdout: float = option(
        0.2, "float", "Fraction of the rows kept untouched for the certificate (at most 10 000 rows).", float
    )
    group: str | None = option(
        None, "str", "Keep rows with the same value of this column together; the certificate is then about groups.", str
    )
    order: str | None = option(
        None, "str", "Column that orders the rows in time: the last rows become the test rows.", str
    )
    families: Sequence[str] = option(
        (), "sequence of str", "Families of learners to try; all if not given.", str, typing=COMMAS, read=read_list
    )
    candidates: Sequence[Any] = option(
        (),
        "sequence of estimators or str",
        "Further learners for the race: scikit-learn-compatible estimators, ``MODULE:CLASS``, or names of the "
        "catalogue such as NuSVC. Their model is not written to a file if saving does not know them.",
        list[str],
        flag="with",
        typing="As in sklearn.ensemble:AdaBoostClassifier or NuSVC; may be given several times.",
        later=True,
    )
    trials: int | None = option(
        None,
        "int",
        "How many candidates to try (24, or 36 without a target, if neither this nor ``time`` is given). The result "
        "then depends on the seed only, not on the number of threads, nor on interruptions.",
        int,
        decides=False,
    )
    time: float | None = option(None, "float", "Seconds that the study may take.", float, decides=False)
    loss_range: tuple[float, float] | None = option(
        None,
        "(float, float)",
        "Lowest and highest possible squared (rmse) or absolute (mae) error, or declared loss; the certificate then "
        "bounds its mean.",
        tuple[float, float],
        flag="range",
    )
    costs: Mapping[tuple[Any, Any], float] | None = option(
        None,
        "dict of (true label, predicted label) to float",
        "What mistakes cost; those not named cost 1. Predictions are chosen by it, and the certificate bounds the mean "
        "cost.",
        list[str],
        flag="cost",
        typing="As in 'sick as healthy=10' (true label, predicted label); may be given several times.",
        read=read_costs,
    )
    blend: bool | None = option(
        None,
        "bool",
        "Blend several models always (True) or never (False); by default only where that pays: where the paired "
        "gain on rows that did not choose the blend exceeds its standard error.",
        bool,
        later=True,
    )
    refit_all: bool = option(
        False,
        "bool",
        "Also train the winner on all rows, test rows included (model-all-rows.certus). Nothing is guaranteed about "
        "that model: no row is left to test it on.",
        bool,
        decides=False,
    )
    looks: str | None = option(
        None,
        "str",
        "SQLite file that counts looks at the test rows across studies (docs/looks.md): a later look at rows is an "
        "estimate. Not counted if None.",
        str,
        typing="By default a file in your data folder; none: not counted.",
        decides=False,
    )
    not_adapted: bool = option(
        False,
        "bool",
        "Declare that nothing about this study was chosen after an earlier result on the same test rows; a later look "
        "is then promised at a higher level.",
        bool,
        decides=False,
    )
    sealed: bool = option(
        False,
        "bool",
        "Show of the test rows nothing but a bound on a count of errors; every other figure is one of validation rows. "
        "Later sealed studies of the same test rows are then promised too (docs/looks.md). Needs ``looks``.",
        bool,
        decides=False,
    )
    sealed_steps: int | None = option(
        None,
        "int",
        "Of a ``sealed`` study: show the count rounded up to one of so many steps, so that later ones pay less.",
        int,
        decides=False,
    )
    audit_rows: str | None = option(
        None,
        "str",
        "File for the test rows (CSV, Parquet, Arrow, JSON lines), so that somebody else can recount the certificate.",
        str,
        decides=False,
    )
    sql: str | None = option(None, "str", "A query instead of a table; needs ``database``.", str, decides=False)
    database: str | None = option(None, "str", "A SQLite file, or the address of a database.", str, decides=False)
    seed: int = option(0, "int", "Decides which rows are set aside, and every other random choice.", int)
    threads: int | None = option(None, "int", "How many cores to use; all if not given.", int, decides=False)

    _IN_UNIT_INTERVAL: ClassVar = ("confidence", "holdout")

    def __post_init__(self) -> None:
        """Bring sequences into one form, and refuse values that cannot be."""
        put = object.__setattr__
        put(self, "target", self.target if self.target is None or isinstance(self.target, str) else tuple(self.target))
        for name in ("levels", "families", "candidates"):
            put(self, name, tuple(getattr(self, name)))
        put(self, "costs", dict(self.costs or {}))
        for name, columns in (("drop", self.drop), ("keep", self.keep)):
            put(self, name, (columns,) if isinstance(columns, str) else tuple(columns))
        put(self, "types", dict(self.types or {}) or None)
        for column, kind in (self.types or {}).items():
            if kind not in COLUMN_KINDS:
                _raise(f"types must be one of {', '.join(COLUMN_KINDS)}, got {kind!r} for {column!r}.", "types")
        for name in self._IN_UNIT_INTERVAL:
            if not 0.0 < getattr(self, name) < 1.0:
                self._refuse(name, "lie strictly between 0 and 1")
        if self.task is not None and self.task not in TASKS:
            self._refuse("task", f"be one of {', '.join(map(repr, TASKS))}")
        if self.trials is not None and self.trials < 1:
            self._refuse("trials", "be at least 1")
        if self.time is not None and not self.time > 0:
            self._refuse("time", "be a positive number of seconds")
        if self.seed < 0:
            self._refuse("seed", "be a whole number of at least 0")
        if self.threads is not None and self.threads == 0:
            self._refuse("threads", "be a number of cores, or negative to count from all of them")
        if self.loss_range is not None and not -math.inf < self.loss_range[0] < self.loss_range[1] < math.inf:
            self._refuse("loss_range", "be two numbers, the lower one first")
        self._check_sealed()
        if self.group is not None and self.order is not None:
            _raise(
                "group and order exclude each other.\nHint: choose one way to set test rows aside.", "group", "order"
            )

    def _check_sealed(self) -> None:
        if (problem := problem_with_sealed(self)) is not None:
            _raise(*problem)

    def _refuse(self, name: str, rule: str) -> None:
        _raise(f"{name} must {rule}, got {getattr(self, name)!r}.", name)

    def check_columns(self, frame: pl.DataFrame) -> None:
        """Raise for columns that the table does not have."""
        named = {
            name: (column,) for name in ("group", "order", "weight") if (column := getattr(self, name)) is not None
        }
        for name, columns in (named | {"drop": self.drop, "keep": self.keep, "types": self.types or ()}).items():
            for column in columns:
                if column not in frame.columns:
                    hint = likely_column(column, frame.columns)
                    _raise(f"{name}: the table has no column {column!r}.\nHint: {hint}.", name)
        targets = {self.target} if isinstance(self.target, str) else set(self.target or ())
        for name in ("drop", "keep"):
            if both := [column for column in getattr(self, name) if column in targets]:
                _raise(f"{name} must not name the target, got {both[0]!r}.", name, "target")

    def given(self, *names: str) -> list[str]:
        """Which of these options have a value."""
        return [name for name in names if getattr(self, name)]


def described() -> dict[str, Described]:
    """What is said about every option, by name."""
    return {one.name: one.metadata["described"] for one in fields(Options)}
