"""scikit-learn's own estimator checks on every learner of the catalogue, found automatically."""

from __future__ import annotations

import warnings
from typing import Any

import pytest
from sklearn.base import clone
from sklearn.exceptions import SkipTestWarning
from sklearn.utils.estimator_checks import estimator_checks_generator

from certus.base import catalogue
from certus.base.catalogue import Entry
from tests.common.problems import SETTINGS, WIDER
from tests.common.unlabeled import unlabeled


def _small(entry: Entry) -> Any:
    """A learner with its defaults, but five rounds where it boosts, as in scikit-learn's own run of its checks."""
    if entry.takes == "sequences":
        return unlabeled(entry)(n_components=2, n_iter=5)
    learner = entry.learner(**SETTINGS.get(entry.name, {}))
    rounds = [name for name in ("n_estimators", "max_iter") if "Boost" in entry.name and hasattr(learner, name)]
    return learner.set_params(**dict.fromkeys(rounds, 5))


def _checks() -> list[pytest.ParameterSet]:
    found = []
    for entry in catalogue.entries():
        # Learns by acting, or from cells and labels of 0 and 1: tests of their families take the place of these checks.
        if entry.takes in ("process", "bits") or entry.needs is not None:
            continue
        with warnings.catch_warnings():
            if entry.takes != "tables":  # scikit-learn's checks are about tables, and say so
                warnings.simplefilter("ignore", SkipTestWarning)
            checks = list(
                estimator_checks_generator(
                    _small(entry), legacy=True, expected_failed_checks=entry.known_failures, mark=None
                )
            )
        for learner, check in checks:
            name = getattr(check, "func", check).__name__
            extra = ",".join(f"{key}={value}" for key, value in getattr(check, "keywords", {}).items())
            found.append(pytest.param(learner, check, name, id=f"{entry.name}-{name}({extra})"))
    return found


@pytest.mark.parametrize(("learner", "check", "name"), _checks())
@pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning",
    "ignore::sklearn.exceptions.SkipTestWarning",
    "ignore:n_components > n_samples:UserWarning",
    "ignore:Graph is not fully connected:UserWarning",
    "ignore:self.within_class_std_dev_ has at least 1 zero:UserWarning",
)
def test_scikit_learn_check(learner: Any, check: object, name: str) -> None:
    if "sample_weight" in name:  # rows of weight 0 are asked for, and may have no neighbor nearby
        learner = clone(learner).set_params(**WIDER.get(type(learner).__name__, {}))
    known = next(e.known_failures for e in catalogue.entries() if e.name == type(learner).__name__)
    if name in known:
        with pytest.raises(Exception):  # noqa: PT011  a listed failure that passes is stale
            check(learner)  # type: ignore[operator]
    else:
        check(learner)  # type: ignore[operator]
