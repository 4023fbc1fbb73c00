"""Densities of the classes, as arrays: fitted, evaluated, drawn from."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.distributions import (
    ConjugateModel,
    DirichletMultinomial,
    Moments,
    MultivariateGaussian,
    MultivariateGaussianModel,
    MultivariateT,
)

Floats = NDArray[np.float64]
Parameters = dict[str, Any]
NAMES = ("gaussian", "shared_gaussian", "diagonal_gaussian", "multinomial")
ESTIMATIONS = ("ml", "map", "predictive")
_LEAST = 1e-9  # share of the pooled variance added to every variance


def fit_named(name: str, estimation: str, groups: list[tuple[Floats, Floats]]) -> Parameters:
    """The parameters of every class from its rows and their weights."""
    if name == "multinomial":
        return _multinomial(estimation, groups)
    moments = [Moments.of(rows, weights) for rows, weights in groups]
    if name != "gaussian" and estimation != "ml":
        raise ValueError(f"estimation must be 'ml' for density={name!r}, got {estimation!r}.")
    whole = moments[0]
    for each in moments[1:]:
        whole = whole + each
    spread = np.diag(whole.covariance).mean()
    ridge = np.eye(len(whole.mean)) * _LEAST * (spread if spread > 0 else 1.0)
    if name == "gaussian" and estimation != "ml":
        return _bayesian_gaussian(estimation, moments, whole.mean, whole.covariance + ridge * 1e3)
    means = np.array([each.mean for each in moments])
    if name == "shared_gaussian":
        within = sum((each.scatter for each in moments), np.zeros_like(ridge)) / whole.weight
        return {"mean": means, "covariance": np.array([within + ridge] * len(moments))}
    covariances = [each.covariance + ridge for each in moments]
    if name == "diagonal_gaussian":
        covariances = [np.diag(np.diag(each)) for each in covariances]
    return {"mean": means, "covariance": np.array(covariances)}


def _bayesian_gaussian(estimation: str, moments: list[Moments], mean: Floats, covariance: Floats) -> Parameters:
    """Under a normal-inverse-Wishart prior worth one row with the mean and covariance of all classes together."""
    dim = len(mean)
    prior = MultivariateGaussianModel(mean, 1.0, dim + 2.0, covariance)
    models = [prior._after(each) for each in moments]
    if estimation == "map":
        found = [model.map for model in models]
        return {"mean": np.array([f.mean for f in found]), "covariance": np.array([f.covariance for f in found])}
    predictives = [model.predictive for model in models]
    return {
        "df": np.array([each.df for each in predictives]),
        "mean": np.array([each.mean for each in predictives]),
        "scale": np.array([each.scale for each in predictives]),
    }


def _multinomial(estimation: str, groups: list[tuple[Floats, Floats]]) -> Parameters:
    """Word distributions: shares, the mode under Dirichlet(2) (Laplace's rule), or Dirichlet-multinomial
    predictives.
    """
    for rows, _ in groups:
        if (rows < 0).any() or (rows != np.floor(rows)).any():
            raise ValueError("Negative values in data passed to BayesClassifier: density='multinomial' needs counts.")
    counts = np.array([weights @ rows for rows, weights in groups])
    if estimation == "predictive":
        return {"alpha": counts + 1.0}
    smoothed = counts if estimation == "ml" else counts + 1.0
    with np.errstate(divide="ignore"):
        return {"log_theta": np.log(smoothed) - np.log(smoothed.sum(axis=1, keepdims=True))}


def log_densities(parameters: Parameters, X: Floats) -> Floats:
    """The log-density of every class at every row; of counts up to a term that all classes share."""
    if "log_theta" in parameters:
        table = parameters["log_theta"]
        never = np.isneginf(table)
        scores = X @ np.where(never, 0.0, table).T
        return np.where(X @ never.T > 0, -np.inf, scores)
    if "alpha" in parameters:
        columns = [
            [DirichletMultinomial(int(row.sum()), alpha).log_density(row) if row.sum() else 0.0 for row in X]
            for alpha in parameters["alpha"]
        ]
        return np.array(columns).T
    return np.column_stack([law.log_density(X) for law in laws(parameters)])


def laws(parameters: Parameters) -> list[Any]:
    """The distributions of the classes as objects."""
    if "df" in parameters:
        parts = zip(parameters["df"], parameters["mean"], parameters["scale"], strict=True)
        return [MultivariateT(df, mean, scale) for df, mean, scale in parts]
    pairs = zip(parameters["mean"], parameters["covariance"], strict=True)
    return [MultivariateGaussian(mean, covariance) for mean, covariance in pairs]


def fit_model(prior: ConjugateModel, estimation: str, groups: list[tuple[Floats, Floats]]) -> list[Any]:
    """The distribution of every class that follows from a prior model and the rows of the class."""
    found = []
    for rows, weights in groups:
        table = _as_rows_of(prior, rows)
        model = prior.update(table, weights)
        found.append({"ml": lambda m: m.ml, "map": lambda m: m.map}.get(estimation, lambda m: m.predictive)(model))
    return found


def _as_rows_of(prior: ConjugateModel, rows: Floats) -> Any:
    """A table, or its single column if the model is one of numbers."""
    if type(prior).__name__.startswith(("Multivariate", "Multinomial")):
        return rows
    if rows.shape[1] != 1:
        raise ValueError(
            f"density={type(prior).__name__} must be used with one column, got {rows.shape[1]}.\n"
            "Hint: a Multivariate… model for several columns, or MixedNB for independent ones."
        )
    return rows[:, 0]


def model_log_densities(found: list[Any], prior: ConjugateModel, X: Floats) -> Floats:
    """The log-density of every class at every row, for distributions from a prior model."""
    rows = _as_rows_of(prior, X)
    if type(prior).__name__ == "CategoricalModel":
        rows = rows.astype(np.int64)
    return np.column_stack([law.log_density(rows) for law in found])
