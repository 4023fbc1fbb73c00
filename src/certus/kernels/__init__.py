"""Kernels, their algebra, and learners in the space of functions they span."""

from certus.kernels.functions.coordinates import AllSubsets, Anova, Minimum, Spline
from certus.kernels.functions.derivative_space import derivative_norm
from certus.kernels.functions.distances import Gaussian, Laplacian, Matern
from certus.kernels.functions.given_kernels import FunctionKernel, Precomputed
from certus.kernels.functions.inner_products import ArcCosine, Exponential, Linear, Polynomial, Tanh
from certus.kernels.functions.kernel import InfiniteFeaturesError, Kernel
from certus.kernels.functions.kernel_function import KernelFunction
from certus.kernels.functions.power_series import GeometricSeries, TruncatedExponential
from certus.kernels.functions.sums_and_products import Constant, Power, Product, Scaled, Sum, Tensor
from certus.kernels.functions.transformed_kernels import Exp, GaussianOf, Mapped, Normalized, Weighted
from certus.kernels.functions.validity import Validity
from certus.kernels.kernel_logistic import KernelLogistic
from certus.kernels.kernel_machine_classifier import KernelMachineClassifier
from certus.kernels.kernel_machine_regressor import KernelMachineRegressor
from certus.kernels.kernel_perceptron import KernelPerceptron
from certus.kernels.kernel_ridge import KernelRidge
from certus.kernels.nystroem import Nystroem
from certus.kernels.random_fourier_features import RandomFourierFeatures
from certus.kernels.rbf_sampler import RBFSampler

__all__ = [
    "AllSubsets",
    "Anova",
    "ArcCosine",
    "Constant",
    "Exp",
    "Exponential",
    "FunctionKernel",
    "Gaussian",
    "GaussianOf",
    "GeometricSeries",
    "InfiniteFeaturesError",
    "Kernel",
    "KernelFunction",
    "KernelLogistic",
    "KernelMachineClassifier",
    "KernelMachineRegressor",
    "KernelPerceptron",
    "KernelRidge",
    "Laplacian",
    "Linear",
    "Mapped",
    "Matern",
    "Minimum",
    "Normalized",
    "Nystroem",
    "Polynomial",
    "Power",
    "Precomputed",
    "Product",
    "RBFSampler",
    "RandomFourierFeatures",
    "Scaled",
    "Spline",
    "Sum",
    "Tanh",
    "Tensor",
    "TruncatedExponential",
    "Validity",
    "Weighted",
    "derivative_norm",
]


def __dir__() -> list[str]:
    return __all__
