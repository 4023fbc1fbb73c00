"""Expectation and maximization (Dempster, Laird and Rubin 1977) for any model with something that nobody sees.

A model says how its hidden part is expected and how parameters follow from that; the driver climbs from every start,
stops, tells callbacks, keeps what happened, and refuses an objective that falls.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

UNIT = float(np.finfo(np.float64).eps)


class EMModel(Protocol):
    """What the driver asks of a model; parameters and statistics are the model's own, and never changed in place.

    Objectives are per row: the log-likelihood, a log posterior, or a lower bound of the evidence, divided by the
    weight of all rows.
    """

    ascends: bool  # whether a step is an exact maximum, so that the objective cannot fall

    def expect(self, parameters: Any) -> tuple[float, Any]:
        """The objective, and the expected statistics of the hidden part."""

    def maximize(self, statistics: Any, parameters: Any) -> Any:
        """The parameters that maximize the expected log-likelihood."""

    def log_likelihood(self, parameters: Any) -> float:
        """The objective alone."""

    def expected_log_likelihood(self, new: Any, old: Any) -> float:
        """Q(new, old) = E[ln p(X, Z | new) | X, old]."""

    def describe(self, parameters: Any) -> dict[str, Any]:
        """The parameters by name, for the trace."""


class LikelihoodFellError(ArithmeticError):
    """A step lowered the objective by more than rounding: the steps of a model do not maximize what it says."""


@dataclass
class Climb:
    """What one start led to."""

    parameters: Any
    history: list[float] = field(default_factory=list)  # the objective before every step, and at the end
    converged: bool = False
    trace: list[dict[str, Any]] = field(default_factory=list)

    @property
    def steps(self) -> int:
        """Steps that were made."""
        return max(len(self.history) - 1, 0)


def climb(
    model: EMModel,
    start: Any,
    *,
    tol: float,
    max_iter: int,
    tell: Callable[[float], bool] | None = None,
    keep_trace: bool = False,
    before: float = -math.inf,
    stopped: threading.Event | None = None,
) -> Climb:
    """Make steps until one changes the objective by less than ``tol``, at most ``max_iter``.

    Parameters
    ----------
    model : EMModel
        The model.
    start : object
        First parameters.
    tol : float
        Steps end when the objective per row changed by less than this.
    max_iter : int
        Most steps.
    tell : callable, default=None
        Called with the objective after every step; True ends the climb.
    keep_trace : bool, default=False
        Whether parameters, likelihood and Q before and after are kept for every step.
    before : float, default=-inf
        The objective of an earlier climb that this one continues.
    stopped : threading.Event, default=None
        Set by others to end all climbs.
    """
    run = Climb(start)
    for _ in range(max_iter):
        if stopped is not None and stopped.is_set():
            break
        objective, statistics = model.expect(run.parameters)
        _keep(run, model, objective)
        updated = model.maximize(statistics, run.parameters)
        if keep_trace:
            run.trace.append(_traced(model, updated, run.parameters))
        run.parameters = updated
        run.converged = abs(objective - before) < tol
        before = objective
        if (tell is not None and tell(objective)) or run.converged:
            break
    _keep(run, model, model.log_likelihood(run.parameters))
    return run


def best_climb(
    model: EMModel,
    starts: Sequence[Callable[[], Any]],
    *,
    threads: int = 1,
    tell: Callable[[float], bool] | None = None,
    **options: Any,
) -> Climb:
    """Climb from every start and keep the highest end; of equal ones the first, whatever the number of threads.

    Parameters
    ----------
    model : EMModel
        The model.
    starts : sequence of callables
        Each gives first parameters; random ones own their generator.
    threads : int, default=1
        How many starts are climbed from at a time. Several tell nothing on the way.
    tell : callable, default=None
        As in `climb`.
    **options
        As in `climb`.
    """
    if threads <= 1 or len(starts) == 1:
        return _highest([climb(model, start(), tell=tell, **options) for start in starts])
    stopped = threading.Event()
    with ThreadPoolExecutor(min(threads, len(starts))) as pool:
        try:
            runs = list(pool.map(lambda start: climb(model, start(), stopped=stopped, **options), starts))
        except BaseException:
            stopped.set()
            raise
    return _highest(runs)


def _highest(runs: Sequence[Climb]) -> Climb:
    return max(runs, key=lambda run: run.history[-1])


def _keep(run: Climb, model: EMModel, objective: float) -> None:
    """Add an objective to the history, if it can be one."""
    if math.isnan(objective) or objective == math.inf:
        raise ValueError(
            f"The likelihood must stay finite, got {objective}.\n"
            "Hint: a component may have collapsed onto a few equal rows; use a prior or fewer components."
        )
    if model.ascends and run.history:
        last = run.history[-1]
        # The sums of a step are off by some roundings of their terms, which are as large as the objective or 1.
        if objective < last - 1e5 * UNIT * (1.0 + abs(last)):
            raise LikelihoodFellError(
                f"A step must not lower the objective, got {objective!r} after {last!r}.\n"
                "Hint: the columns may be too different in scale; standardize them."
            )
    run.history.append(float(objective))


def _traced(model: EMModel, new: Any, old: Any) -> dict[str, Any]:
    return {
        **model.describe(new),
        "log_likelihood": model.log_likelihood(new),
        "q_before": model.expected_log_likelihood(old, old),
        "q_after": model.expected_log_likelihood(new, old),
    }
