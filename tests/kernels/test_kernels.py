"""Kernel matrices against their formulas, one pair at a time; feature maps; bad input."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, sparse
from sklearn.base import clone
from sklearn.gaussian_process.kernels import Matern as GaussianProcessMatern

from certus import kernels as ck

RNG = np.random.default_rng(0)


def subsets(x, z, sizes):
    products = x * z
    return sum(math.prod(chosen) for size in sizes for chosen in itertools.combinations(products, size))


def spline_factor(x, z):
    area = integrate.quad(lambda s: max(x - s, 0) * max(z - s, 0), 0, min(x, z))[0]
    return 1 + x * z + area


def arc_cosine(x, z, order):
    """Written with the angle from the tangent of its half, another route than the compiled one."""
    a, b = np.linalg.norm(x), np.linalg.norm(z)
    t = 2 * math.atan2(np.linalg.norm(x / a - z / b), np.linalg.norm(x / a + z / b))
    parts = [
        math.pi - t,
        math.sin(t) + (math.pi - t) * math.cos(t),
        3 * math.sin(t) * math.cos(t) + (math.pi - t) * (1 + 2 * math.cos(t) ** 2),
    ]
    return (a * b) ** order * parts[order] / math.pi


METRIC = np.array([[2.0, 1.0, 0.0], [1.0, 3.0, 0.5], [0.0, 0.5, 1.0]])
FORMULAS = [
    (ck.Linear(), lambda x, z: x @ z),
    (ck.Linear(METRIC), lambda x, z: x @ METRIC @ z),
    (ck.Polynomial(3, 0.5, 2.0), lambda x, z: (0.5 * (x @ z) + 2.0) ** 3),
    (ck.Polynomial(0), lambda x, z: 1.0),
    (ck.Exponential(0.7), lambda x, z: math.exp(0.7 * (x @ z))),
    (ck.Gaussian(0.3), lambda x, z: math.exp(-0.3 * np.sum((x - z) ** 2))),
    (ck.Tanh(0.5, 0.1), lambda x, z: math.tanh(0.5 * (x @ z) + 0.1)),
    (ck.ArcCosine(0), lambda x, z: arc_cosine(x, z, 0)),
    (ck.ArcCosine(1), lambda x, z: arc_cosine(x, z, 1)),
    (ck.ArcCosine(2), lambda x, z: arc_cosine(x, z, 2)),
    (ck.Laplacian(0.4), lambda x, z: math.exp(-0.4 * np.abs(x - z).sum())),
    (ck.Matern(1.3, 0.5), lambda x, z: GaussianProcessMatern(1.3, nu=0.5)([x], [z])[0, 0]),
    (ck.Matern(1.3, 1.5), lambda x, z: GaussianProcessMatern(1.3, nu=1.5)([x], [z])[0, 0]),
    (ck.Matern(1.3, 2.5), lambda x, z: GaussianProcessMatern(1.3, nu=2.5)([x], [z])[0, 0]),
    (ck.AllSubsets(), lambda x, z: subsets(x, z, range(4))),
    (ck.Anova(2), lambda x, z: subsets(x, z, [2])),
    (ck.Minimum(), lambda x, z: np.minimum(x, z).sum()),
    (ck.Spline(), lambda x, z: math.prod(spline_factor(a, b) for a, b in zip(x, z, strict=True))),
    (ck.Linear() + 2.0, lambda x, z: x @ z + 2.0),
    (ck.Gaussian(0.3) * ck.Linear(), lambda x, z: math.exp(-0.3 * np.sum((x - z) ** 2)) * (x @ z)),
    (3.0 * ck.Linear() ** 2, lambda x, z: 3.0 * (x @ z) ** 2),
    (ck.Linear() - ck.Constant(1.0), lambda x, z: x @ z - 1.0),
    (ck.Exp(0.5 * ck.Linear()), lambda x, z: math.exp(0.5 * (x @ z))),
    (ck.GaussianOf(ck.Polynomial(2), 0.1), lambda x, z: math.exp(-0.1 * feature_distance(x, z))),
    (ck.Normalized(ck.Polynomial(2)), lambda x, z: (1 + x @ z) ** 2 / ((1 + x @ x) * (1 + z @ z))),
    (ck.Mapped(ck.Linear(), lambda X: np.asarray(X) ** 2), lambda x, z: (x**2) @ (z**2)),
    (ck.Weighted(ck.Linear(), lambda X: np.asarray(X)[:, 0]), lambda x, z: x[0] * (x @ z) * z[0]),
    (
        ck.Tensor(ck.Linear(), ck.Gaussian(0.5), columns=2),
        lambda x, z: (x[:2] @ z[:2]) * math.exp(-0.5 * (x[2] - z[2]) ** 2),
    ),
]


def feature_distance(x, z):
    def k(a, b):
        return (1 + a @ b) ** 2

    return k(x, x) - 2 * k(x, z) + k(z, z)


@pytest.mark.parametrize(("kernel", "formula"), FORMULAS, ids=[type(entry[0]).__name__ for entry in FORMULAS])
def test_gram_and_diagonal_are_the_formula(kernel, formula):
    X, Y = RNG.random((7, 3)) + 0.01, RNG.random((5, 3)) + 0.01
    expected = np.array([[formula(x, z) for z in Y] for x in X])
    np.testing.assert_allclose(kernel.gram(X, Y), expected, rtol=1e-11, atol=1e-12)
    own = kernel.gram(X)
    np.testing.assert_array_equal(own, own.T)
    np.testing.assert_allclose(own, [[formula(x, z) for z in X] for x in X], rtol=1e-11, atol=1e-7)
    np.testing.assert_allclose(kernel.diag(X), np.diag(own), rtol=1e-11)
    np.testing.assert_array_equal(clone(kernel)(X, Y), kernel.gram(X, Y))


@pytest.mark.parametrize("kernel", [entry[0] for entry in FORMULAS[:18]], ids=lambda kernel: type(kernel).__name__)
def test_sparse_rows_and_many_tiles(kernel):
    X = np.abs(RNG.standard_normal((530, 3))) * (RNG.random((530, 3)) < 0.6)
    dense = kernel.gram(X, X[:270])
    np.testing.assert_allclose(kernel.gram(sparse.csr_array(X), sparse.csr_array(X[:270])), dense, rtol=1e-9, atol=1e-7)
    np.testing.assert_allclose(kernel.gram(X)[:, :270], dense, rtol=1e-9, atol=2e-7)
    np.testing.assert_allclose(kernel.diag(sparse.csr_array(X)), kernel.diag(X), rtol=1e-12)


FINITE = [
    ck.Linear(),
    ck.Linear(METRIC),
    ck.Polynomial(2),
    ck.Polynomial(3, 0.5, 0.0),
    ck.AllSubsets(),
    ck.Anova(2),
    ck.Constant(2.0),
    ck.Linear() + 3 * ck.Anova(2),
    ck.Linear() * ck.Polynomial(2),
    ck.Polynomial(2) ** 2,
    ck.Normalized(ck.Polynomial(2)),
    ck.Mapped(ck.Linear(), np.sin),
    ck.Weighted(ck.Linear(), lambda X: X[:, 0]),
    ck.Tensor(ck.Linear(), ck.Polynomial(2), columns=1),
]


@pytest.mark.parametrize("kernel", FINITE, ids=lambda kernel: type(kernel).__name__)
def test_feature_maps_compose(kernel):
    X, Y = RNG.standard_normal((6, 3)), RNG.standard_normal((4, 3))
    features = kernel.feature_map()
    np.testing.assert_allclose(features(X) @ features(Y).T, kernel.gram(X, Y), rtol=1e-10, atol=1e-11)
    assert kernel.validity.status == "proved"


def test_the_map_of_the_quadratic_kernel_has_six_features():
    x = np.array([[1.0, 2.0]])
    expected = [1, math.sqrt(2), 2 * math.sqrt(2), 1, math.sqrt(8), 4]
    np.testing.assert_allclose(ck.Polynomial(2).feature_map()(x)[0], expected)
    assert ck.Polynomial(2).gram(x, [[3.0, -1.0]])[0, 0] == 4.0
    assert ck.Polynomial(2, coef0=0.0).gram(x, [[3.0, -1.0]])[0, 0] == 1.0


@pytest.mark.parametrize("kernel", [ck.Gaussian(), ck.Exponential(), ck.Tanh(), ck.Gaussian() + ck.Linear()])
def test_infinitely_many_features(kernel):
    with pytest.raises(ck.InfiniteFeaturesError, match="no finite feature map"):
        kernel.feature_map()


@pytest.mark.parametrize("points", [2, 8, 20])
def test_gaussian_matrices_of_distinct_points_have_full_rank(points):
    values = ck.Gaussian(10.0).gram(np.arange(points, dtype=float))
    assert np.linalg.matrix_rank(values) == points


@pytest.mark.parametrize("order", [0, 1, 2])
def test_arc_cosine_is_an_average_over_random_neurons(order):
    X = RNG.standard_normal((4, 3))
    neurons = np.random.default_rng(1).standard_normal((400_000, 3))
    responses = np.maximum(neurons @ X.T, 0.0) ** order if order else (neurons @ X.T > 0).astype(float)
    values = 2.0 * responses[:, :, None] * responses[:, None, :]
    error = values.std(axis=0) / math.sqrt(len(neurons))
    assert (np.abs(values.mean(axis=0) - ck.ArcCosine(order).gram(X)) <= 5 * error + 1e-12).all()


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 6), st.integers(1, 4), st.integers(0, 10**6))
def test_sums_and_products_of_kernels_stay_kernels(rows, columns, seed):
    X = np.random.default_rng(seed).standard_normal((rows, columns))
    kernel = 0.5 * ck.Gaussian(0.7) * ck.Polynomial(2) + ck.Exp(0.1 * ck.Linear())
    values = kernel.gram(X)
    assert np.linalg.eigvalsh(values)[0] >= -1e-9 * np.abs(values).max()


def test_feature_distances():
    X = RNG.standard_normal((5, 2))
    rows = ck.Polynomial(2).feature_map()(X)
    expected = np.linalg.norm(rows[:, None] - rows[None], axis=2)
    np.testing.assert_allclose(ck.Polynomial(2).distances(X), expected, atol=1e-6)


def test_lists_of_any_objects():
    words = ["abc", "bcd", "xyz"]
    shared = ck.FunctionKernel(lambda a, b: len(set(a) & set(b)))
    np.testing.assert_array_equal(shared.gram(words), [[3, 2, 0], [2, 3, 0], [0, 0, 3]])
    np.testing.assert_array_equal(shared.diag(words), [3, 3, 3])
    pairs = ck.Tensor(shared, ck.Gaussian(1.0))
    objects = [(word, [float(i)]) for i, word in enumerate(words)]
    np.testing.assert_allclose(pairs.gram(objects)[0], [3, 2 * math.exp(-1), 0])
    np.testing.assert_allclose((shared + 1.0).gram(words, words[:1])[:, 0], [4, 3, 1])


def test_values_do_not_depend_on_the_number_of_threads(monkeypatch):
    X = RNG.standard_normal((700, 5))
    found = []
    for threads in ("1", "2"):
        monkeypatch.setenv("OMP_NUM_THREADS", threads)
        found.append([kernel.gram(X) for kernel in (ck.Gaussian(0.2), ck.Laplacian(0.2), ck.Anova(3))])
    for one, two in zip(*found, strict=True):
        np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: ck.Gaussian(0.0), "'gamma' parameter of Gaussian must be a float in the range"),
        (lambda: ck.Polynomial(1.5), "'degree' parameter of Polynomial must be an int"),
        (lambda: ck.Matern(nu=1.0), "'nu' parameter of Matern must be one of"),
        (lambda: ck.Linear([[1.0, 2.0], [0.0, 1.0]]), "must be a symmetric matrix"),
        (lambda: ck.Linear(np.eye(2)).gram(np.ones((2, 3))), "the metric is for 2"),
        (lambda: ck.Minimum().gram([[-1.0]]), "kernel of numbers >= 0"),
        (lambda: ck.Gaussian().gram(np.ones((2, 2)), np.ones((2, 3))), "X has 2 columns, Y has 3"),
        (lambda: ck.Gaussian().gram([[0.0], [np.nan]]), "Input X contains NaN: first at row 1"),
        (lambda: ck.Precomputed(np.ones((2, 3))), "square matrix"),
        (lambda: ck.Precomputed(np.eye(2)).gram([2]), "between 0 and 1"),
        (lambda: ck.FunctionKernel(lambda a, b: math.nan).gram([1]), "returned nan for the objects 0 and 0"),
        (lambda: ck.Linear() ** 0, "'exponent' parameter of Power"),
    ],
)
def test_refusals(call, text):
    with pytest.raises(ValueError, match=text):
        call()
