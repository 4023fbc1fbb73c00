"""How a benchmark is declared: tasks and competitors are data."""

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

Data = dict[str, np.ndarray]
THREADS = "number of threads"  # a parameter with this value receives the thread setting of the run
OURS = "certus"
FOLDER = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Quality:
    """What is measured next to the time, so that faster and worse does not count as faster.

    ``measure(model, prediction, data)`` gives the value. A competitor takes part in the ratio when its value
    reaches ``wanted``, or, without that, when it is within ``slack`` of the best competitor.
    """

    name: str
    measure: Callable[[Any, Any, Data], float]
    lower_is_better: bool = True
    wanted: float | None = None
    slack: float = 0.0

    def suffices(self, value: float, best: float) -> bool:
        sign = 1.0 if self.lower_is_better else -1.0
        limit = sign * self.wanted if self.wanted is not None else sign * best + self.slack
        return bool(sign * value <= limit)

    def best(self, values: list[float]) -> float:
        return min(values) if self.lower_is_better else max(values)


@dataclass(frozen=True)
class Competitor:
    """An estimator class by its import path and how it is built.

    ``ladder`` holds further parameters from loose to strict; the first rung that reaches the wanted quality
    is the one that is timed, so that iterative solvers are compared at equal accuracy.
    """

    name: str
    path: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    ladder: tuple[Mapping[str, Any], ...] = ({},)

    @property
    def package(self) -> str:
        return self.path.split(".")[0]

    def build(self, rung: int, threads: int) -> Any:
        module, name = self.path.rsplit(".", 1)
        chosen = {**self.parameters, **self.ladder[rung]}
        values = {key: threads if value == THREADS else value for key, value in chosen.items()}
        return getattr(importlib.import_module(module), name)(**values)


@dataclass(frozen=True, kw_only=True)
class Task:
    """One comparison: the data, what is timed, what quality means, and who takes part.

    ``action`` names a function of `benchmarks.measure.actions`; ``make_data(**size)`` returns named arrays, among
    them ``X`` and ``y``; a built-in table has no size.
    """

    name: str
    about: str
    action: str
    make_data: Callable[..., Data]
    size: Mapping[str, Any] = field(default_factory=dict)
    quick_size: Mapping[str, Any] = field(default_factory=dict)
    quality: Quality
    competitors: tuple[Competitor, ...]


def families() -> list[str]:
    """The families that have a file under ``vs``."""
    return sorted(path.stem for path in (FOLDER / "vs").glob("*.py") if path.stem != "__init__")


def load_tasks(family: str) -> dict[str, Task]:
    return {task.name: task for task in importlib.import_module(f"benchmarks.vs.{family}").TASKS}
