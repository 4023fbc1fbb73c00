"""Planning in decision processes against quantecon and pymdptoolbox, at the same proved error of the values."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from benchmarks.measure.task import Competitor, Data, Task
from benchmarks.problems.decision_processes import PROVED, grid_pairs, random_pairs

_PLANNER = "benchmarks.peers.planners.Planner"
_TIGHTER = tuple({"tol": 10.0**-power} for power in (4, 5, 6, 8, 10, 12))


def _task(
    name: str,
    about: str,
    make_data: Callable[..., Data],
    size: Mapping[str, Any],
    quick: Mapping[str, Any],
    asked: Mapping[str, Any],
    *,
    toolbox: bool = False,
) -> Task:
    found = [Competitor("certus", _PLANNER, {"library": "certus", "method": "auto", **asked}, _TIGHTER)]
    for method in ("modified_policy_iteration", "policy_iteration"):
        peer = {"library": "quantecon", "method": method, **asked}
        found.append(Competitor(f"quantecon-{method}", _PLANNER, peer, _TIGHTER))
    if toolbox:
        peer = {"library": "mdptoolbox", "method": "PolicyIteration", **asked}
        found.append(Competitor("pymdptoolbox", _PLANNER, peer))
    return Task(
        name=name,
        about=about,
        action="fit",
        make_data=make_data,
        size=size,
        quick_size=quick,
        quality=PROVED,
        competitors=tuple(found),
    )


TASKS = (
    _task(
        "random-sparse",
        "200 000 states, 4 actions, 8 next states, discount .99",
        partial(random_pairs, actions=4, successors=8),
        {"states": 200_000},
        {"states": 500},
        {"actions": 4, "discount": 0.99},
    ),
    _task(
        "grid-300",
        "grid of 300 x 300 cells with walls and slip, discount .999",
        grid_pairs,
        {"side": 300},
        {"side": 12},
        {"actions": 4, "discount": 0.999},
    ),
    _task(
        "grid-39",
        "grid of 39 x 39 cells, discount .95",
        grid_pairs,
        {"side": 39},
        {"side": 8},
        {"actions": 4, "discount": 0.95},
        toolbox=True,
    ),
    _task(
        "grid-4",
        "grid of 4 x 4 cells: what a call costs",
        grid_pairs,
        {"side": 4},
        {"side": 4},
        {"actions": 4, "discount": 0.95},
    ),
)
