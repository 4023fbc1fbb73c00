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
from certus.kernels.kernel_ridge import KernelRidge
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
    "InfiniteFeaturesError",
    "Kernel",
    "KernelFunction",
    "KernelLogistic",
    "KernelMachineClassifier",
    "KernelMachineRegressor",
    "KernelRidge",
    "Laplacian",
    "Linear",
    "Mapped",
    "Matern",
    "Minimum",
    "Normalized",
    "Polynomial",
    "Power",
    "Precomputed",
    "Product",
    "Scaled",
    "Spline",
    "Sum",
    "Tanh",
    "Tensor",
    "Validity",
    "Weighted",
    "derivative_norm",
]
