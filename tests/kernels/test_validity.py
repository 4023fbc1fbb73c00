"""Whether something is a kernel: proofs, refutations with a witness, and neither."""

import numpy as np
import pytest

from certus import kernels as ck


def test_positive_metric():
    kernel = ck.Linear(np.diag([1.0, 5.0]))
    assert kernel.validity.status == "proved"
    features = kernel.feature_map()(np.eye(2))
    np.testing.assert_allclose(np.abs(features).sum(axis=0), [1.0, np.sqrt(5.0)])


def test_indefinite_metric():
    answer = ck.Linear([[-1.0, 2.0], [2.0, 4.0]]).validity
    assert answer.status == "refuted"
    assert answer.eigenvalue == pytest.approx(-1.7016, abs=5e-5)
    np.testing.assert_array_equal(answer.gram, [[-1.0, 2.0], [2.0, 4.0]])


def test_exponential_of_the_first_coordinate():
    assert ck.Mapped(ck.Exponential(), lambda X: X[:, :1]).validity.status == "proved"


REFUTED = [
    ck.Linear() - ck.Linear() ** 2,
    ck.Tanh(1.0, -1.0),
    ck.Tanh(1.0, 1.0),
    ck.Polynomial(3, coef0=-1.0),
    ck.Exponential(-1.0),
    -1.0 * ck.Gaussian(),
    ck.Gaussian() - 1.0,
    ck.Precomputed(1.0 - np.eye(3)),
]


@pytest.mark.parametrize("kernel", REFUTED, ids=lambda kernel: type(kernel).__name__)
def test_refutations_come_with_a_witness(kernel):
    answer = kernel.validity
    assert answer.status == "refuted"
    np.testing.assert_allclose(kernel.gram(answer.points), answer.gram)
    assert np.linalg.eigvalsh(answer.gram)[0] == pytest.approx(answer.eigenvalue)
    assert answer.eigenvalue < 0
    assert not answer


PROVED = [
    ck.Mapped(ck.Gaussian(), lambda X: X @ np.ones((2, 3))),
    ck.Weighted(ck.Exponential(), lambda X: X[:, 0]),
    ck.Laplacian(),
    ck.Matern(),
    ck.Minimum(),
    ck.Spline(),
    ck.ArcCosine(2),
    ck.Exp(ck.Linear()),
    ck.GaussianOf(ck.Anova(2)),
]


@pytest.mark.parametrize("kernel", PROVED, ids=lambda kernel: type(kernel).__name__)
def test_proofs(kernel):
    answer = kernel.validity
    assert answer.status == "proved"
    values = kernel.gram(np.random.default_rng(0).random((10, 2)))
    assert np.linalg.eigvalsh(values)[0] >= -1e-10 * np.abs(values).max()


def test_rounding_errors_refute_nothing():
    zero = ck.Gaussian(1.0) - ck.GaussianOf(ck.Linear(), 1.0)
    assert zero.validity.status == "unknown"
    assert (ck.Linear() - 0.999 * ck.Linear()).validity.status == "unknown"


def test_functions_are_unknown_until_objects_refute_them():
    different = ck.FunctionKernel(lambda a, b: float(a != b))
    assert different.validity.status == "unknown"
    answer = different.validity_on(["a", "b", "c"])
    assert answer.status == "refuted"
    assert answer.eigenvalue == pytest.approx(-1.0)
    one_sided = ck.FunctionKernel(lambda a, b: float(a - b))
    assert "differ" in one_sided.validity_on([1.0, 2.0]).reason
    equal = ck.FunctionKernel(lambda a, b: float(a == b))
    assert equal.validity_on(["a", "b", "c"]).status == "unknown"
    assert (different + ck.Constant(1.0)).validity_on(["a", "b", "c"]).status == "refuted"
