"""Every learner that certifies a gap, in every regime: the certificates that it writes hold on its own training rows.

A gap that is smaller than the true one is refuted by a better solution or a dual point of the second route, which
centers columns and sums up in extended precision. Learners are found by the catalogue.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

from certus.base import catalogue
from certus.base.catalogue import Entry
from tests.common.problems import make
from tests.differential.regimes import COLUMNS, WEIGHTS
from tests.differential.settings import Settings, settings_of

CERTIFIED = [entry for entry in catalogue.entries() if any("gap" in text for text in entry.guarantees)]
SHAPES = [(40, 4), (12, 20), (16, 16)]


def target(entry: Entry, model: Any, rng: np.random.Generator, X: np.ndarray, classes: int) -> np.ndarray:
    """Labels or numbers that suit the learner."""
    score = X @ rng.normal(size=X.shape[1]) / np.sqrt(X.shape[1]) + 0.5 * rng.normal(size=len(X))
    tags = get_tags(model).target_tags
    if "classification" in entry.tasks:
        return np.digitize(score, np.quantile(score, np.arange(1, classes) / classes))
    y = np.exp(np.clip(score, -3.0, 3.0)) if tags.positive_only or "power" in model.get_params() else score
    return y if tags.single_output else np.column_stack([y, y[::-1]])


def training_rows(model: Any, entry: Entry, X: np.ndarray) -> Any:
    """What certificates are checked with: machines in a space of functions take the matrix of kernel values."""
    return model._matrix(X) if entry.family == "kernels" else X


def check_one(entry: Entry, settings: Settings, regime: str, number: int) -> None:
    rng = np.random.default_rng(number)
    plain = rng.normal(size=SHAPES[number % len(SHAPES)])
    model = make(entry).set_params(**settings)
    y = target(entry, model, rng, plain, 2 + number % 2)
    X = COLUMNS[regime](rng, plain)
    weights = None
    if has_fit_parameter(entry.learner, "sample_weight") and entry.name != "NuSVC":
        weights = list(WEIGHTS.values())[number % len(WEIGHTS)](rng, len(X))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of iterations that did not suffice: the gap says by how much
        try:
            model = model.fit(X, y) if weights is None else model.fit(X, y, sample_weight=weights)
        except ValueError as error:
            if "Hint:" in str(error):  # a table may be refused
                return
            raise
    assert model.report_.check((training_rows(model, entry, X), y, weights)), (settings, regime, number)


@pytest.mark.slow
@pytest.mark.parametrize("entry", CERTIFIED, ids=lambda entry: entry.name)
def test_what_is_certified_holds_in_every_regime(entry: Entry) -> None:
    number = 0
    for settings in settings_of(entry.name):
        for regime in COLUMNS:
            check_one(entry, settings, regime, number)
            number += 1
