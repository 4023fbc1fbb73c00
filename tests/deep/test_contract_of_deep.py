"""What every learner of tables promises, asked of the learners that need torch; and scikit-learn's own checks."""

from __future__ import annotations

import contextlib
import inspect
import pkgutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

torch = pytest.importorskip("torch")

from sklearn.utils.estimator_checks import parametrize_with_checks

import certus
import certus.neural.deep
from certus.base import catalogue
from certus.base.catalogue import Entry
from tests.common import problems, test_bad_input, test_contract
from tests.docs import test_examples
from tests.persistence import hostile_child

ENTRIES = [entry for entry in catalogue.entries() if entry.needs == "deep" and entry.takes == "tables"]
MODULES = (test_contract, test_bad_input)
CHECKS = {
    name: check
    for module in MODULES
    for name, check in vars(module).items()
    # Sums of one row and of many differ in single precision, batches depend on the places of rows: test_torch_models.
    if name not in ("test_one_row_equals_many_rows", "test_weight_zero_removes_and_weight_two_repeats")
    and name.startswith("test_")
    and inspect.isfunction(check)
    and check.__module__ == module.__name__
}
# One value of what a check is repeated for.
ARGUMENTS: dict[str, Any] = {"form": "strided", "frame": pd.DataFrame, "value": np.nan, "word": "NaN"}


@pytest.fixture(autouse=True)
def few_epochs(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = {"max_epochs": 3, "batch_size": 32, "learning_rate": 0.01}
    for entry in ENTRIES:
        monkeypatch.setitem(problems.SETTINGS, entry.name, settings)


@pytest.mark.parametrize("name", CHECKS)
@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_contract(entry: Entry, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check: Callable[..., None] = CHECKS[name]
    known = {**ARGUMENTS, "entry": entry, "tmp_path": tmp_path, "monkeypatch": monkeypatch}
    check(**{argument: known[argument] for argument in inspect.signature(check).parameters})


@parametrize_with_checks(
    [entry.learner(max_epochs=30, learning_rate=0.05, batch_size=16, random_state=0) for entry in ENTRIES]
)
def test_scikit_learn_checks(estimator: Any, check: Any) -> None:
    entry = next(entry for entry in ENTRIES if entry.learner is type(estimator))
    if check.func.__name__ in entry.known_failures:  # sums in single precision may agree by luck
        with contextlib.suppress(AssertionError):
            check(estimator)
    else:
        check(estimator)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Initializing zero-element tensors")
@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_forged_state_does_not_crash(entry: Entry) -> None:
    assert sum(hostile_child.outcomes(entry).values()) >= 6


DEEP = [found.name for found in pkgutil.walk_packages(certus.neural.deep.__path__, "certus.neural.deep.")]


@pytest.mark.parametrize("name", ["certus.neural.deep", *DEEP])
def test_docstring_examples(name: str) -> None:
    test_examples.test_docstring_examples(name)
