"""Warnings point at the user's line, also through scikit-learn's wrappers and searches."""

import warnings

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV

from certus.base import warn_user
from certus.bayes import LinearDiscriminantAnalysis
from certus.cluster import KMeans

X = np.random.default_rng(0).normal(size=(40, 2))
y = np.arange(40) % 2


def test_a_warning_names_the_file_of_the_caller():
    with pytest.warns(UserWarning, match="careful") as caught:
        warn_user("careful")
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    "fit",
    [
        lambda: LinearDiscriminantAnalysis(priors=[0.2, 0.3]).fit(X, y),
        lambda: KMeans(1, algorithm="elkan", n_init=1).fit(X),
        lambda: GridSearchCV(LinearDiscriminantAnalysis(), {"priors": [[0.2, 0.3]]}).fit(X, y),
    ],
    ids=["fit", "deep", "search"],
)
def test_warnings_of_learners_name_the_users_file(fit):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fit()
    assert caught
    assert {each.filename for each in caught} == {__file__}
