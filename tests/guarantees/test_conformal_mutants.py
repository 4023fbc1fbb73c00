"""Every plausible mistake is caught by the check that the table names, and the code as it is passes it."""

import pytest

from certus.guarantees.thresholds import risk_control
from tests.guarantees.conformal_mutants import CONFORMAL_MUTANTS


@pytest.mark.parametrize("mutant", CONFORMAL_MUTANTS, ids=lambda mutant: f"{mutant.bound}: {mutant.mistake}")
def test_mutant_is_killed_and_original_lives(mutant, monkeypatch):
    # Validity does not depend on the reason given when infeasible, and the reason takes time.
    monkeypatch.setattr(risk_control, "explain", lambda *_: ("", None))
    assert mutant.original_passes(), f"{mutant.by} rejects the code as it is"
    assert mutant.killed(), f"{mutant.by} does not catch the mistake"
