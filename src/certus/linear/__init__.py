"""Linear models: fast solvers, and for every solution a certificate of how far it can be from the best one."""

from certus.linear.elastic_net import ElasticNet
from certus.linear.lasso import Lasso
from certus.linear.linear_regression import LinearRegression
from certus.linear.logistic_regression import LogisticRegression
from certus.linear.paths import enet_path, lasso_path
from certus.linear.ridge import Ridge
from certus.linear.ridge_classifier import RidgeClassifier

__all__ = [
    "ElasticNet",
    "Lasso",
    "LinearRegression",
    "LogisticRegression",
    "Ridge",
    "RidgeClassifier",
    "enet_path",
    "lasso_path",
]
