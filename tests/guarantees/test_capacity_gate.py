"""Bounds for whole classes hold as often as they say, and plausible mistakes are caught."""

import pytest

from tests.guarantees import capacity_gate
from tests.guarantees.capacity_mutants import CAPACITY_MUTANTS


@pytest.mark.parametrize("case", capacity_gate.CASES)
def test_capacity_bounds_cover(case):
    wrong, most, excess = capacity_gate.CASES[case]()
    assert wrong <= most
    assert excess > 0


@pytest.mark.parametrize(("rows", "hypotheses"), [(10, 2), (30, 8), (60, 50), (200, 1000)])
def test_finite_class_bound_covers_exactly(rows, hypotheses):
    assert capacity_gate.luckiest_exactly(rows, hypotheses) <= 0.1


@pytest.mark.slow
@pytest.mark.parametrize("case", capacity_gate.SLOW_CASES)
def test_capacity_bounds_cover_in_many_samples(case):
    wrong, most, _ = capacity_gate.SLOW_CASES[case]()
    assert wrong <= most


@pytest.mark.parametrize("mutant", CAPACITY_MUTANTS, ids=lambda mutant: f"{mutant.bound}: {mutant.mistake}")
def test_mutant_is_killed_and_original_lives(mutant):
    assert mutant.original_passes(), f"{mutant.by} rejects the shipped bound"
    assert mutant.killed(), f"{mutant.by} does not catch the mistake"
