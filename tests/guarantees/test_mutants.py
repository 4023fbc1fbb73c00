"""Every plausible mistake is caught by the check that the table names, and the shipped bound passes it."""

import pytest

from tests.guarantees.mutants import MUTANTS


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: f"{mutant.bound}: {mutant.mistake}")
def test_mutant_is_killed_and_original_lives(mutant):
    assert mutant.original_passes(), f"{mutant.by} rejects the shipped bound"
    assert mutant.killed(), f"{mutant.by} does not catch the mistake"
