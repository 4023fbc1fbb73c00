"""Distributions, conjugate models, tables of finite variables, and information: what several families share."""

from certus.distributions.bernoulli_distribution import Bernoulli
from certus.distributions.beta_binomial_distribution import BetaBinomial
from certus.distributions.beta_distribution import Beta
from certus.distributions.binomial_distribution import Binomial
from certus.distributions.categorical_distribution import Categorical
from certus.distributions.codes import code_lengths, huffman_code
from certus.distributions.conjugate.bernoulli_model import BernoulliModel
from certus.distributions.conjugate.binomial_model import BinomialModel
from certus.distributions.conjugate.categorical_model import CategoricalModel
from certus.distributions.conjugate.conjugate_model import ConjugateModel
from certus.distributions.conjugate.exponential_model import ExponentialModel
from certus.distributions.conjugate.gaussian_mean_model import GaussianMeanModel
from certus.distributions.conjugate.gaussian_model import GaussianModel
from certus.distributions.conjugate.multinomial_model import MultinomialModel
from certus.distributions.conjugate.multivariate_gaussian_model import MultivariateGaussianModel
from certus.distributions.conjugate.multivariate_mean_model import MultivariateMeanModel
from certus.distributions.conjugate.poisson_model import PoissonModel
from certus.distributions.dirichlet_distribution import Dirichlet
from certus.distributions.dirichlet_multinomial_distribution import DirichletMultinomial
from certus.distributions.distribution import Distribution
from certus.distributions.estimation.maximum_likelihood import Estimate, maximum_a_posteriori, maximum_likelihood
from certus.distributions.estimation.statistics import Moments, Sums
from certus.distributions.exponential_distribution import Exponential
from certus.distributions.factor import Factor, bayes_rule
from certus.distributions.gamma_distribution import Gamma
from certus.distributions.gaussian_distribution import Gaussian
from certus.distributions.information import (
    conditional_entropy,
    cross_entropy,
    entropy,
    kl_divergence,
    mutual_information,
)
from certus.distributions.inverse_gamma_distribution import InverseGamma
from certus.distributions.inverse_wishart_distribution import InverseWishart
from certus.distributions.laplace_distribution import Laplace
from certus.distributions.lomax_distribution import Lomax
from certus.distributions.multinomial_distribution import Multinomial
from certus.distributions.multivariate_gaussian_distribution import MultivariateGaussian
from certus.distributions.multivariate_t_distribution import MultivariateT
from certus.distributions.negative_binomial_distribution import NegativeBinomial
from certus.distributions.normal_inverse_gamma_distribution import NormalInverseGamma
from certus.distributions.normal_inverse_wishart_distribution import NormalInverseWishart
from certus.distributions.poisson_distribution import Poisson
from certus.distributions.student_t_distribution import StudentT

__all__ = [
    "Bernoulli",
    "BernoulliModel",
    "Beta",
    "BetaBinomial",
    "Binomial",
    "BinomialModel",
    "Categorical",
    "CategoricalModel",
    "ConjugateModel",
    "Dirichlet",
    "DirichletMultinomial",
    "Distribution",
    "Estimate",
    "Exponential",
    "ExponentialModel",
    "Factor",
    "Gamma",
    "Gaussian",
    "GaussianMeanModel",
    "GaussianModel",
    "InverseGamma",
    "InverseWishart",
    "Laplace",
    "Lomax",
    "Moments",
    "Multinomial",
    "MultinomialModel",
    "MultivariateGaussian",
    "MultivariateGaussianModel",
    "MultivariateMeanModel",
    "MultivariateT",
    "NegativeBinomial",
    "NormalInverseGamma",
    "NormalInverseWishart",
    "Poisson",
    "PoissonModel",
    "StudentT",
    "Sums",
    "bayes_rule",
    "code_lengths",
    "conditional_entropy",
    "cross_entropy",
    "entropy",
    "huffman_code",
    "kl_divergence",
    "maximum_a_posteriori",
    "maximum_likelihood",
    "mutual_information",
]


def __dir__() -> list[str]:
    return __all__
