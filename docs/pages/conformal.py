"""Writes docs/conformal.md from the truth gate: ``python -m docs.pages.conformal`` in the root."""

from pathlib import Path
from unittest import mock

import numpy as np

from certus.guarantees import (
    ConformalRank,
    assured_rank,
    calibrate,
    calibrate_groups,
    control_rates,
    cross_certificate,
    split_rank,
)
from certus.guarantees.thresholds import risk_control
from docs.pages.markdown import table
from docs.pages.timing import milliseconds
from tests.guarantees import conformal_gate as gate
from tests.guarantees.conformal_mutants import CONFORMAL_MUTANTS

PAGE = Path(__file__).parents[1] / "conformal.md"

HEAD = """# Conformal prediction and guarded rates: what is promised, and the gate behind it

Made by `python -m docs.pages.conformal`; do not edit by hand.

With n calibration scores and a level p the threshold is the score of rank k = ceil((n + 1) p), computed from the
decimal that was written; with k > n it is infinite. On average over calibration sets the coverage is k / (n + 1),
or more when scores tie. For one calibration set it is distributed as Beta(k, n + 1 - k); the floor is its 5%
quantile. All numbers below are exact unless said otherwise.
"""


def split_section() -> str:
    """Ranks, delivered levels, floors, and the worst case over tied and untied scores."""
    rows = []
    for size in gate.SIZES:
        for level in gate.LEVELS:
            rank = ConformalRank.of(size, float(level))
            worst = gate.worst_coverage(gate.exact_rule, size, level)
            below = max(gate.chance_below_floor(rank.rank, size, rank.floor, p) for p in gate.ATOMS.values())
            threshold = f"{rank.rank} of {size}" if rank.finite else "infinite"
            rows.append([str(size), level, threshold, f"{worst:.4f}", f"{rank.floor:.4f}", f"{below:.4f}"])
    head = ["rows", "level", "rank", "average coverage, worst case", "floor (95%)", "chance below the floor"]
    ranks = [
        [str(n), f"{assured_rank(n, 0.9, 0.95)} of {n}", f"{split_rank(n, 0.9)} of {n}"] for n in (100, 500, 1000, 5000)
    ]
    return (
        "## Split calibration\n\nWorst case over continuous scores and scores with heavy ties.\n\n"
        + table(head, rows)
        + "\n\nRank for at least 90% with confidence 95% (`assurance=0.95`), next to the average one:\n\n"
        + table(["rows", "assured", "average"], ranks)
    )


def cross_section() -> str:
    """Proven levels, and the coverage of the worst learner where it is known."""
    rows = []
    for method in ("plus", "minmax"):
        for size, folds in ((20, 20), (50, 50), (100, 100), (100, 10), (1000, 10), (1000, 20), (1000, 1000)):
            certificate = cross_certificate([size // folds] * folds, confidence=0.9, method=method)
            rank = split_rank(size, 0.9)
            attained = ""
            if folds == size and size <= 100:
                above = size - rank
                beats = gate.circle(2 * above + 1) if method == "plus" else lambda a, _, m=above + 1: a < m
                attained = f"{float(gate.tournament_coverage(size, rank, beats, method)):.4f}"
            name = "one row each" if folds == size else str(folds)
            rows.append([method, str(size), name, "0.9", f"{certificate.value:.4f}", attained])
    head = ["method", "rows", "folds", "nominal", "proven", "coverage of the worst learner"]
    return (
        "## CV+, jackknife+ and minmax\n\nThe last column is attained: with one row per fold the proven level "
        "cannot be raised.\n\n" + table(head, rows)
    )


def guard_section() -> str:
    """Exact failure probabilities of promised rates at their edge."""
    edge = (0.201, 0.3, 0.499)
    rows = []
    for rows_count, confidence in ((11, 0.9), (20, 0.9), (30, 0.95), (40, 0.99)):
        failure = gate.recall_failure(confidence, 0.8, rows_count, edge)
        rows.append(["recall 0.8", str(rows_count), f"{1 - confidence:.2f}", f"{failure:.4f}"])
    flat = (0.3, 0.3, 0.4)
    with mock.patch.object(risk_control, "explain", return_value=("", None)):
        for procedure in ("fixed-sequence", "holm", "bonferroni"):
            failure, _ = gate.guard_failure(
                {"precision": 0.5}, 10, flat, flat, 0.4999, confidence=0.8, procedure=procedure
            )
            rows.append([f"precision 0.5, {procedure}", "10", "0.20", f"{failure:.4f}"])
        failure, _ = gate.guard_failure(
            {"recall": 0.5, "precision": 0.5},
            8,
            (0.2, 0.32, 0.48),
            (0.5, 0.2, 0.3),
            0.5,
            confidence=0.8,
            thresholds=[1, 2, 0],
        )
    rows.append(["recall 0.5 and precision 0.5, given thresholds", "8", "0.20", f"{failure:.4f}"])
    return "## Guarded rates: chance that a promised rate does not hold, at the edge\n\n" + table(
        ["promise", "rows", "allowed", "chance"], rows
    )


def mutants_section() -> str:
    """Which check kills which mistake."""
    rows = [[mutant.bound, mutant.mistake, mutant.by] for mutant in CONFORMAL_MUTANTS]
    text = "## Mistakes that the gate catches\n\nEvery mutant is run by the tests, together with the code as it is.\n\n"
    return text + table(["part", "mistake", "killed by"], rows)


def time_section() -> str:
    """Time of a call."""
    rng = np.random.default_rng(0)
    small, large = rng.random(1000), rng.random(10**6)
    groups, positive = rng.integers(0, 20, 10**6), rng.random(1000) < small
    calls = {
        "calibrate, 1000 scores, with certificates": lambda: calibrate(small).certificates,
        "calibrate, 1 000 000 scores, with certificates": lambda: calibrate(large).certificates,
        "calibrate_groups, 1 000 000 scores, 20 groups": lambda: calibrate_groups(large, groups).certificates,
        "control_rates, recall, 1000 rows": lambda: control_rates(small, positive, {"recall": 0.9}),
        "control_rates, recall and precision, 1000 rows": lambda: control_rates(
            small, positive, {"recall": 0.4, "precision": 0.6}
        ),
    }
    rows = [[name, milliseconds(call)] for name, call in calls.items()]
    return "## Time of one call, milliseconds\n\n" + table(["call", "fastest"], rows)


def page() -> str:
    """The page as text."""
    sections = (HEAD, split_section(), cross_section(), guard_section(), mutants_section(), time_section())
    return "\n\n".join(section.strip() for section in sections) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
