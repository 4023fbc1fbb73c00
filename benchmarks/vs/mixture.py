"""Mixtures against scikit-learn: the same start and number of steps; kernel densities against it and SciPy."""

from functools import partial
from typing import Any

from benchmarks.measure.task import Competitor, Data, Quality, Task
from benchmarks.problems import data
from benchmarks.problems.component_data import density_error, round_cloud


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


def _density(n: int, d: int, bandwidth: float = 0.3) -> Task:
    asked = {"bandwidth": bandwidth, "rtol": 1e-8}
    peers = "benchmarks.peers.density_models"
    paths = {"certus": "certus.neighbors.KernelDensity", "scikit-learn": "sklearn.neighbors.KernelDensity"}
    return Task(
        name=f"density-{n}x{d}",
        about=f"KernelDensity, gaussian, {n} rows and at most 10 000 queries in {d} columns, relative error 1e-8",
        action="fit_predict",
        make_data=partial(round_cloud, queries=10_000),
        size={"n": n, "d": d},
        quick_size={"n": 500, "d": 2},
        quality=Quality("largest relative error", partial(density_error, bandwidth=bandwidth), wanted=1e-7),
        competitors=(
            *(Competitor(name, f"{peers}.GaussianDensity", {"path": path, **asked}) for name, path in paths.items()),
            Competitor("scipy", f"{peers}.SciPyDensity", {"bandwidth": bandwidth}),
        ),
    )


_SIZES = ((10, 20, 100_000, 20), (10, 10, 731_682, 8))
_SCALING = ((10, 10, 10_000, 20), (10, 10, 100_000, 5), (10, 10, 100_000, 50), (40, 10, 100_000, 20))
TASKS = (
    *(_task("full", *size) for size in (*_SIZES, *_SCALING)),
    _task("diag", 20, 10, 200_000, 32),
    _density(10_000, 2),
    _density(10_000, 6),
    _density(1_000, 2),
    _density(100_000, 2),
)
