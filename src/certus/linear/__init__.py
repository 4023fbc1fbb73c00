"""Linear models: fast solvers, and for every solution a certificate of how far it can be from the best one."""

from certus.linear.gamma_regressor import GammaRegressor
from certus.linear.huber_regressor import HuberRegressor
from certus.linear.linear_regression import LinearRegression
from certus.linear.logistic_regression import LogisticRegression
from certus.linear.logistic_regression_cv import LogisticRegressionCV
from certus.linear.poisson_regressor import PoissonRegressor
from certus.linear.quantile_regressor import QuantileRegressor
from certus.linear.ridge import Ridge
from certus.linear.ridge_classifier import RidgeClassifier
from certus.linear.ridge_classifier_cv import RidgeClassifierCV
from certus.linear.ridge_cv import RidgeCV

__all__ = [
    "GammaRegressor",
    "HuberRegressor",
    "LinearRegression",
    "LogisticRegression",
    "LogisticRegressionCV",
    "PoissonRegressor",
    "QuantileRegressor",
    "Ridge",
    "RidgeCV",
    "RidgeClassifier",
    "RidgeClassifierCV",
]
