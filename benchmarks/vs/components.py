"""Principal components and directions of two tables against scikit-learn, at equal share of the variance explained."""

from collections.abc import Callable
from typing import Any

from benchmarks.measure.task import Competitor, Data, Quality, Task
from benchmarks.problems.component_data import (
    digits_table,
    falling_spectrum,
    two_tables,
    unexplained_share,
    unpaired_share,
    unpredicted_share,
)

_SHARE = Quality("share of the variance left", unexplained_share, slack=1e-6)
_SOLVERS = ("auto", "covariance_eigh", "full", "randomized")


def _competitors(count: int) -> tuple[Competitor, ...]:
    """Ours as it comes, and every solver of the others."""
    theirs = [
        Competitor(
            f"scikit-learn {solver}",
            "sklearn.decomposition.PCA",
            {"n_components": count, "svd_solver": solver, "random_state": 0},
        )
        for solver in _SOLVERS
    ]
    accelerated = Competitor("scikit-learn-intelex", "sklearnex.decomposition.PCA", {"n_components": count})
    return (Competitor("certus", "certus.components.PCA", {"n_components": count}), *theirs, accelerated)


def _task(name: str, count: int, make_data: Callable[..., Data] = falling_spectrum, **size: Any) -> Task:
    quick = {"n": 300, "d": 40} if size else {}
    return Task(
        name=name,
        about=f"PCA, {count} components",
        action="fit",
        make_data=make_data,
        size=size,
        quick_size=quick,
        quality=_SHARE,
        competitors=_competitors(count),
    )


def _pair_task(learner: str, measure: Callable[..., float], n: int, d: int, targets: int) -> Task:
    count = {"n_components": 5}
    return Task(
        name=f"{learner.lower()}-{n}x{d}-{targets}",
        about=f"{learner}, 5 components, {targets} targets",
        action="fit",
        make_data=two_tables,
        size={"n": n, "d": d, "targets": targets},
        quick_size={"n": 300, "d": 12, "targets": 6},
        quality=Quality("share left", measure, slack=1e-3),
        competitors=(
            Competitor("certus", f"certus.components.{learner}", count),
            Competitor("scikit-learn", f"sklearn.cross_decomposition.{learner}", count),
        ),
    )


TASKS = (
    _pair_task("PLSRegression", unpredicted_share, 20_000, 300, 5),
    _pair_task("CCA", unpaired_share, 10_000, 60, 40),
    _task("pca-tall", 50, n=100_000, d=500),
    _task("pca-tall-single", 50, n=100_000, d=500, dtype="float32"),
    _task("pca-very-tall", 20, n=171_067, d=142),
    _task("pca-images", 50, n=5_000, d=784),
    _task("pca-digits", 10, digits_table),
    _task("pca-wide", 10, n=60, d=20_000),
    # How cost grows in rows, columns and components.
    *(_task(f"pca-rows-{n}", 20, n=n, d=200) for n in (5_000, 20_000, 80_000)),
    *(_task(f"pca-columns-{d}", 20, n=10_000, d=d) for d in (50, 200, 800)),
    *(_task(f"pca-components-{k}", k, n=10_000, d=400) for k in (2, 20, 100)),
)
