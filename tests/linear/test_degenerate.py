"""Every linear learner on input that breaks naive code: a right answer, or one clear error. Never NaN, never a hang."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import get_tags

from certus.base import catalogue
from certus.base.catalogue import Entry
from tests.common.problems import make

ROWS, COLUMNS = 30, 4
DISCRIMINANTS = ("LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis")
ENTRIES = [entry for entry in catalogue.entries() if entry.family == "linear" or entry.name in DISCRIMINANTS]
BY_EVIDENCE = ("ARDRegression", "BayesianRidge")
# Stochastic learners certify their gap but do not promise a small one; discriminants and the evidence have no convex
# program.
WITHOUT_SMALL_GAP = ("SGDClassifier", "SGDRegressor", "Perceptron", *DISCRIMINANTS, *BY_EVIDENCE)
# Learners that penalize the intercept, or stop at random: shifting a column changes their solution.
SHIFT_MATTERS = ("SGDClassifier", "SGDRegressor", "Perceptron", "LinearSVC", "LinearSVR")
ACCEPTED = 1e-3  # gap over the objective at zero without a warning

each_learner = pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
Data = tuple[Any, Any, Any]


def problem(entry: Entry) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, COLUMNS))
    score = X @ rng.normal(size=COLUMNS) + 0.5 * rng.normal(size=ROWS)
    tags = get_tags(entry.learner()).target_tags
    if "classification" in entry.tasks:
        y = np.digitize(score, np.quantile(score, [1 / 3, 2 / 3]))
        y[:3] = [0, 1, 2]
        return X, y
    y = np.exp(score / 2) if tags.positive_only else score
    return X, np.column_stack([y, y[::-1]]) if not tags.single_output and "MultiTask" in entry.name else y


def learner(entry: Entry) -> Any:
    """With few folds and penalties, where it searches."""
    model = make(entry)
    few = {"cv": 3, "alphas": 10} if {"cv", "eps"} <= set(model.get_params()) else {}
    return model.set_params(**few)


def first_column(X: Any, factor: float) -> Any:
    X = X.copy()
    X[:, 0] *= factor
    return X


SCENARIOS: dict[str, Callable[[Any, Any], Data]] = {
    "constant column": lambda X, y: (np.hstack([X, np.full((ROWS, 1), 7.0)]), y, None),
    "only constant columns": lambda X, y: (np.ones((ROWS, 2)), y, None),
    "zero column": lambda X, y: (first_column(X, 0.0), y, None),
    "duplicated columns": lambda X, y: (np.hstack([X, X, X[:, :1]]), y, None),
    "more columns than rows": lambda X, y: (np.random.default_rng(1).normal(size=(ROWS, 60)), y, None),
    "one row": lambda X, y: (X[:1], y[:1], None),
    "all weights zero": lambda X, y: (X, y, np.zeros(ROWS)),
    "one row with a weight": lambda X, y: (X, y, np.eye(ROWS)[0]),
    "tiny weights": lambda X, y: (X, y, np.full(ROWS, 1e-300)),
    "huge weights": lambda X, y: (X, y, np.full(ROWS, 1e300)),
    "offset 1e8": lambda X, y: (X + 1e8, y, None),
    "offset 1e15": lambda X, y: (X + 1e15, y, None),
    "columns of all scales": lambda X, y: (X * [1e-300, 1.0, 1e300, 1e150], y, None),
    "single precision, 1e-30": lambda X, y: ((X * 1e-30).astype(np.float32), y, None),
}
for factor in (1e-300, 1e-160, 1e49, 1e160, 1e300):
    SCENARIOS[f"table times {factor:g}"] = lambda X, y, factor=factor: (X * factor, y, None)
    SCENARIOS[f"one column times {factor:g}"] = lambda X, y, factor=factor: (first_column(X, factor), y, None)

TARGETS: dict[str, Callable[[Any], Any]] = {
    "constant": lambda y: np.full_like(y, 3.0),
    "zero": lambda y: 0.0 * y,
    "offset 1e10": lambda y: y + 1e10,
    **{f"times {factor:g}": lambda y, factor=factor: y * factor for factor in (1e-300, 1e-160, 1e49, 1e160, 1e300)},
}


def attempt(entry: Entry, X: Any, y: Any, weights: Any) -> Any:
    """The fitted learner, checked, or None after one clear error."""
    model = learner(entry)
    if weights is not None and "sample_weight" not in inspect.signature(model.fit).parameters:
        pytest.skip("takes no weights")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        refusal = ""
        try:
            model.fit(X, y, **({} if weights is None else {"sample_weight": weights}))
        except (ValueError, np.linalg.LinAlgError) as error:
            refusal = str(error)
        else:
            predicted = np.asarray(model.predict(X))
            assert model.report_.check()
    assert len(caught) <= 1
    assert all(issubclass(w.category, ConvergenceWarning) for w in caught)
    if refusal:  # in words of ours, not of the arithmetic
        assert len(refusal) > 40
        assert "infs or NaNs" not in refusal
        assert "got nan" not in refusal
        return None
    assert np.isfinite(np.asarray(getattr(model, "coef_", 0.0))).all()
    assert predicted.dtype.kind not in "fc" or np.isfinite(predicted).all()
    if not caught and entry.name not in WITHOUT_SMALL_GAP:
        record = model.report_["optimality gap"]
        noise = 1e-9 * len(X) * (min(float(np.abs(y).max()), 1e100) ** 2 if "regression" in entry.tasks else 1.0)
        assert record.value <= ACCEPTED * record.witness["objective_at_zero"] + noise
    return model


@each_learner
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_tables(entry: Entry, scenario: str) -> None:
    attempt(entry, *SCENARIOS[scenario](*problem(entry)))


@each_learner
@pytest.mark.parametrize("target", TARGETS)
def test_targets(entry: Entry, target: str) -> None:
    if "classification" in entry.tasks:
        pytest.skip("labels have no scale")
    X, y = problem(entry)
    attempt(entry, X, TARGETS[target](y), None)


@each_learner
def test_separable_and_single_classes(entry: Entry) -> None:
    if "classification" not in entry.tasks:
        pytest.skip("needs labels")
    X, _ = problem(entry)
    labels = (X[:, 0] > 0.0).astype(int)
    model = attempt(entry, X, labels, None)
    assert model is not None
    assert (model.predict(X) == labels).mean() >= 0.8
    if "Ridge" not in entry.name and entry.name != "LinearDiscriminantAnalysis":  # these predict the one class
        assert attempt(entry, X, np.zeros(ROWS, dtype=int), None) is None


@each_learner
@pytest.mark.parametrize("scenario", ["constant column", "zero column", "offset 1e8"])
def test_columns_without_information_change_nothing(entry: Entry, scenario: str) -> None:
    """A constant, a column of zeros, and an offset in all columns: the intercept takes care of them."""
    if entry.name in SHIFT_MATTERS or entry.name == "QuadraticDiscriminantAnalysis":
        pytest.skip("not invariant, or refuses")
    X, y = problem(entry)
    plain = X[:, 1:] if scenario == "zero column" else X
    model, twin = attempt(entry, *SCENARIOS[scenario](X, y)), learner(entry).fit(plain, y)
    found, wanted = model.predict(SCENARIOS[scenario](X, y)[0]), twin.predict(plain)
    if "classification" in entry.tasks:
        assert (found != wanted).mean() <= 0.04
    else:
        np.testing.assert_allclose(found, wanted, atol=1e-3 * np.abs(wanted).max())


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e160, 1e300])
def test_least_squares_does_not_depend_on_units(scale: float) -> None:
    from certus.linear import LinearRegression

    X, y = problem(next(entry for entry in ENTRIES if entry.name == "LinearRegression"))
    wanted = LinearRegression().fit(X, y)
    for factors in (np.full(COLUMNS, scale), np.array([scale, 1.0, 1.0, 1.0])):
        found = LinearRegression().fit(X * factors, y)
        np.testing.assert_allclose(found.coef_ * factors, wanted.coef_, rtol=1e-10)
        assert found.rank_ == COLUMNS


def test_overflow_names_the_place() -> None:
    from certus.linear import HuberRegressor, LogisticRegression

    X, y = np.ones((4, 2)), [0, 1, 0, 1]
    X[2, 1] = -1e60
    with pytest.raises(ValueError, match=r"contains -1e\+60 at row 2, column 1; .* up to 1e\+50(.|\n)*Hint"):
        LogisticRegression().fit(X, y)
    with pytest.raises(ValueError, match=r"Input y contains 1e\+60 at row 1(.|\n)*Hint"):
        HuberRegressor().fit(np.ones((4, 2)), [0.0, 1e60, 0.0, 1.0])
    with pytest.raises(ValueError, match=r"sample_weight: row 1 has 1e\+60(.|\n)*Hint"):
        LogisticRegression().fit(np.ones((4, 2)), y, [1.0, 1e60, 1.0, 1.0])


def test_folds_without_weight_are_named() -> None:
    from certus.linear import LassoCV

    X, y = np.arange(12.0).reshape(6, 2), np.arange(6.0)
    with pytest.raises(ValueError, match=r"all test rows of fold 1 have a sample_weight of 0(.|\n)*Hint"):
        LassoCV(cv=3).fit(X, y, sample_weight=[1, 1, 0, 0, 1, 1])


@pytest.mark.parametrize("solver", ["auto", "svd", "cholesky", "lsqr", "sparse_cg"])
@pytest.mark.parametrize("value", [3.0, 0.1])
def test_constant_columns_are_not_fitted_without_penalty(solver: str, value: float) -> None:
    """Centering leaves rounding errors of a constant column; no solver may take them for information."""
    from certus.linear import Ridge

    model = Ridge(0.0, solver=solver).fit(np.full((3, 1), value), [200.0, 5.0, 7.0])
    assert model.coef_.tolist() == [0.0]
    np.testing.assert_allclose(model.intercept_, 212.0 / 3.0)
