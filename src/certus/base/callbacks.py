"""Callbacks: watching a fit and stopping it. They use scikit-learn's hook names, so either library's work.

A learner opens one `Iterations` per fit and calls ``step`` after every iteration. Attach callbacks with
``learner.set_callbacks(Progress(), EarlyStopping("gap", below=1e-6))``.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import Any

from rich.progress import (
    BarColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.progress import (
    Progress as RichProgress,
)

from certus.base.printed_progress import PrintedProgress


class Iterations:
    """The iterations of one fit, told to the learner's callbacks. Costs nothing when there are none.

    If the learner has a parameter ``verbose`` and it is not 0, they are printed as a table, too.

    Parameters
    ----------
    learner : Learner
        The learner being fitted.
    limit : int or None
        The largest number of iterations, if it is known.
    X, y : array-like, optional
        The training data, handed to the callbacks.
    closing_task : bool, default=False
        Whether an empty task follows the iterations, and at least one task comes before it, as scikit-learn's
        learner of the same name tells them.
    titles : mapping, optional
        What to call the told numbers in the printed table.
    begun : int, default=0
        Iterations of an earlier fit that this one continues; for the printed table only.
    runs_to_limit : bool, default=False
        Whether ``limit`` is what is expected, so that the remaining time can be told; else it is for emergencies.
    """

    def __init__(
        self,
        learner: Any,
        limit: int | None,
        X: Any = None,
        y: Any = None,
        *,
        closing_task: bool = False,
        titles: Mapping[str, str] | None = None,
        begun: int = 0,
        runs_to_limit: bool = False,
    ) -> None:
        self._learner = learner
        self._limit = limit
        self._data = {"X": X, "y": y}
        self._closing_task = closing_task
        self._context: Any = None
        self._last: dict[str, Any] | None = None
        self._told = 0
        verbose = int(getattr(learner, "verbose", 0))
        expected = limit if runs_to_limit else None
        self._printed = PrintedProgress(verbose, expected, titles or {}, begun) if verbose > 0 else None

    def __enter__(self) -> Iterations:
        if getattr(self._learner, "_skl_callbacks", None):
            limit = self._limit
            if self._closing_task and limit is not None:
                limit = max(limit, 1) + 1
            self._context = self._learner._init_callback_context(max_subtasks=limit)
            self._context.call_on_fit_task_begin(estimator=self._learner, **self._data)
        return self

    @property
    def watched(self) -> bool:
        """Whether anybody listens: a solver may then have to come back more often."""
        return self._context is not None or self._printed is not None

    def step(self, attributes: dict[str, Any] | None = None, /, **facts: Any) -> bool:
        """Tell one finished iteration; True means that a callback asks to stop.

        ``facts`` are numbers about it (``objective=…, gap=…``), ``attributes`` the fitted attributes that the
        learner would have if it stopped here.
        """
        if self._printed is not None:
            self._printed.tell(facts)
        if self._context is None:
            return False
        return self._tell(attributes, facts)

    def _tell(self, attributes: dict[str, Any] | None, facts: dict[str, Any] | None) -> bool:
        """One task, which begins with the attributes that the one before it left behind."""
        task = self._context.subcontext(task_name="iteration")
        told = {"estimator": self._learner, "metadata": facts, **self._data}
        task.call_on_fit_task_begin(reconstruction_attributes=self._last, **told)
        self._last = attributes
        self._told += 1
        return bool(task.call_on_fit_task_end(reconstruction_attributes=attributes, **told))

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._context is not None and error is None:
            if self._closing_task:
                for _ in range(1 if self._told else 2):
                    self._tell(None, None)
            self._context.call_on_fit_task_end(estimator=self._learner, **self._data)


class Callback:
    """A callback that does nothing; derive from it and override what is of interest."""

    def setup(self, estimator: Any, context: Any) -> None:
        """Called once before the fit begins."""

    def teardown(self, estimator: Any, context: Any) -> None:
        """Called once after the fit, also after an error."""

    def on_fit_task_begin(self, estimator: Any, context: Any, *, metadata: Any = None) -> None:
        """Called when the fit or one of its iterations begins."""

    def on_fit_task_end(self, estimator: Any, context: Any, *, metadata: Any = None) -> bool | None:
        """Called when the fit or one of its iterations ends; True asks to stop."""
        return None


class History(Callback):
    """Keeps what every iteration told, as a list of dicts in ``rows``."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []

    def setup(self, estimator: Any, context: Any) -> None:
        self.rows = []

    def on_fit_task_end(self, estimator: Any, context: Any, *, metadata: Any = None) -> None:
        if context.parent is not None and metadata is not None:
            self.rows.append(dict(metadata))


class EarlyStopping(Callback):
    """Stops when a number that the learner tells is low enough, or no longer falls.

    Parameters
    ----------
    monitor : str
        Which of the told numbers to watch, for example ``"gap"`` or ``"objective"``.
    below : float, optional
        Stop as soon as it is at most this.
    patience : int, optional
        Stop after this many iterations without a new lowest value.
    """

    def __init__(self, monitor: str, *, below: float | None = None, patience: int | None = None) -> None:
        self.monitor = monitor
        self.below = below
        self.patience = patience
        self._best = float("inf")
        self._waited = 0

    def setup(self, estimator: Any, context: Any) -> None:
        self._best, self._waited = float("inf"), 0

    def on_fit_task_end(self, estimator: Any, context: Any, *, metadata: Any = None) -> bool:
        if context.parent is None or metadata is None:
            return False
        if self.monitor not in metadata:
            raise ValueError(
                f"EarlyStopping watches {self.monitor!r}, but {type(estimator).__name__} tells "
                f"{sorted(metadata)}.\nHint: set monitor to one of these."
            )
        value = float(metadata[self.monitor])
        self._waited = 0 if value < self._best else self._waited + 1
        self._best = min(self._best, value)
        low_enough = self.below is not None and value <= self.below
        return low_enough or (self.patience is not None and self._waited >= self.patience)


class Progress(Callback):
    """A progress bar on the terminal's error stream, one line per fit."""

    def __init__(self) -> None:
        self._bar: RichProgress | None = None
        self._task: Any = None

    def setup(self, estimator: Any, context: Any) -> None:
        from rich.console import Console

        self._bar = RichProgress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.completed}/{task.total}"),
            TextColumn("{task.fields[facts]}"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
        )
        self._bar.start()
        self._task = self._bar.add_task(type(estimator).__name__, total=context.max_subtasks, facts="")

    def on_fit_task_end(self, estimator: Any, context: Any, *, metadata: Any = None) -> None:
        if self._bar is not None and context.parent is not None and metadata is not None:
            facts = "  ".join(f"{name} {value:.3g}" for name, value in metadata.items())
            self._bar.update(self._task, advance=1, facts=facts)

    def teardown(self, estimator: Any, context: Any) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None
