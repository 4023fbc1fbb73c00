"""Bad input gets one clear error that names the place, what was allowed and what came."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

from certus.base.catalogue import Entry
from tests.common.problems import answer, learners, make, problem

NEEDS_TWO_CLASSES = {
    "BayesianLogisticRegression",
    "GradientBoostingClassifier",
    "GroupLassoClassifier",
    "L1HingeClassifier",
    "KernelLogistic",
    "KernelMachineClassifier",
    "KernelPerceptron",
    "LinearSVC",
    "LogisticRegression",
    "LogisticRegressionCV",
    "MultiOutputClassifier",
    "NearestCentroid",
    "NuSVC",
    "OneVsRestSVC",
    "Perceptron",
    "QuadraticDiscriminantAnalysis",
    "SGDClassifier",
    "SVC",
}
# Binned columns only have an order, in which infinity is the largest value; HDBSCAN gives rows without a place labels
# of their own; as in scikit-learn.
ACCEPTS_INFINITY = {"HDBSCAN", "HistGradientBoostingClassifier", "HistGradientBoostingRegressor"}

every_learner = pytest.mark.parametrize("entry", learners())


def allows_nan(entry: Entry) -> bool:
    return entry.learner().__sklearn_tags__().input_tags.allow_nan


@every_learner
@pytest.mark.parametrize(("value", "word"), [(np.nan, "NaN"), (np.inf, "infinity"), (-np.inf, "infinity")])
def test_non_finite_values_name_row_and_column(entry: Entry, value: float, word: str) -> None:
    if np.isnan(value) and allows_nan(entry):
        pytest.skip("accepts missing values")
    if np.isinf(value) and entry.name in ACCEPTS_INFINITY:
        pytest.skip("accepts infinite values")
    X, y = problem(entry)
    broken = X.copy()
    broken[17, 3] = value
    with pytest.raises(ValueError, match=f"Input X contains {word}.*row 17, column 3"):
        make(entry).fit(broken, y)
    model = make(entry).fit(X, y)
    with pytest.raises(ValueError, match=f"Input X contains {word}.*row 17, column 3"):
        answer(model, broken)


@every_learner
def test_non_finite_values_name_the_frames_column(entry: Entry) -> None:
    if entry.name in ACCEPTS_INFINITY:
        pytest.skip("accepts infinite values")
    X, y = problem(entry)
    frame = pd.DataFrame(X, columns=["a", "b", "c", "age", "e"])
    frame.loc[5, "age"] = np.inf
    with pytest.raises(ValueError, match=r"row 5, column 3 \('age'\)"):
        make(entry).fit(frame, y)


@every_learner
def test_wrong_width(entry: Entry) -> None:
    X, y = problem(entry)
    model = make(entry).fit(X, y)
    with pytest.raises(ValueError, match=f"X has 4 features, but {entry.name} is expecting 5 features"):
        answer(model, X[:, :4])


@every_learner
def test_empty_table(entry: Entry) -> None:
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        make(entry).fit(np.empty((0, 3)), np.empty(0))
    with pytest.raises(ValueError, match=r"0 feature\(s\)"):
        make(entry).fit(np.empty((4, 0)), np.array([0, 1, 0, 1]))


@every_learner
def test_text_in_a_numeric_column(entry: Entry) -> None:
    if entry.learner().__sklearn_tags__().input_tags.string:
        pytest.skip("takes words")
    X, y = problem(entry)
    frame = pd.DataFrame(X, columns=list("abcde")).astype(object)
    frame.loc[4, "c"] = "lots"
    with pytest.raises(ValueError, match=r"could not convert string to float.*(\n.*)*Column 'c' holds 'lots' at row 4"):
        make(entry).fit(frame, y)


@every_learner
def test_weights_that_cannot_be(entry: Entry) -> None:
    if not has_fit_parameter(entry.learner, "sample_weight"):
        pytest.skip("takes no weights, as its scikit-learn namesake")
    X, y = problem(entry)
    weights = np.ones(len(y))
    negative = weights.copy()
    negative[7] = -0.5
    if entry.name != "DBSCAN":  # there a negative weight keeps its neighbors from being core rows
        with pytest.raises(ValueError, match=r"Negative values.*sample_weight.*row 7 has -0\.5"):
            make(entry).fit(X, y, sample_weight=negative)
    with pytest.raises(ValueError, match="sample_weight"):
        make(entry).fit(X, y, sample_weight=weights[:-1])
    with pytest.raises(ValueError, match=r"(?i)sample.weights? must contain at least one non-zero"):
        make(entry).fit(X, y, sample_weight=np.zeros(len(y)))


@every_learner
def test_lengths_that_differ(entry: Entry) -> None:
    if not get_tags(make(entry)).target_tags.required:
        pytest.skip("looks at no target")
    X, y = problem(entry)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        make(entry).fit(X, y[:-1])


@every_learner
def test_parameters_out_of_range_name_the_parameter(entry: Entry) -> None:
    X, y = problem(entry)
    for name in make(entry)._constraints:
        with pytest.raises((ValueError, TypeError), match=f"'{name}' parameter of {entry.name}"):
            make(entry).set_params(**{name: object()}).fit(X, y)


@every_learner
def test_one_class_only(entry: Entry) -> None:
    if "classification" not in entry.tasks:
        pytest.skip("a classifier's matter")
    X, y = problem(entry)
    only = np.full(y.shape, "same")
    if entry.name in NEEDS_TWO_CLASSES:
        with pytest.raises(ValueError, match=r"one class.*same"):
            make(entry).fit(X, only)
    else:
        assert set(make(entry).fit(X, only).predict(X)) == {"same"}
