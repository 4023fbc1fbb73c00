"""Kernels, their algebra, and learners in the space of functions they span."""

from certus.kernels.algebra import (
    Constant,
    Exp,
    GaussianOf,
    Mapped,
    Normalized,
    Power,
    Product,
    Scaled,
    Sum,
    Tensor,
    Weighted,
)
from certus.kernels.coordinates import AllSubsets, Anova, Minimum, Spline
from certus.kernels.derivative_space import derivative_norm
from certus.kernels.distances import Gaussian, Laplacian, Matern
from certus.kernels.function import KernelFunction
from certus.kernels.given import FunctionKernel, Precomputed
from certus.kernels.inner_products import ArcCosine, Exponential, Linear, Polynomial, Tanh
from certus.kernels.kernel import InfiniteFeaturesError, Kernel
from certus.kernels.kernel_logistic import KernelLogistic
from certus.kernels.kernel_machine_classifier import KernelMachineClassifier
from certus.kernels.kernel_machine_regressor import KernelMachineRegressor
from certus.kernels.kernel_perceptron import KernelPerceptron
from certus.kernels.kernel_ridge import KernelRidge
from certus.kernels.nystroem import Nystroem
from certus.kernels.random_fourier import RandomFourierFeatures
from certus.kernels.rbf_sampler import RBFSampler
from certus.kernels.series import GeometricSeries, TruncatedExponential
from certus.kernels.validity import Validity

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
