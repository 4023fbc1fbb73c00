"""Bounds from training rows hold as often as they say, and plausible mistakes are caught."""

import pytest

from tests.guarantees import training_gate
from tests.guarantees.training_mutants import TRAINING_MUTANTS


@pytest.mark.parametrize("case", training_gate.CASES)
def test_training_bounds_cover(case):
    wrong, most, excess = training_gate.CASES[case]()
    assert wrong <= most
    assert excess > 0


@pytest.mark.slow
@pytest.mark.parametrize("case", training_gate.SLOW_CASES)
def test_training_bounds_cover_in_many_samples(case):
    wrong, most, _ = training_gate.SLOW_CASES[case]()
    assert wrong <= most


@pytest.mark.parametrize("mutant", TRAINING_MUTANTS, ids=lambda mutant: f"{mutant.bound}: {mutant.mistake}")
def test_mutant_is_killed_and_original_lives(mutant):
    assert mutant.original_passes(), f"{mutant.by} rejects the shipped bound"
    assert mutant.killed(), f"{mutant.by} does not catch the mistake"
