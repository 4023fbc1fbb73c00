"""Hedge and Fixed Share over many experts against NumPy; ours keeps its account on."""

from typing import Any

from benchmarks.measure.task import Competitor, Quality, Task
from benchmarks.problems.expert_data import loss_paid, shifting_experts

_LOSS = Quality("loss", loss_paid, slack=1e-6)


def _task(name: str, ours: tuple[str, dict[str, Any]], theirs: tuple[str, dict[str, Any]], n: int, trials: int) -> Task:
    return Task(
        name=name,
        about=f"{name.split('-')[0]}, {n} experts, {trials} trials",
        action="fit",
        make_data=shifting_experts,
        size={"n": n, "trials": trials},
        quick_size={"n": n, "trials": 50},
        quality=_LOSS,
        competitors=(
            Competitor("certus", f"certus.online.{ours[0]}", ours[1]),
            Competitor("NumPy", f"benchmarks.peers.expert_models.{theirs[0]}", theirs[1]),
        ),
    )


TASKS = tuple(
    task
    for n, trials in ((10_000, 10_000), (100, 100_000))
    for task in (
        _task(
            f"hedge-{n}",
            ("Hedge", {"n_experts": n, "eta": 0.1}),
            ("NumpyHedge", {"n_experts": n, "eta": 0.1}),
            n,
            trials,
        ),
        _task(f"share-{n}", ("FixedShare", {"alpha": 0.01}), ("NumpyFixedShare", {"alpha": 0.01}), n, trials),
    )
)
