"""The examples in the docstrings run, and the package stays free of scikit-learn."""

import doctest
import importlib
import pkgutil
import subprocess
import sys

import pytest

import certus.guarantees

MODULES = [f"certus.guarantees.{found.name}" for found in pkgutil.iter_modules(certus.guarantees.__path__)]
VERBS = ["certus.verbs.certify", "certus.verbs.compare", "certus.verbs.plan", "certus.verbs.select"]


@pytest.mark.parametrize("name", MODULES + VERBS)
def test_examples(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_neither_scikit_learn_nor_matplotlib_is_imported():
    code = (
        "import sys, certus.guarantees, certus.verbs.certify, certus.verbs.plan, certus.verbs.select, "
        "certus.verbs.compare; print([m for m in ('sklearn', 'matplotlib', 'polars', 'scipy.stats') "
        "if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_every_rule_has_a_checker_after_importing_the_package():
    assert {"clopper-pearson", "mean-betting", "mcnemar", "shortlist", "union"} <= set(
        certus.guarantees.rules.registered()
    )
