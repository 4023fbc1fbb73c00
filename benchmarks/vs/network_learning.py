"""Structures and tables of Bayesian networks against pyAgrum and pgmpy."""

from functools import partial

from benchmarks.measure.task import Competitor, Task
from benchmarks.problems import network_rows

_PEERS = "benchmarks.peers.network_learners"


def _competitors(kind: str, *peers: str) -> tuple[Competitor, ...]:
    path = f"{_PEERS}.{kind}"
    return tuple(Competitor(name, path, {"library": name, "path": name}) for name in ("certus", *peers))


TASKS = (
    Task(
        name="hill-climb",
        about="hill climbing by BIC, 37 columns of 2 to 4 states",
        action="fit",
        make_data=network_rows.sampled_rows,
        size={"n": 10_000, "d": 37},
        quick_size={"n": 500, "d": 8},
        quality=network_rows.bic(slack=0.5),
        competitors=_competitors("StructureSearch", "pyagrum", "pgmpy"),
    ),
    Task(
        name="tables",
        about="tables of a chain of 37 columns, from texts",
        action="fit",
        make_data=network_rows.sampled_rows,
        size={"n": 100_000, "d": 37},
        quick_size={"n": 2_000, "d": 8},
        quality=network_rows.likelihood(slack=1e-6),
        competitors=_competitors("TableCounting", "pyagrum", "pgmpy"),
    ),
    Task(
        name="latent-class",
        about="20 rounds of expectation and maximization, a latent class over 6 columns",
        action="fit",
        make_data=partial(network_rows.sampled_rows, latent=True),
        size={"n": 5_000, "d": 6},
        quick_size={"n": 200, "d": 4},
        quality=network_rows.likelihood(slack=1e-6),
        competitors=_competitors("LatentRounds", "pgmpy"),
    ),
)
