"""scikit-learn's own estimator checks on every learner of the catalogue, found automatically."""

from __future__ import annotations

import pytest
from sklearn.utils.estimator_checks import estimator_checks_generator

from certus.base import catalogue
from tests.common.problems import SETTINGS


def _checks() -> list[pytest.ParameterSet]:
    found = []
    for entry in catalogue.entries():
        generator = estimator_checks_generator(
            entry.learner(**SETTINGS.get(entry.name, {})),
            legacy=True,
            expected_failed_checks=entry.known_failures,
            mark=None,
        )
        for learner, check in generator:
            name = getattr(check, "func", check).__name__
            extra = ",".join(f"{key}={value}" for key, value in getattr(check, "keywords", {}).items())
            found.append(pytest.param(learner, check, name, id=f"{entry.name}-{name}({extra})"))
    return found


@pytest.mark.parametrize(("learner", "check", "name"), _checks())
@pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning",
    "ignore::sklearn.exceptions.SkipTestWarning",
    "ignore:n_components > n_samples:UserWarning",
)
def test_scikit_learn_check(learner: object, check: object, name: str) -> None:
    known = next(e.known_failures for e in catalogue.entries() if e.learner is type(learner))
    if name in known:
        with pytest.raises(Exception):  # noqa: PT011  a listed failure that passes is stale
            check(learner)  # type: ignore[operator]
    else:
        check(learner)  # type: ignore[operator]
