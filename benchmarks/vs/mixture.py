"""Mixtures against scikit-learn: the same start and number of steps."""

from functools import partial
from typing import Any

from benchmarks.measure.task import Competitor, Data, Quality, Task
from benchmarks.problems import data


def _likelihood(model: Any, _prediction: Any, _given: Data) -> float:
    return float(model.likelihood_)


def _task(kind: str, components: int, steps: int, n: int, d: int) -> Task:
    asked = {"components": components, "covariance_type": kind, "steps": steps}
    return Task(
        name=f"{kind}-{n}x{d}-{components}",
        about=f"GaussianMixture, {kind}, {components} components, {steps} steps from the same start",
        action="fit",
        make_data=partial(data.clusters, classes=2, queries=10),
        size={"n": n, "d": d},
        quick_size={"n": 1_000, "d": 4},
        quality=Quality("log-likelihood per row", _likelihood, lower_is_better=False, slack=1e-6),
        competitors=tuple(
            Competitor(name, "benchmarks.peers.mixture_models.StartedMixture", {"path": path, **asked})
            for name, path in (
                ("certus", "certus.mixture.GaussianMixture"),
                ("scikit-learn", "sklearn.mixture.GaussianMixture"),
            )
        ),
    )


_SIZES = ((10, 20, 100_000, 20), (10, 10, 731_682, 8))
_SCALING = ((10, 10, 10_000, 20), (10, 10, 100_000, 5), (10, 10, 100_000, 50), (40, 10, 100_000, 20))
TASKS = (
    *(_task("full", *size) for size in (*_SIZES, *_SCALING)),
    _task("diag", 20, 10, 200_000, 32),
)
