"""Functions of a kernel's space and their norms."""

import math

import numpy as np
import pytest

from certus import kernels as ck
from certus.kernels import KernelFunction

RNG = np.random.default_rng(3)


@pytest.mark.parametrize("frequency", [1.0, 10.0])
def test_norms_of_the_damped_sine(frequency):
    def derivative(x):
        return frequency * np.cos(frequency * x) / (x + 1) - np.sin(frequency * x) / (x + 1) ** 2

    assert ck.derivative_norm(derivative) == pytest.approx({1.0: 0.6829, 10.0: 7.0653}[frequency], abs=5e-5)


def test_norm_of_the_tent_by_both_routes():
    tent = KernelFunction(ck.Minimum(), [10.0, 20.0], [0.2, -0.1])
    assert tent.norm() == pytest.approx(1 / math.sqrt(5), abs=1e-15)
    assert ck.derivative_norm(lambda x: np.where(x < 10, 0.1, np.where(x < 20, -0.1, 0.0))) == pytest.approx(
        1 / math.sqrt(5), abs=1e-12
    )


def test_the_sine_is_not_in_the_space():
    assert ck.derivative_norm(np.cos) == math.inf


@pytest.mark.parametrize("kernel", [ck.Gaussian(0.5), ck.Polynomial(2), ck.Minimum()], ids=str)
def test_reproducing_property_and_space(kernel):
    f = KernelFunction(kernel, RNG.random((4, 2)), RNG.standard_normal(4))
    g = KernelFunction(kernel, RNG.random((3, 2)), RNG.standard_normal(3))
    x = RNG.random((1, 2))
    at_x = KernelFunction(kernel, x, [1.0])
    assert f.inner(at_x) == pytest.approx(f(x)[0])
    np.testing.assert_allclose((2.0 * f - g)(x), 2.0 * f(x) - g(x))
    assert f.inner(g) == pytest.approx(g.inner(f))
    assert f.norm() ** 2 == pytest.approx(f.inner(f))
    assert f.distance(g) ** 2 == pytest.approx(f.norm() ** 2 - 2 * f.inner(g) + g.norm() ** 2)
    assert abs(f(x)[0]) <= f.norm() * math.sqrt(kernel.diag(x)[0]) * (1 + 1e-12)
    assert (f - f).norm() == pytest.approx(0.0, abs=1e-7)


def test_norms_are_those_of_the_features():
    points, c = RNG.standard_normal((5, 2)), RNG.standard_normal(5)
    w = c @ ck.Polynomial(3).feature_map()(points)
    assert KernelFunction(ck.Polynomial(3), points, c).norm() == pytest.approx(np.linalg.norm(w))


def test_functions_of_objects_and_refusals():
    shared = ck.FunctionKernel(lambda a, b: len(set(a) & set(b)))
    f = KernelFunction(shared, ["ab", "b"], [1.0, -1.0])
    np.testing.assert_array_equal((f + f)(["a", "b", "ab"]), [2.0, 0.0, 2.0])
    with pytest.raises(ValueError, match="different spaces"):
        f.inner(KernelFunction(ck.Minimum(), [1.0], [1.0]))
    with pytest.raises(ValueError, match="one coefficient per point"):
        KernelFunction(ck.Minimum(), [1.0, 2.0], [1.0])
