"""Hidden Markov models against hmmlearn: ten rounds of learning from one start, and the most probable path."""

from functools import partial

from benchmarks.measure.task import Competitor, Task
from benchmarks.problems import sequence_data

_MODEL = "benchmarks.peers.sequence_models.SequenceModel"
_QUALITY = sequence_data.likelihood(slack=1e-6)


def _task(name: str, about: str, action: str, model: str, parameters: dict[str, object], **data: object) -> Task:
    return Task(
        name=f"{name}-{action}",
        about=about,
        action=action,
        quality=_QUALITY,
        competitors=(
            Competitor("certus", _MODEL, {"path": f"certus.graphical.{model}", **parameters}),
            *(
                Competitor(f"hmmlearn-{how}", _MODEL, {"path": f"hmmlearn.hmm.{model}", "how": how, **parameters})
                for how in ("scaling", "log")
            ),
        ),
        **data,
    )


def _gaussian(kind: str, length: int, action: str) -> Task:
    shape = "1000-sequences" if length else "one-sequence"
    return _task(
        f"gaussian-{kind}-{shape}",
        f"GaussianHMM({kind!r}), 5 states, {'1000 sequences of 100 rows' if length else 'one sequence'}",
        action,
        "GaussianHMM",
        {"states": 5, "kind": kind, "length": length},
        make_data=partial(sequence_data.gaussian_rows, states=5),
        size={"n": 100_000, "d": 10},
        quick_size={"n": 1_000, "d": 10},
    )


def _symbols(states: int, n: int, action: str) -> Task:
    return _task(
        f"symbols-{states}-states",
        f"CategoricalHMM, {states} states, 50 symbols",
        action,
        "CategoricalHMM",
        {"states": states, "symbols": 50},
        make_data=partial(sequence_data.symbols, states=states, count=50),
        size={"n": n},
        quick_size={"n": 1_000},
    )


TASKS = (
    *(
        task
        for action in ("fit", "predict")
        for task in (
            *(_gaussian(kind, length, action) for kind in ("diag", "full") for length in (0, 100)),
            _symbols(10, 200_000, action),
            _symbols(8, 500_000, action),
        )
    ),
)
