"""Every learner with a namesake in scikit-learn, in every regime: on unseen rows it is as good as the namesake.

Learners are found by the catalogue, namesakes by their name, so that a new family is tried by itself. One problem tells
in most cases; where ours is worse there, more problems tell whether that is noise. What remains is in `KNOWN`, and in
the documentation with its reason.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC
from sklearn.utils import all_estimators
from sklearn.utils.validation import has_fit_parameter

from certus.base import Learner, catalogue
from certus.base.catalogue import Entry
from tests.common.problems import make
from tests.differential.known import KNOWN
from tests.differential.problems import REGIMES, Problem, loss, problem_in
from tests.differential.settings import Settings, settings_of

NAMESAKES = dict(all_estimators())
AROUND = {"OneVsRestSVC": (OneVsRestClassifier, SVC)}  # what scikit-learn says in two learners, the parameters inside
# Regimes are those of tables; the terms that the others find are compared with the namesakes' where they are tested.
_PLACES = "places the rows of training; its tests compare stress or eigenvectors"
_RANDOM = "draws its matrix; its tests compare distances"
NOT_JUDGED = {
    **dict.fromkeys(("ClassicalMDS", "MDS", "SpectralEmbedding"), _PLACES),
    **dict.fromkeys(("GaussianRandomProjection", "SparseRandomProjection"), _RANDOM),
    **dict.fromkeys(("PassiveAggressiveClassifier", "PassiveAggressiveRegressor"), "one pass, the namesake makes many"),
    "BernoulliRBM": "draws its chains; its tests compare likelihoods",
    "KernelDensity": "sums that its tests compare row by row",
    "PLSSVD": "pairs of directions that its tests compare",
}
COMPARED = [
    entry
    for entry in catalogue.entries()
    if entry.name in {*NAMESAKES, *AROUND} and entry.takes == "tables" and entry.name not in NOT_JUDGED
]
MORE = 6  # problems that are looked at when the first one looks worse
SLACK = 0.02  # share by which a loss may be worse, of 1 for errors and of the best constant's error for numbers
NOISE = 3.0  # standard errors
PAGE = Path(__file__).parents[2] / "docs" / "differential.md"


def fitted(model: Any, problem: Problem) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of iterations that did not suffice; the predictions tell
        if problem.weights is None:
            return model.fit(problem.X, problem.y)
        return model.fit(problem.X, problem.y, sample_weight=problem.weights)


def namesake(entry: Entry, settings: Settings) -> Any:
    """Scikit-learn's learner with the parameters that ours has and it knows."""
    outer, kind = AROUND.get(entry.name) or (None, NAMESAKES[entry.name])
    known = inspect.signature(kind).parameters
    given = make(entry).set_params(**settings).get_params(deep=False)
    if given.get("max_iter") == -1:
        given["max_iter"] = 100_000  # without a limit LIBSVM may never end
    model = kind(**{name: _as_theirs(value) for name, value in given.items() if name in known})
    return model if outer is None else outer(model)


def _as_theirs(value: Any) -> Any:
    """A learner among the parameters becomes its namesake."""
    name = type(value).__name__
    if not (isinstance(value, Learner) and name in NAMESAKES):
        return value
    known = inspect.signature(NAMESAKES[name]).parameters
    return NAMESAKES[name](**{key: given for key, given in value.get_params(deep=False).items() if key in known})


def judged(entry: Entry, settings: Settings, regime: str, seed: int) -> tuple[float, float]:
    """The losses of ours and of the namesake; NaN where the latter cannot tell."""
    ours = make(entry).set_params(**settings)
    problem = problem_in(regime, entry, ours, seed)
    try:
        peer = fitted(namesake(entry, settings), problem)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = loss(entry, peer, problem, regime)
    except (ValueError, ArithmeticError, np.linalg.LinAlgError, RuntimeError, TypeError, MemoryError):
        theirs = np.nan
    if not np.isfinite(theirs):
        return np.nan, np.nan
    try:
        return loss(entry, fitted(ours, problem), problem, regime), theirs
    except ValueError as error:
        if "Hint:" in str(error) and theirs >= 0.9:  # refused, where the namesake learned nothing either
            return np.nan, np.nan
        raise


def worse_by(entry: Entry, settings: Settings, regime: str) -> float:
    """By how much ours is worse in the mean over problems, beyond noise; 0 if it is not."""
    differences = []
    for seed in range(MORE):
        ours, theirs = judged(entry, settings, regime, seed)
        differences.append(ours - theirs if np.isfinite(theirs) else 0.0)
        if np.isfinite(theirs) and not np.isfinite(ours):
            return np.inf
        if seed == 0 and not differences[0] > SLACK:
            return 0.0
    mean, error = float(np.mean(differences)), float(np.std(differences, ddof=1)) / np.sqrt(MORE)
    return mean if mean > SLACK + NOISE * error else 0.0


def takes(entry: Entry, regime: str) -> bool:
    """Whether the regime concerns the learner."""
    if regime.startswith("weights"):
        theirs = AROUND[entry.name][0] if entry.name in AROUND else NAMESAKES[entry.name]
        return all(has_fit_parameter(kind, "sample_weight") for kind in (entry.learner, theirs))
    labels = regime in ("rare classes", "100 classes", "2 % positives")
    return "classification" in entry.tasks if labels else True


def tried(entry: Entry) -> Iterator[tuple[Settings, str]]:
    """All regimes with the first settings, and a third of them in turn with the others."""
    for number, settings in enumerate(settings_of(entry.name)):
        for place, regime in enumerate(REGIMES):
            in_turn = number == 0 or (number + place) % 3 == 0
            if in_turn and takes(entry, regime) and (entry.name, regime) not in KNOWN:
                yield settings, regime


@pytest.mark.slow
@pytest.mark.parametrize("entry", COMPARED, ids=lambda entry: entry.path)
def test_is_judged_at_all(entry: Entry) -> None:
    """A learner that the namesake refuses, or that no number judges, would be skipped in silence."""
    ours, theirs = judged(entry, settings_of(entry.name)[0], "plain", 0)
    assert np.isfinite(ours)
    assert np.isfinite(theirs)


@pytest.mark.slow
@pytest.mark.parametrize("entry", COMPARED, ids=lambda entry: entry.path)
def test_as_good_as_the_namesake_on_unseen_rows(entry: Entry) -> None:
    found = {}
    for settings, regime in tried(entry):
        by = worse_by(entry, settings, regime)
        if by > 0.0:
            found[str(settings), regime] = round(by, 3)
    assert not found


def test_what_is_known_is_documented() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for (learner, regime), reason in KNOWN.items():
        assert f"| `{learner}` | {regime} | {reason} |" in page
