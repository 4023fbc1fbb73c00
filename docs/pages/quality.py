"""Write docs/quality.md from benchmarks/results/study-*.json: python -m docs.pages.quality."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import rankdata

DOCS = Path(__file__).parents[1]
PAGE = DOCS / "quality.md"
RESULTS = DOCS.parent / "benchmarks" / "results"
OURS = "Certus"
DRAWS = 4000
HEAD = """# Quality of the study

Generated from `benchmarks/results/study-*.json` by `python -m docs.pages.quality`; [study.md](study.md) says what
the losses are due to. Every system gets the same rows, those that our study learns from after it has set its test and
calibration rows aside, and the same time; all are judged on rows that none of them saw (30 % of the table). The value
is the share of wrong answers, or the root mean squared error; lower is better, the best of a line is bold. "Behind" is
our distance to the best: points of error, or per cent of its root mean squared error. One split and one seed: with a
few hundred unseen rows, a point of error is two or three rows. Ranks stand with the interval that 95 % of them lie in
when tables are drawn again (bootstrap, an estimate). Where no preset is named, AutoGluon has its default one.

"Promised" is the bound of our certificate (confidence 95 %) and "kept" what the unseen rows say about the same
quantity: the error, or how often an error of numbers exceeds the size that the certificate names. The unseen rows are
subject to chance too: where they are twice as many as the test rows, a true promise looks broken in 9 of 100 cases,
not in 5. The last section leaves so many rows unseen that this does not matter.
"""


def page() -> str:
    """The page as text."""
    budgets = sorted(RESULTS.glob("study-[0-9]*s*.json"), key=_budget_and_seed)
    return "\n".join([HEAD, *(budget(json.loads(path.read_text(encoding="utf-8"))) for path in budgets), promises()])


def _budget_and_seed(path: Path) -> tuple[float, str]:
    seconds, _, seed = path.stem.removeprefix("study-").partition("s")
    return float(seconds), seed


def budget(found: dict[str, Any]) -> str:
    """One section: the command, ranks, and a line for every table."""
    tables, seconds = found["tables"], f"{found['seconds']:g}"
    first, *others = (table["systems"] for table in tables.values())
    systems = [
        system for system in first if all(system in one for one in others)
    ]  # the others are still to be measured
    seed = found.get("seed", 0)
    ends = rank_intervals(tables, systems)
    ranks = " · ".join(
        f"{system} {rank:.2f} ({ends[system][0]:.2f} to {ends[system][1]:.2f})"
        for system, rank in mean_ranks(tables, systems).items()
    )
    head = ["table", "learned rows", *systems, "behind", "promised", "kept"]
    lines = [head, ["---"] * len(head), *(line(name, table, systems) for name, table in tables.items())]
    asked = f"--seconds {seconds}{f' --seed {seed}' if seed else ''}"
    return "\n".join(
        [
            f"## {seconds} seconds{f', seed {seed}' if seed else ''}",
            "",
            f"`python -m benchmarks.study.run {asked}`, {len(tables)} tables. Mean ranks: {ranks}.",
            "",
            *(f"| {' | '.join(cells)} |" for cells in lines),
            "",
        ]
    )


def ranks_of(tables: dict[str, Any], systems: list[str]) -> np.ndarray:
    """A row per table: the place of each system among all, equal ones share theirs; no answer is the last place."""
    return np.array([rankdata([value(table, system) for system in systems]) for table in tables.values()])


def mean_ranks(tables: dict[str, Any], systems: list[str]) -> dict[str, float]:
    """The mean place of each system."""
    return dict(zip(systems, ranks_of(tables, systems).mean(axis=0).tolist(), strict=True))


def rank_intervals(tables: dict[str, Any], systems: list[str]) -> dict[str, tuple[float, float]]:
    """What 95 % of mean places lie between when tables are drawn again (bootstrap): an estimate for other tables."""
    ranks = ranks_of(tables, systems)
    drawn = np.random.default_rng(0).integers(len(ranks), size=(DRAWS, len(ranks)))
    low, high = np.quantile(ranks[drawn].mean(axis=1), [0.025, 0.975], axis=0)
    return {system: (float(low[place]), float(high[place])) for place, system in enumerate(systems)}


def line(name: str, table: dict[str, Any], systems: list[str]) -> list[str]:
    """The cells of one table."""
    best, ours = min(value(table, system) for system in systems), table["systems"][OURS]
    cells = []
    for system in systems:
        own = value(table, system)
        text = "-" if math.isinf(own) else f"{own:.4g}"
        cells.append(f"**{text}**" if own == best else text)
    kept = (f"{ours[key]:.3f}" if key in ours else "-" for key in ("promised", "hidden_rate"))
    return [f"`{name}`", f"{ours['trained_rows']:,}", *cells, behind(table, best), *kept]


def behind(table: dict[str, Any], best: float) -> str:
    """Our distance to the best."""
    ours = value(table, OURS)
    if table["task"] == "classification":
        return f"{100 * (ours - best):.2f} points"
    return f"{100 * (ours / best - 1):.2f} %"


def value(table: dict[str, Any], system: str) -> float:
    """The loss on the unseen rows; infinite without an answer."""
    return float(table["systems"].get(system, {}).get("value", math.inf))


def promises() -> str:
    """How often certificates of small studies failed on the rest of large tables."""
    found = json.loads((RESULTS / "study-promises.json").read_text(encoding="utf-8"))
    whole = found["all"]
    head = ["table", "studies", "failed", "limit", "rows left", "mean bound", "mean distance to the truth"]
    rows = [
        [
            f"`{name}`",
            *(f"{one[key]:,}" for key in ("studies", "failures", "limit", "hidden_rows")),
            *(f"{one[key]:.3f}" for key in ("mean_promised", "mean_slack")),
        ]
        for name, one in found["tables"].items()
    ]
    return "\n".join(
        [
            "## Are the promises kept?",
            "",
            f"`python -m benchmarks.study.promises`: studies of {found['studied_rows']} rows of a table, whose other",
            "rows then say what the loss of the certified model is. Confidence 95 %: one in twenty may fail. The limit",
            "is the 99 % quantile of the binomial distribution.",
            f"All together: {whole['failures']} of {whole['studies']} failed, limit {whole['limit']}.",
            "",
            *(f"| {' | '.join(cells)} |" for cells in [head, ["---"] * len(head), *rows]),
            "",
        ]
    )


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
