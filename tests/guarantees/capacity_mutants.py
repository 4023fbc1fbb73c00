"""Plausible mistakes in bounds for whole classes, each with the check that must catch it."""

import math
from collections.abc import Callable

import numpy as np

from certus.guarantees import (
    finite_class_bound,
    growth_function,
    kernel_margin_bound,
    pac_bayes_margin,
    rademacher,
    sauer,
    stability_bound,
    uniform_convergence,
    vc_bound,
    vc_dimension,
    voting_margin_bound,
)
from certus.guarantees.classes import hypothesis_classes
from certus.guarantees.holdout import clopper_pearson, concentration
from tests.guarantees import capacity_gate as gate
from tests.guarantees import twins
from tests.guarantees.mutants import BY_SIMULATION, Mutant, told_apart
from tests.guarantees.training_gate import DELTA, LEVEL
from tests.guarantees.training_mutants import BY_TWIN, fails


def tables() -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    return [rng.integers(0, 2, (size, 6)) for size in (1, 4, 9, 20)]


def vc_differs(dimension: Callable[[np.ndarray], int]) -> bool:
    return any(dimension(table) != twins.vc_dimension(table.tolist()) for table in tables())


def growth_differs(growth: Callable[[np.ndarray], list[int]]) -> bool:
    return any(growth(table) != twins.growth_function(table.tolist()) for table in tables())


def first_points_only(table: np.ndarray) -> list[int]:
    return [len(np.unique(table[:, :m], axis=0)) for m in range(1, table.shape[1] + 1)]


def sauer_differs(count: Callable[[int, int], int]) -> bool:
    """Intervals meet Sauer's lemma with equality."""
    return any(count(n, 2) != hypothesis_classes.intervals().growth(n) for n in range(1, 9))


def stumps_differ(dimension: Callable[[int], int]) -> bool:
    return [dimension(d) for d in (1, 2, 10, 100)] != [2, 3, 6, 9]


def stability_differs(bound: Callable[[float, float, int], float]) -> bool:
    return abs(bound(0.1, 0.001, 1000) - twins.stability_bound(0.1, 0.001, 1000, 0.05)) > 1e-9


def mean_of_two_draws(table: np.ndarray, seed: int) -> float:
    return float(rademacher(table, draws=2, seed=seed).witness["mean"])


def one_hypothesis(rows: int) -> float:
    return math.sqrt(math.log(2 / DELTA) / (2 * rows))


def without_growth(risk: float, rows: int, _vc: int) -> float:
    a = math.log(4 / DELTA) / rows
    return risk + 2 * a + 2 * math.sqrt(a * a + a * risk)


def without_complexity(margins: np.ndarray, margin: float, _norm: float, _diagonal: np.ndarray) -> float:
    return float(np.mean(margins <= margin)) + 3 * math.sqrt(math.log(2 / DELTA) / (2 * len(margins)))


def vote_without_capacity(margins: np.ndarray, margin: float, _vc: int) -> float:
    return float(np.mean(margins <= margin)) + math.sqrt(math.log(1 / DELTA) / (2 * len(margins)))


def best_scale_without_price(cosines: np.ndarray) -> float:
    """Weights drawn so tightly around the classifier that they err as rarely as it does, and no entropy paid."""
    return concentration.kl_upper(float(np.mean(cosines <= 0)), 1e-6)


CAPACITY_MUTANTS: tuple[Mutant, ...] = (
    told_apart(
        "VC dimension",
        "logarithm of the number of hypotheses",
        BY_TWIN,
        vc_differs,
        lambda table: int(math.log2(len(np.unique(table, axis=0)))),
        vc_dimension,
    ),
    told_apart("growth function", "first points only", BY_TWIN, growth_differs, first_points_only, growth_function),
    told_apart(
        "Sauer",
        "sum from 1 instead of 0",
        "intervals, where it is an equality",
        sauer_differs,
        lambda n, d: sauer(n, d) - 1,
        sauer,
    ),
    told_apart(
        "stumps",
        "2 (log2 d + 1) taken for exact",
        "exact values 2, 3, 6, 9",
        stumps_differ,
        lambda d: math.floor(2 * (math.log2(d) + 1)),
        lambda d: hypothesis_classes.stumps(d).vc,
    ),
    told_apart(
        "finite class",
        "hypotheses not counted",
        BY_SIMULATION,
        fails(gate.luckiest, 40, 4000),
        lambda e, m: clopper_pearson.upper(e, m, DELTA),
        lambda e, m: finite_class_bound(e, m, gate.COINS, LEVEL).value,
    ),
    told_apart(
        "uniform convergence",
        "one hypothesis instead of all",
        BY_SIMULATION,
        fails(gate.largest_gap, 60, 4000),
        one_hypothesis,
        lambda m: uniform_convergence(gate.COINS, m, LEVEL).value,
    ),
    told_apart(
        "VC bound",
        "growth function left out",
        BY_SIMULATION,
        fails(gate.memorizer, 200, 100, 500),
        without_growth,
        lambda r, m, vc: vc_bound(r, m, vc, LEVEL).value,
    ),
    told_apart(
        "Rademacher complexity",
        "error of the draws left out",
        BY_SIMULATION,
        fails(gate.drawn_signs, 300),
        mean_of_two_draws,
        lambda table, seed: rademacher(table, draws=2, seed=seed, confidence=LEVEL).value,
    ),
    told_apart(
        "kernel margin",
        "complexity left out",
        BY_SIMULATION,
        fails(gate.random_labels_in_many_dimensions),
        without_complexity,
        lambda m, rho, norm, k: kernel_margin_bound(m, rho, norm, k, LEVEL).value,
    ),
    told_apart(
        "PAC-Bayes margin",
        "price of the scale left out",
        BY_SIMULATION,
        fails(gate.angles, 300, 60),
        best_scale_without_price,
        lambda g: pac_bayes_margin(g, LEVEL).value,
    ),
    told_apart(
        "voting margin",
        "capacity of the voters left out",
        BY_SIMULATION,
        fails(gate.vote_of_stumps, 200, 20),
        vote_without_capacity,
        lambda m, rho, vc: voting_margin_bound(m, rho, vc, LEVEL).value,
    ),
    told_apart(
        "stability",
        "4 rows beta left out of the confidence term",
        BY_TWIN,
        stability_differs,
        lambda r, beta, m: r + 2 * beta + math.sqrt(math.log(20) / (2 * m)),
        lambda r, beta, m: stability_bound(r, beta, m).value,
    ),
)
