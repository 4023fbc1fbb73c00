"""Truth gate of the vote bounds: forests on tables whose law is known, so that the error of each vote is known too."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from certus.ensemble import BaggingClassifier, RandomForestClassifier
from certus.ensemble._native_calls import forest_kernels as kernels
from certus.ensemble.forests.vote_report import count_votes, vote_report
from certus.guarantees import Report
from certus.trees import DecisionTreeClassifier

SIDE = 60  # cells per axis; rows are uniform on the cells
CELLS = np.stack(np.meshgrid(np.arange(SIDE), np.arange(SIDE)), axis=-1).reshape(-1, 2).astype(np.float64)
LEVEL = 0.05


def share_of_ones(cells: np.ndarray, noise: float) -> np.ndarray:
    """P(y = 1 | x): a step along the first axis, blurred by noise."""
    return np.where(cells[:, 0] < SIDE / 2, noise, 1.0 - noise)


def draw(random: np.random.Generator, rows: int, noise: float) -> tuple[np.ndarray, np.ndarray]:
    X = CELLS[random.integers(0, len(CELLS), rows)]
    return X, (random.random(rows) < share_of_ones(X, noise)).astype(int)


def true_error(model: RandomForestClassifier | BaggingClassifier, noise: float) -> float:
    ones = share_of_ones(CELLS, noise)
    return float(np.where(model.predict(CELLS) == 1, 1.0 - ones, ones).mean())


def judged_on_training_rows(model: RandomForestClassifier, X: np.ndarray, y: np.ndarray) -> Report:
    """The mutant: every voter is judged on the rows of its own bag."""
    table = X.astype(np.float32)
    swapped = ~model._out_of_bag(table, None)[3]
    forest = model.forest_
    errors = kernels.judge_out_of_bag(forest.compact, table, forest.value, swapped, y, 1)[2]
    return vote_report(count_votes(swapped, errors, len(y), 1), pure=True)


def violations(simulations: int, noise: float, *, mutant: bool = False) -> dict[str, int]:
    random = np.random.default_rng(3)
    found: dict[str, int] = {}
    for seed in range(simulations):
        X, y = draw(random, 400, noise)
        model = RandomForestClassifier(11, random_state=seed).fit(X, y)
        report = judged_on_training_rows(model, X, y) if mutant else model.report_
        error = true_error(model, noise)
        for certificate in report:
            name = certificate.rule
            found[name] = found.get(name, 0) + int(certificate.value < error)
    return found


def most_allowed(simulations: int) -> int:
    """More violations than this have a probability below one in a thousand if the bound keeps its level."""
    return int(stats.binom.ppf(0.999, simulations, LEVEL))


@pytest.mark.parametrize("noise", [0.1, 0.35])
def test_vote_bounds_of_forests_keep_their_level(noise: float) -> None:
    found = violations(60, noise)
    assert len(found) == 4
    assert max(found.values()) <= most_allowed(60)


def test_judging_on_training_rows_is_noticed() -> None:
    found = violations(30, 0.35, mutant=True)
    assert max(found.values()) > most_allowed(30)


@pytest.mark.slow
@pytest.mark.parametrize("noise", [0.05, 0.2, 0.4])
def test_vote_bounds_of_many_forests_keep_their_level(noise: float) -> None:
    assert max(violations(800, noise).values()) <= most_allowed(800)


def test_vote_bounds_of_bagged_trees_keep_their_level() -> None:
    random, missed = np.random.default_rng(5), 0
    for seed in range(15):
        X, y = draw(random, 300, 0.2)
        model = BaggingClassifier(DecisionTreeClassifier(), 9, random_state=seed).fit(X, y)
        missed += any(certificate.value < true_error(model, 0.2) for certificate in model.report_)
    assert missed <= most_allowed(15)


def test_few_rows_are_honestly_vacuous() -> None:
    X, y = draw(np.random.default_rng(0), 12, 0.3)
    report = RandomForestClassifier(9, random_state=0).fit(X, y).report_
    assert all(certificate.vacuous for certificate in report)
