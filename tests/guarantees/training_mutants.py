"""Plausible mistakes in bounds from training rows, each with the check that must catch it."""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from certus.guarantees import c_bound, condorcet, first_order_bound
from certus.guarantees.holdout import clopper_pearson
from certus.guarantees.training import pac_bayes
from certus.guarantees.training.pac_bayes_constant import log_xi
from certus.guarantees.training.scenario_bound import scenario_upper
from tests.guarantees import training_gate as gate
from tests.guarantees import twins
from tests.guarantees.mutants import BY_SIMULATION, Mutant, told_apart

BY_TWIN = "slow twin"


def fails(case: Callable[..., gate.Finding], *arguments: object) -> Callable[..., bool]:
    """The bound, put into the simulation, is wrong more often than it may be."""

    def rejects(bound: object) -> bool:
        wrong, most, _ = case(*arguments, bound=bound)
        return wrong > most

    return rejects


def scenario_differs(bound: Callable[[int, int, float], float]) -> bool:
    cases = ((0, 5), (2, 12), (7, 20))
    twin = [float(twins.scenario_upper(k, m, Fraction(1, 20))) for k, m in cases]
    return not np.allclose([bound(k, m, 0.05) for k, m in cases], twin, rtol=1e-8)


def xi_differs(log_constant: Callable[[int], float]) -> bool:
    return any(abs(math.exp(log_constant(m)) - float(twins.xi(m))) > 1e-9 * m for m in (1, 8, 40))


def c_bound_differs(bound: Callable[[], float]) -> bool:
    return abs(bound() - 0.360433) > 5e-6


def one_side_only(gibbs: float, _tandem: float, rows: int) -> float:
    return pac_bayes.risk_upper(gibbs, pac_bayes.kl_budget(0.0, rows, gate.DELTA))


def without_entropy(risk: float, _kl: float, rows: int) -> float:
    return pac_bayes.risk_upper(risk, pac_bayes.kl_budget(0.0, rows, gate.DELTA))


def gaussian_without_entropy(risk: float, draws: int, _distance: float, scale: float, rows: int) -> float:
    return gate.gaussian_bound(risk, draws, 0.0, scale, rows)


def draws_taken_for_the_truth(risk: float, _draws: int, distance: float, scale: float, rows: int) -> float:
    return gate.gaussian_bound(risk, 10**9, distance, scale, rows)


def twice_the_tandem(_gibbs: float, tandem: float, rows: int) -> float:
    return 2.0 * pac_bayes.risk_upper(tandem, pac_bayes.kl_budget(0.0, rows, gate.DELTA))


def all_rows_counted(masks: np.ndarray, wrong: np.ndarray) -> float:
    return first_order_bound(float(wrong[masks].mean()), masks.shape[1], gate.LEVEL).value


def smallest_shipped(masks: np.ndarray, wrong: np.ndarray) -> float:
    found = gate.oob_vote_bounds(masks, wrong, np.zeros(masks.shape[1]), gate.LEVEL)
    return min(bound.value for bound in found.values())


def joint_constant_of_two() -> float:
    """The C-bound with xi(m) where two errors are estimated together."""
    from certus.guarantees.votes.vote_c_bound import largest_c

    return largest_c(0.3, 0.05, (4.0 + log_xi(1000) + math.log(20)) / 1000)


def majority_differs(exact: Callable[[int, float], float]) -> bool:
    return abs(exact(21, 0.1) - 0.174378) > 5e-7


TRAINING_MUTANTS: tuple[Mutant, ...] = (
    told_apart(
        "Campi-Garatti",
        "rows outside the support taken for held-out rows",
        BY_SIMULATION,
        fails(gate.scenario, gate.hull, 30, 400),
        lambda k, m: clopper_pearson.upper(0, m - k, gate.DELTA),
        lambda k, m: scenario_upper(k, m, gate.DELTA),
    ),
    told_apart(
        "Campi-Garatti",
        "delta not divided by the rows",
        BY_TWIN,
        scenario_differs,
        lambda k, m, delta: scenario_upper(k, m, min(0.999, delta * m)),
        scenario_upper,
    ),
    told_apart(
        "Campi-Garatti",
        "one support row forgotten",
        BY_TWIN,
        scenario_differs,
        lambda k, m, delta: scenario_upper(max(0, k - 1), m, delta),
        scenario_upper,
    ),
    told_apart(
        "sample compression",
        "choice of the rows not paid for",
        BY_SIMULATION,
        fails(gate.best_threshold, 30, 20_000),
        lambda e, m: clopper_pearson.upper(e, m - 1, gate.DELTA),
        lambda e, m: gate.compression_bound(1, e, m, gate.LEVEL, log_messages=math.log(2)).value,
    ),
    told_apart(
        "PAC-Bayes-kl",
        "relative entropy left out",
        BY_SIMULATION,
        fails(gate.gibbs_posterior, 30, 200, 400),
        without_entropy,
        lambda r, kl, m: gate.pac_bayes_kl(r, kl, m, gate.LEVEL).value,
    ),
    told_apart(
        "PAC-Bayes-kl", "2 sqrt(m) in place of xi(m)", BY_TWIN, xi_differs, lambda m: math.log(2 * math.sqrt(m)), log_xi
    ),
    told_apart(
        "PAC-Bayes, Gaussian",
        "relative entropy left out",
        BY_SIMULATION,
        fails(gate.gaussian_posterior, 40, 300),
        gaussian_without_entropy,
        gate.gaussian_bound,
    ),
    told_apart(
        "PAC-Bayes, Gaussian",
        "error of the draws not paid for",
        BY_SIMULATION,
        fails(gate.sampled_risk, 1000),
        draws_taken_for_the_truth,
        gate.gaussian_bound,
    ),
    told_apart(
        "vote, first order",
        "the factor 2 dropped",
        BY_SIMULATION,
        lambda bound: (found := gate.held_out_vote(bound))[0] > found[1],
        one_side_only,
        gate.VOTES["first order"],
    ),
    told_apart(
        "vote, tandem",
        "2 instead of 4",
        BY_SIMULATION,
        lambda bound: (found := gate.held_out_vote(bound))[0] > found[1],
        twice_the_tandem,
        gate.VOTES["tandem"],
    ),
    told_apart(
        "vote, out of bag",
        "all rows counted instead of the fewest left out",
        BY_SIMULATION,
        lambda bound: (found := gate.few_rows_out_of_bag(bound=bound))[0] > found[1],
        all_rows_counted,
        smallest_shipped,
    ),
    told_apart(
        "C-bound",
        "constant of one rate for two",
        "published value .360433",
        c_bound_differs,
        joint_constant_of_two,
        lambda: c_bound(0.2, 0.3, 1000, kl=2.0).value,
    ),
    told_apart(
        "Condorcet",
        "ties of one vote fewer counted as right",
        "published value .174378",
        majority_differs,
        lambda n, edge: condorcet(n - 2, edge).exact,
        lambda n, edge: condorcet(n, edge).exact,
    ),
)
