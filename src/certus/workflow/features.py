"""Step 3, the features: turning columns into numbers, learned on training rows only, saved inside the model."""

from __future__ import annotations

from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from certus.workflow.data import Columns

LARGEST_CATEGORY_COUNT = 50


def encoder(columns: Columns, *, scale: bool) -> ColumnTransformer:
    """Missing numbers become the median (with a column that says so), categories become 0/1 columns.

    ``scale`` brings numbers to mean 0 and variance 1, for learners that compare distances or penalise
    coefficients.
    """
    number_steps = [("fill", SimpleImputer(strategy="median", add_indicator=True))]
    if scale:
        number_steps.append(("scale", StandardScaler()))
    one_hot = OneHotEncoder(
        handle_unknown="infrequent_if_exist", max_categories=LARGEST_CATEGORY_COUNT, sparse_output=False
    )
    return ColumnTransformer(
        [("numbers", Pipeline(number_steps), columns.numbers), ("categories", one_hot, columns.categories)],
        verbose_feature_names_out=False,
    )
