"""The parts of scikit-learn that may be in a file, each with the fitted attributes that make it up.

The lists name scikit-learn's inner attributes, so a file that holds such parts says which scikit-learn wrote
them and is read by the same minor release only. `MissingIndicator` and `FunctionTransformer` are in the table
because `SimpleImputer` and `ColumnTransformer` hold them (the latter for "passthrough", without a function).
"""

from __future__ import annotations

import importlib

import sklearn

from certus.guarantees.records import CertusFileError

_ENCODER = ("categories_", "_infrequent_enabled", "_infrequent_indices", "_default_to_infrequent_mappings")

FOREIGN_STATE: dict[str, tuple[str, ...]] = {
    "sklearn.pipeline.Pipeline": (),
    "sklearn.pipeline.FeatureUnion": (),
    "sklearn.compose.ColumnTransformer": (
        "transformers_",
        "sparse_output_",
        "output_indices_",
        "_columns",
        "_remainder",
        "_transformer_to_input_indices",
        "_transformers_feature_names_out",
    ),
    "sklearn.preprocessing.StandardScaler": ("n_samples_seen_", "mean_", "var_", "scale_"),
    "sklearn.preprocessing.MinMaxScaler": (
        "n_samples_seen_",
        "scale_",
        "min_",
        "data_min_",
        "data_max_",
        "data_range_",
    ),
    "sklearn.preprocessing.MaxAbsScaler": ("n_samples_seen_", "scale_", "max_abs_"),
    "sklearn.preprocessing.RobustScaler": ("center_", "scale_"),
    "sklearn.preprocessing.QuantileTransformer": ("n_quantiles_", "quantiles_", "references_"),
    "sklearn.decomposition.PCA": (
        "components_",
        "explained_variance_",
        "explained_variance_ratio_",
        "mean_",
        "n_components_",
        "n_samples_",
        "noise_variance_",
        "singular_values_",
        "_fit_svd_solver",
    ),
    "sklearn.impute.SimpleImputer": ("statistics_", "indicator_", "_fit_dtype", "_fill_dtype"),
    "sklearn.impute.MissingIndicator": ("features_", "_n_features", "_precomputed"),
    "sklearn.preprocessing.OneHotEncoder": (
        *_ENCODER,
        "drop_idx_",
        "_drop_idx_after_grouping",
        "_n_features_outs",
    ),
    "sklearn.preprocessing.OrdinalEncoder": (*_ENCODER, "_missing_indices"),
    "sklearn.preprocessing.PolynomialFeatures": (
        "n_output_features_",
        "_min_degree",
        "_max_degree",
        "_n_out_full",
    ),
    "sklearn.preprocessing.FunctionTransformer": (),
}

# Set anew by every transform, and needed only for transformers that cannot name their columns; ours all can.
FOREIGN_CACHES = {"sklearn.pipeline.FeatureUnion": {"_transformers_feature_names_out"}}


def find_foreign(path: str) -> type | None:
    """The scikit-learn class of the table with this import path, or None."""
    if path not in FOREIGN_STATE:
        return None
    module, name = path.rsplit(".", 1)
    found: type = getattr(importlib.import_module(module), name)
    return found


def foreign_path(kind: type) -> str | None:
    """The import path of a scikit-learn class of the table, or None."""
    if kind.__module__.split(".")[0] != "sklearn":
        return None
    named = [path for path in FOREIGN_STATE if path.rsplit(".", 1)[1] == kind.__name__]
    return next((path for path in named if find_foreign(path) is kind), None)


def check_foreign_version(written: object) -> None:
    """Refuse parts of scikit-learn that another minor release wrote."""
    here = sklearn.__version__
    if not isinstance(written, str) or written.split(".")[:2] != here.split(".")[:2]:
        raise CertusFileError(
            f"the file holds parts of scikit-learn {written}, but scikit-learn {here} is installed.\n"
            f"Hint: install scikit-learn {written} to load it, or train and save the model again."
        )
