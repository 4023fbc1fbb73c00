"""Writes docs/guarantees.md from the truth gate: run ``python -m docs.pages.guarantees`` in the root."""

from pathlib import Path

import numpy as np

from certus.guarantees import (
    auc_bound,
    balanced_accuracy_bound,
    coverage_floor,
    error_bound,
    f_bound,
    mcnemar,
    mean_bound,
)
from certus.guarantees.holdout.rate import METHODS, RateSetting, rate_bound
from certus.guarantees.records import rules
from certus.verbs.planning import plan
from docs.pages.markdown import table
from docs.pages.timing import milliseconds
from tests.guarantees import bounds, combined_gate, conformal_gate, gate
from tests.guarantees.conformal_mutants import CONFORMAL_MUTANTS
from tests.guarantees.mutants import MUTANTS

PAGE = Path(__file__).parents[1] / "guarantees.md"

HEAD = """# Guarantees, and the gate that every bound has to pass

Made by `python -m docs.pages.guarantees`; do not edit by hand.

A bound at confidence 1 - delta may be wrong in at most a share delta of all samples. Where counts allow it, the
largest share of wrong bounds over *all* true rates is computed exactly. Elsewhere it is counted in {replicates}
simulated samples per cell; a cell passes if the share stays below delta plus four standard errors. "Excess" is the
mean distance of the upper bound from the true mean: smaller is tighter.
"""


def enumerated_section() -> str:
    """Worst violation over all rates, for every bound on a count."""
    rows = []
    for method in METHODS:
        for size in (5, 20, 100):
            for delta in gate.DELTAS:
                cells = [method, str(size), f"{delta:g}"]
                for side in ("upper", "lower"):
                    setting = RateSetting(confidence=float(f"{1 - delta:.4f}"), side=side, method=method)
                    limits = np.array([rate_bound(k, size, setting).value for k in range(size + 1)])
                    cells.append(f"{gate.worst_violation(limits, size, side):.4f}")
                rows.append(cells)
    text = "## Rates from counts: largest share of wrong bounds over all true rates, exact\n\n"
    return text + table(["bound", "rows", "delta", "upper", "lower"], rows)


def simulated_section(replicates: int) -> str:
    """Violations and excess of every mean bound on every kind of losses."""
    parts = ["## Means of bounded losses: share of wrong upper bounds / mean excess\n"]
    for losses in gate.DISTRIBUTIONS:
        rows = []
        for name in bounds.NAMES:
            for size in gate.SIZES:
                cells = [name, str(size)]
                for delta in gate.DELTAS:
                    upper = bounds.bound_for(name, losses.variance)
                    found = gate.simulate(name, upper, losses, size, delta, replicates)
                    if found.violations > found.allowed:
                        raise SystemExit(f"the gate is not passed: {found}")
                    cells.append(f"{found.violations:.4f} / {found.excess:.4f}")
                rows.append(cells)
        head = ["bound", "rows", *(f"delta {delta:g}" for delta in gate.DELTAS)]
        parts.append(f"### {losses.name}, mean {losses.mean:g}\n\n{table(head, rows)}\n")
    return "\n".join(parts)


def combined_section() -> str:
    """Violations and excess of measures that combine several rates."""
    rows = []
    for name, case in combined_gate.CASES.items():
        violations, most, excess = case()
        if violations > most:
            raise SystemExit(f"the gate is not passed: {name}: {violations}")
        rows.append([name, f"{violations:.4f}", f"{most:.4f}", "" if excess is None else f"{excess:.4f}"])
    text = "## Combined measures at delta 0.1\n\n"
    return text + table(["claim", "share of wrong claims", "allowed", "mean excess"], rows)


def conformal_section() -> str:
    """Exact coverage of conformal sets, and exact failure of guarded recall."""
    rows = []
    for size in conformal_gate.SIZES:
        for level in conformal_gate.LEVELS:
            rank = conformal_gate.exact_rule(size, level)
            worst = conformal_gate.worst_coverage(conformal_gate.exact_rule, size, level)
            floor = coverage_floor(rank, size, 0.95)
            below = max(
                conformal_gate.chance_below_floor(rank, size, floor, atoms) for atoms in conformal_gate.ATOMS.values()
            )
            shown = f"{rank} of {size}" if rank <= size else "none: everything is covered"
            rows.append([str(size), level, shown, f"{worst:.4f}", f"{floor:.4f}", f"{below:.4f}"])
    text = "## Conformal sets: exact coverage over continuous and tied scores\n\n"
    text += "The floor is what the coverage given the calibration rows may fall below with probability 0.05.\n\n"
    head = ["calibration rows", "level", "rank", "worst average coverage", "95% floor", "chance below floor"]
    text += table(head, rows) + "\n\n## Guarded recall: exact chance that the promised recall does not hold\n\n"
    edge = (0.21, 0.3, 0.49)  # the second threshold has a recall just below 0.8
    cases = [(0.9, 20), (0.95, 30), (0.99, 30)]
    failures = [conformal_gate.recall_failure(confidence, 0.8, size, edge) for confidence, size in cases]
    cells = [[str(n), f"{1 - c:.2f}", f"{f:.4f}"] for (c, n), f in zip(cases, failures, strict=True)]
    return text + table(["positive rows", "delta", "failure"], cells)


def mutants_section() -> str:
    """Which check kills which mistake."""
    rows = [[mutant.bound, mutant.mistake, mutant.by] for mutant in (*MUTANTS, *CONFORMAL_MUTANTS)]
    text = "## Mistakes that the gate catches\n\n"
    text += "Every mutant is run by the tests, together with the correct bound.\n\n"
    return text + table(["bound", "mistake", "killed by"], rows)


def time_section() -> str:
    """Time of a call, and of the check of its certificate."""
    rng = np.random.default_rng(0)
    small, large = rng.beta(1, 9, 1000), rng.beta(1, 9, 100_000)
    calls = {
        "error_bound(15, 500)": lambda: error_bound(15, 500),
        "error_bound(3e7, 1e9), confidence 1 - 1e-12": lambda: error_bound(3 * 10**7, 10**9, confidence=0.999999999999),
        "f_bound": lambda: f_bound(90, 5, 10),
        "balanced_accuracy_bound, 2 classes": lambda: balanced_accuracy_bound([95, 90], [100, 100]),
        "auc_bound, 1000 and 1000 rows": lambda: auc_bound(small, small - 0.05),
    }
    for method in ("hoeffding", "kl", "hoeffding-bentkus", "empirical-bernstein", "betting", "star"):
        calls[f"mean_bound, {method}, 1000 rows"] = lambda method=method: mean_bound(small, method=method)
        calls[f"mean_bound, {method}, 100 000 rows"] = lambda method=method: mean_bound(large, method=method)
    rows = []
    for name, call in calls.items():
        slow = "star, 100 000" in name
        rows.append([name, milliseconds(call), milliseconds(call().check, 1 if slow else 3)])
    rows.append(["mcnemar(30, 15)", milliseconds(lambda: mcnemar(30, 15)), ""])
    rows.append(["plan(0.03).rows[2]", milliseconds(lambda: plan(0.03).rows[2]), ""])
    return "## Time of one call, milliseconds, the fastest of several\n\n" + table(["call", "bound", "check"], rows)


def rules_section() -> str:
    """Every kind of certificate that can be checked."""
    names = ", ".join(f"`{rule}`" for rule in rules.registered())
    return f"## Certificates that can be checked by a second route\n\n{names}"


def page(replicates: int = gate.REPLICATES) -> str:
    """The page as text."""
    sections = [
        HEAD.format(replicates=f"{replicates:,}".replace(",", " ")),
        enumerated_section(),
        simulated_section(replicates),
        combined_section(),
        conformal_section(),
        mutants_section(),
        time_section(),
        rules_section(),
    ]
    return "\n\n".join(section.strip() for section in sections) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
