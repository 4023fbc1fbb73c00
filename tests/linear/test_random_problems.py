"""Every linear learner on random problems: certificates hold, storage changes nothing, weights are repetitions.

A few problems by default, thousands in the slow run.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

from certus.base import catalogue
from certus.base.catalogue import Entry
from tests.common.problems import make, outputs

ENTRIES = [entry for entry in catalogue.entries() if entry.family == "linear"]
each_learner = pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
FINE = {"tol": 1e-10, "gap_tol": 1e-10, "max_iter": 20_000}
# Their result is what their steps reach: with another order, and on sparse tables another step of the intercept.
IN_ROW_ORDER = ("Perceptron", "SGDClassifier", "SGDRegressor")
FEW, MANY = 3, 60


def learner_for(entry: Entry) -> Any:
    """With the accuracy that makes results comparable."""
    model = make(entry)
    if entry.name in IN_ROW_ORDER:
        return model
    offered = model.get_params()
    return model.set_params(**{name: value for name, value in FINE.items() if name in offered})


def random_problem(entry: Entry, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A table with zeros, a target that suits the learner, and whole weights."""
    rng = np.random.default_rng(seed)
    rows, columns = int(rng.integers(30, 60)), int(rng.integers(1, 6))
    X = rng.normal(size=(rows, columns)) * (rng.random((rows, columns)) < 0.7)
    score = X @ rng.normal(size=columns) + rng.normal(size=rows)
    tags = get_tags(make(entry))
    counts = rng.integers(0, 3, size=rows)
    if "classification" in entry.tasks:
        y = (score > np.median(score)).astype(int)
    elif tags.target_tags.positive_only:
        y = np.exp(np.clip(score, -2, 2))
    else:
        y = score
    if not tags.target_tags.single_output:
        y = np.column_stack([y, score[::-1]])
    return X, y, counts


def fitted(entry: Entry, X: Any, y: Any, weights: Any = None) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # so fine a tolerance may be out of reach; the gap tells
        model = learner_for(entry)
        return model.fit(X, y) if weights is None else model.fit(X, y, sample_weight=weights)


def assert_same_answers(one: Any, other: Any, X: np.ndarray) -> None:
    for ours, theirs in zip(outputs(one, X)[-1:], outputs(other, X)[-1:], strict=True):
        np.testing.assert_allclose(ours, theirs, atol=2e-4 * (1.0 + np.abs(theirs).max()))


def check_problem(entry: Entry, seed: int) -> None:
    X, y, counts = random_problem(entry, seed)
    model = fitted(entry, X, y)
    assert model.report_.check()
    if entry.name in IN_ROW_ORDER:
        return
    if get_tags(model).input_tags.sparse:
        for form in (sparse.csr_array, sparse.csc_array):
            assert_same_answers(fitted(entry, form(X), y), model, X)
    if not has_fit_parameter(entry.learner, "sample_weight") or "cv" in model.get_params():
        return
    repeated = fitted(entry, np.repeat(X, counts, axis=0), np.repeat(y, counts, axis=0))
    assert_same_answers(fitted(entry, X, y, counts.astype(float)), repeated, X)


@each_learner
def test_a_few_problems(entry: Entry) -> None:
    for seed in range(FEW):
        check_problem(entry, seed)


@pytest.mark.slow
@each_learner
def test_many_problems(entry: Entry) -> None:
    for seed in range(FEW, FEW + MANY):
        check_problem(entry, seed)
