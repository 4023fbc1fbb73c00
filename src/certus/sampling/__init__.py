"""Sampling from distributions known up to a constant, with the error of each way to do it."""

from certus.evaluation import ess, mcse, rhat
from certus.sampling.bayesian_linear_regression import BayesianLinearRegression
from certus.sampling.bayesian_logistic_regression import BayesianLogisticRegression
from certus.sampling.chains import sample
from certus.sampling.diffusions import brownian_motion, euler_maruyama, langevin
from certus.sampling.discretization import (
    discretization_bias,
    sgld_gradient_variance,
    sgld_variance,
    ula_distance_bound,
    ula_variance,
)
from certus.sampling.draws import Draws
from certus.sampling.fokker_planck_equation import fokker_planck
from certus.sampling.gibbs import Gibbs
from certus.sampling.hmc import HMC
from certus.sampling.mala import MALA
from certus.sampling.metropolis import Metropolis
from certus.sampling.nuts import NUTS
from certus.sampling.sgld import SGLD
from certus.sampling.target import Target
from certus.sampling.ula import ULA

__all__ = [
    "HMC",
    "MALA",
    "NUTS",
    "SGLD",
    "ULA",
    "BayesianLinearRegression",
    "BayesianLogisticRegression",
    "Draws",
    "Gibbs",
    "Metropolis",
    "Target",
    "brownian_motion",
    "discretization_bias",
    "ess",
    "euler_maruyama",
    "fokker_planck",
    "langevin",
    "mcse",
    "rhat",
    "sample",
    "sgld_gradient_variance",
    "sgld_variance",
    "ula_distance_bound",
    "ula_variance",
]


def __dir__() -> list[str]:
    return __all__
