"""Bayesian networks against pyAgrum and pgmpy: equal answers, in how much time."""

from functools import partial

from benchmarks.measure.task import Competitor, Task
from benchmarks.problems import network_data

_PEERS = "benchmarks.peers.network_models"
_ENGINES = ("LazyPropagation", "ShaferShenoyInference", "VariableElimination")
_CLASSIC = ("asia", "insurance", "alarm", "hailfinder", "win95pts", "andes", "pigs")
_WIDE = ("water", "munin1", "link")


def _competitors(ask: str, engines: tuple[str, ...], pgmpy: bool) -> tuple[Competitor, ...]:
    return (
        Competitor("certus", f"{_PEERS}.CertusNetwork", {"ask": ask}),
        *(
            Competitor(f"pyagrum-{engine}", f"{_PEERS}.AgrumNetwork", {"ask": ask, "engine": engine})
            for engine in engines
        ),
        *([Competitor("pgmpy", f"{_PEERS}.PgmpyNetwork", {"ask": ask})] if pgmpy else []),
    )


def _task(name: str, about: str, ask: str, make_data: object, size: dict[str, object], **more: object) -> Task:
    return Task(
        name=name,
        about=about,
        action="predict",
        make_data=make_data,
        size=size,
        quick_size={**size, "network": "random"},
        quality=more.get("quality", network_data.SAME_ANSWERS),
        competitors=_competitors(ask, more.get("engines", _ENGINES[:1]), bool(more.get("pgmpy", False))),
    )


TASKS = (
    *(
        _task(
            f"marginals-{network}",
            f"all marginals given three leaves, {network}",
            "marginals",
            network_data.evidence_on_leaves,
            {"network": network},
            engines=_ENGINES,
            pgmpy=network in _CLASSIC[:4],
        )
        for network in (*_CLASSIC, *_WIDE)
    ),
    *(
        _task(
            f"tree-{network}",
            f"100 evidence sets through one tree, {network}",
            "tree",
            partial(network_data.evidence_on_leaves, sets=100),
            {"network": network},
            engines=_ENGINES[:2],
        )
        for network in ("insurance", "alarm", "hailfinder")
    ),
    _task(
        "rows-insurance",
        "one node of 2000 rows of 27 columns, insurance",
        "rows",
        network_data.whole_rows,
        {"network": "insurance", "rows": 2000},
    ),
    _task(
        "sample-alarm",
        "100 000 rows of alarm",
        "sample",
        network_data.no_rows,
        {"network": "alarm", "rows": 100_000},
        quality=network_data.RIGHT_SHARES,
    ),
)
