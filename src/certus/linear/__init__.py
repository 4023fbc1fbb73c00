"""Linear models: fast solvers, and for every solution a certificate of how far it can be from the best one."""

from certus.linear.ard_regression import ARDRegression
from certus.linear.bayesian_ridge import BayesianRidge
from certus.linear.elastic_net import ElasticNet
from certus.linear.elastic_net_cv import ElasticNetCV
from certus.linear.gamma_regressor import GammaRegressor
from certus.linear.group_lasso import GroupLasso
from certus.linear.group_lasso_classifier import GroupLassoClassifier
from certus.linear.huber_regressor import HuberRegressor
from certus.linear.lasso import Lasso
from certus.linear.lasso_cv import LassoCV
from certus.linear.linear_regression import LinearRegression
from certus.linear.linear_svc import LinearSVC
from certus.linear.linear_svr import LinearSVR
from certus.linear.logistic_regression import LogisticRegression
from certus.linear.logistic_regression_cv import LogisticRegressionCV
from certus.linear.multi_task_elastic_net import MultiTaskElasticNet
from certus.linear.multi_task_elastic_net_cv import MultiTaskElasticNetCV
from certus.linear.multi_task_lasso import MultiTaskLasso
from certus.linear.multi_task_lasso_cv import MultiTaskLassoCV
from certus.linear.paths import enet_path, lasso_path
from certus.linear.perceptron import Perceptron
from certus.linear.poisson_regressor import PoissonRegressor
from certus.linear.programs import L1HingeClassifier
from certus.linear.quantile_regressor import QuantileRegressor
from certus.linear.ridge import Ridge
from certus.linear.ridge_classifier import RidgeClassifier
from certus.linear.ridge_classifier_cv import RidgeClassifierCV
from certus.linear.ridge_cv import RidgeCV
from certus.linear.sgd_classifier import SGDClassifier
from certus.linear.sgd_regressor import SGDRegressor
from certus.linear.tweedie_regressor import TweedieRegressor

__all__ = [
    "ARDRegression",
    "BayesianRidge",
    "ElasticNet",
    "ElasticNetCV",
    "GammaRegressor",
    "GroupLasso",
    "GroupLassoClassifier",
    "HuberRegressor",
    "L1HingeClassifier",
    "Lasso",
    "LassoCV",
    "LinearRegression",
    "LinearSVC",
    "LinearSVR",
    "LogisticRegression",
    "LogisticRegressionCV",
    "MultiTaskElasticNet",
    "MultiTaskElasticNetCV",
    "MultiTaskLasso",
    "MultiTaskLassoCV",
    "Perceptron",
    "PoissonRegressor",
    "QuantileRegressor",
    "Ridge",
    "RidgeCV",
    "RidgeClassifier",
    "RidgeClassifierCV",
    "SGDClassifier",
    "SGDRegressor",
    "TweedieRegressor",
    "enet_path",
    "lasso_path",
]


def __dir__() -> list[str]:
    return __all__
