"""Power series of the inner product, and further numbers that are known by hand."""

import itertools
import math

import numpy as np
import pytest
from scipy import optimize, sparse

from certus import kernels as ck

RNG = np.random.default_rng(6)


def test_geometric_series_is_the_limit_of_its_sums():
    x = RNG.uniform(-0.9, 0.9, (8, 1))
    powers = x ** np.arange(400)
    np.testing.assert_allclose(ck.GeometricSeries().gram(x), powers @ powers.T, rtol=1e-10)
    np.testing.assert_allclose(ck.GeometricSeries().diag(x), 1 / (1 - x[:, 0] ** 2))
    assert ck.GeometricSeries().validity.status == "proved"
    assert ck.GeometricSeries(-1.0).validity.status == "refuted"
    with pytest.raises(ValueError, match=r"rows with gamma \|x\|\^2 < 1"):
        ck.GeometricSeries().gram([[1.0]])
    with pytest.raises(ck.InfiniteFeaturesError, match="no finite feature map"):
        ck.GeometricSeries().feature_map()


@pytest.mark.parametrize("degree", [0, 1, 4])
def test_truncated_exponential(degree):
    X, Y = RNG.standard_normal((6, 3)), RNG.standard_normal((4, 3))
    kernel = ck.TruncatedExponential(degree, 0.7)
    expected = sum((0.7 * X @ Y.T) ** i / math.factorial(i) for i in range(degree + 1))
    np.testing.assert_allclose(kernel.gram(X, Y), expected, rtol=1e-12)
    np.testing.assert_allclose(kernel.gram(sparse.csr_array(X), Y), expected, rtol=1e-12)
    np.testing.assert_allclose(kernel.feature_map()(X) @ kernel.feature_map()(Y).T, expected, rtol=1e-10)
    assert kernel.feature_count(X) == kernel.feature_map()(X).shape[1]
    np.testing.assert_allclose(ck.TruncatedExponential(40, 0.7).gram(X, Y), ck.Exponential(0.7).gram(X, Y))


def test_tanh_eigenvalues():
    points = [[0.1], [1.0], [3.0]]
    assert np.linalg.eigvalsh(ck.Tanh(1.0, 1.0).gram(points))[0] == pytest.approx(-0.028, abs=5e-4)
    assert np.linalg.eigvalsh(ck.Tanh(1.0, -1.0).gram(points))[0] == pytest.approx(-1.19, abs=5e-3)


def test_homogeneous_monomials_are_thirty_five():
    assert ck.Polynomial(3, coef0=0.0).feature_map()(RNG.standard_normal((2, 5))).shape[1] == 35


def test_inverted_match_kernel_and_set_kernel():
    inverted = ck.FunctionKernel(lambda a, b: float(a != b)).gram(["a", "b", "c"])
    np.testing.assert_allclose(np.linalg.eigvalsh(inverted), [-1.0, -1.0, 2.0])
    sets = [frozenset(c) for size in range(5) for c in itertools.combinations(range(4), size)]
    kernel = ck.FunctionKernel(lambda a, b: 2.0 ** len(a & b), features=lambda a: [float(c <= a) for c in sets])
    features = kernel.feature_map()(sets)
    np.testing.assert_array_equal(features @ features.T, kernel.gram(sets))
    assert np.linalg.eigvalsh(kernel.gram(sets))[0] > 0


def test_features_are_not_unique():
    X = RNG.standard_normal((5, 2))
    four = np.column_stack([X[:, 0] ** 2, X[:, 1] ** 2, X[:, 0] * X[:, 1], X[:, 1] * X[:, 0]])
    np.testing.assert_allclose(four @ four.T, ck.Polynomial(2, coef0=0.0).gram(X), rtol=1e-10)
    turn = np.linalg.qr(RNG.standard_normal((3, 3)))[0]
    three = ck.Polynomial(2, coef0=0.0).feature_map()(X) @ turn
    np.testing.assert_allclose(three @ three.T, four @ four.T, rtol=1e-9, atol=1e-12)


def test_circles_are_separable_after_the_lift():
    angles = np.linspace(0, 2 * np.pi, 20, endpoint=False)
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    X, y = np.vstack([circle, 3 * circle]), np.repeat([-1.0, 1.0], 20)

    def separable(rows):
        signed = -y[:, None] * np.column_stack([rows, np.ones(len(rows))])
        free = [(None, None)] * signed.shape[1]
        return optimize.linprog(np.zeros(signed.shape[1]), signed, -np.ones(len(rows)), bounds=free).status == 0

    assert not separable(X)
    assert separable(np.column_stack([X, (X**2).sum(axis=1)]))
    assert ck.KernelPerceptron(kernel=ck.Polynomial(2), max_iter=1000).fit(X, y).score(X, y) == 1.0
