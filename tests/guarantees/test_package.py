"""The package stays free of scikit-learn, and its rules are registered on import."""

import subprocess
import sys

import certus.guarantees


def test_neither_scikit_learn_nor_matplotlib_is_imported():
    code = (
        "import sys, certus.guarantees, certus.guarantees.holdout, certus.verbs.planning, certus.verbs.selecting, "
        "certus.verbs.comparing; print([m for m in ('sklearn', 'matplotlib', 'polars', 'scipy.stats') "
        "if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_every_rule_has_a_checker_after_importing_the_package():
    assert {"clopper-pearson", "mean-betting", "mcnemar", "shortlist", "union"} <= set(
        certus.guarantees.records.rules.registered()
    )
