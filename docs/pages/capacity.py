"""Writes docs/capacity.md from the truth gate: ``python -m docs.pages.capacity`` in the root."""

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from certus.guarantees import (
    c_bound,
    campi_garatti,
    compression_bound,
    growth_function,
    oob_vote_bounds,
    pac_bayes_kl,
    pac_bayes_margin,
    rademacher,
    vc_bound,
    vc_dimension,
)
from docs.pages.markdown import table
from tests.guarantees import capacity_gate, training_gate
from tests.guarantees.capacity_mutants import CAPACITY_MUTANTS
from tests.guarantees.training_mutants import TRAINING_MUTANTS

PAGE = Path(__file__).parents[1] / "capacity.md"
CASES = {**training_gate.CASES, **capacity_gate.CASES}

HEAD = """# Bounds without held-out rows, and the gate behind them

Made by `python -m docs.pages.capacity`; do not edit by hand.

Held-out rows usually give smaller bounds, and are the default. The bounds here are for models that cannot
spare a row (compression, PAC-Bayes, votes) and for whole classes of hypotheses (VC, Rademacher, margins, stability);
the latter are reference values that often say nothing below thousands of rows, and then say so.
"""


def compression_section() -> str:
    """Campi and Garatti's bound next to the classical one."""
    sizes = ((1000, 0), (1000, 10), (1000, 50), (1000, 100), (200, 10), (5000, 250), (5000, 500), (20000, 2000))
    rows = [
        [str(m), str(k), f"{campi_garatti(k, m).value:.4f}", f"{compression_bound(k, 0, m).value:.4f}"]
        for m, k in sizes
    ]
    text = "## Compression at 95 %: rows, rows that determine the model, and the bound on its risk\n\n"
    return text + table(["rows", "support", "Campi-Garatti", "classical"], rows)


def gate_section() -> str:
    """Share of wrong bounds of every scheme."""
    rows = []
    for name, case in CASES.items():
        wrong, most, excess = case()
        if wrong > most:
            raise SystemExit(f"the gate is not passed: {name}: {wrong}")
        rows.append([name, f"{wrong:.4f}", f"{most:.4f}", f"{excess:.4f}"])
    text = "## Share of wrong bounds at delta 0.1, simulated on schemes whose true risk is known\n\n"
    return text + table(["bound and scheme", "share of wrong bounds", "allowed", "mean excess"], rows)


def mutants_section() -> str:
    """Which check kills which mistake."""
    rows = [[mutant.bound, mutant.mistake, mutant.by] for mutant in (*TRAINING_MUTANTS, *CAPACITY_MUTANTS)]
    text = "## Mistakes that the gate catches\n\n"
    text += "Every mutant is run by the tests, together with the correct bound.\n\n"
    return text + table(["bound", "mistake", "killed by"], rows)


def _milliseconds(call: Callable[[], object], repeats: int = 5) -> str:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return f"{min(times) * 1e3:.3g}"


def time_section() -> str:
    """Time of a call, and of the check of its certificate."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 4000)
    votes = np.where(rng.random((100, 4000)) < 0.2, 1 - labels, labels)
    masks, signs = rng.random((100, 4000)) < 0.37, rng.choice([-1.0, 1.0], (100, 12))
    calls = {
        "campi_garatti(50, 1000)": lambda: campi_garatti(50, 1000),
        "campi_garatti(10^6, 10^7)": lambda: campi_garatti(10**6, 10**7),
        "compression_bound(500, 20, 5000)": lambda: compression_bound(500, 20, 5000),
        "pac_bayes_kl(0.05, 3, 1000)": lambda: pac_bayes_kl(0.05, 3.0, 1000),
        "pac_bayes_kl(0.05, 3, 10^9)": lambda: pac_bayes_kl(0.05, 3.0, 10**9),
        "c_bound(0.2, 0.3, 1000, kl=2)": lambda: c_bound(0.2, 0.3, 1000, kl=2.0),
        "pac_bayes_margin, 1000 rows": lambda: pac_bayes_margin(np.full(1000, 0.3)),
        "vc_bound(0.05, 1000, 3)": lambda: vc_bound(0.05, 1000, 3),
        "rademacher, 100 x 12, all signs": lambda: rademacher(signs),
    }
    rows = [[name, _milliseconds(call), _milliseconds(call().check, 3)] for name, call in calls.items()]
    bagged = "oob_vote_bounds, 100 voters, 4000 rows"
    rows.append([bagged, _milliseconds(lambda: oob_vote_bounds(masks, votes, labels), 3), ""])
    rows.append(["vc_dimension, 100 x 12", _milliseconds(lambda: vc_dimension(signs)), ""])
    rows.append(["growth_function, 100 x 12", _milliseconds(lambda: growth_function(signs), 2), ""])
    return "## Time of one call, milliseconds, the fastest of several\n\n" + table(["call", "bound", "check"], rows)


def page() -> str:
    """The page as text."""
    sections = [HEAD, compression_section(), gate_section(), mutants_section(), time_section()]
    return "\n\n".join(section.strip() for section in sections) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
