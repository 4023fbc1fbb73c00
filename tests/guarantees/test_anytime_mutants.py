"""Every plausible mistake in what holds at every look is caught, and what is shipped passes."""

import pytest

from tests.guarantees.anytime_mutants import ANYTIME_MUTANTS


@pytest.mark.parametrize("mutant", ANYTIME_MUTANTS, ids=lambda mutant: f"{mutant.bound}: {mutant.mistake}")
def test_mutant_is_killed_and_original_lives(mutant):
    assert mutant.original_passes(), f"{mutant.by} rejects what is shipped"
    assert mutant.killed(), f"{mutant.by} does not catch the mistake"
