"""Tables of named variables: algebra, conditioning, moments, independence."""

from __future__ import annotations

import itertools
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certus.distributions import Factor, bayes_rule


def random_joint(seed: int, shape: tuple[int, ...] = (2, 3, 4)) -> Factor:
    values = np.random.default_rng(seed).random(shape)
    labels = {"abcd"[axis]: [f"{axis}{place}" for place in range(size)] for axis, size in enumerate(shape)}
    return Factor(labels, values / values.sum())


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6))
def test_products_and_quotients_match_a_loop_over_labels(seed: int) -> None:
    generator = np.random.default_rng(seed)
    left = Factor({"a": [0, 1], "b": ["x", "y", "z"]}, generator.random(6))
    right = Factor({"c": [True, False], "b": ["z", "x", "y"]}, generator.random(6) + 0.1)  # labels in another order
    product, quotient = left * right, left / right
    assert product.names == ("a", "b", "c")
    for a, b, c in itertools.product([0, 1], "xyz", [True, False]):
        at = {"a": a, "b": b, "c": c}
        one, other = left.value({"a": a, "b": b}), right.value({"b": b, "c": c})
        assert product.value(at) == pytest.approx(one * other, rel=1e-14)
        assert quotient.value(at) == pytest.approx(one / other, rel=1e-14)


def test_marginal_and_maximum_have_the_order_that_was_asked_for() -> None:
    joint = random_joint(1)
    np.testing.assert_allclose(joint.marginal("c", "a").values, joint.values.sum(axis=1).T)
    np.testing.assert_allclose(joint.maximum("c", "a").values, joint.values.max(axis=1).T)
    assert joint.marginal().values.shape == ()
    assert joint.marginal().total == pytest.approx(1)
    assert joint.marginal("c", "a").names == ("c", "a")
    best = joint.most_probable()
    assert joint.value(best) == joint.values.max() == joint.maximum().total


def test_slices_keep_the_probability_of_what_was_given() -> None:
    joint = random_joint(2)
    cut = joint.given({"b": "11"})
    np.testing.assert_array_equal(cut.values, joint.values[:, 1])
    assert cut.total == pytest.approx(joint.marginal("b").values[1])
    assert cut.normalized().total == pytest.approx(1)


def test_conditionals_sum_to_one_and_multiply_back() -> None:
    joint = random_joint(3)
    conditional = joint.conditional("b", "c")
    np.testing.assert_allclose(conditional.marginal("b", "c").values, 1.0)
    np.testing.assert_allclose((conditional * joint.marginal("b", "c")).aligned(joint).values, joint.values)


def test_an_impossible_condition_keeps_zero() -> None:
    joint = Factor({"a": [0, 1], "b": [0, 1]}, [[0.5, 0.5], [0.0, 0.0]])
    np.testing.assert_array_equal(joint.conditional("a").values, [[0.5, 0.5], [0, 0]])


def test_bayes_rule_with_a_background_variable() -> None:
    joint = random_joint(4)  # x = a, y = b, z = c
    likelihood = joint.conditional("b", "c")  # P(x | y, z)
    prior = joint.marginal("b", "c").conditional("c")  # P(y | z)
    posterior = bayes_rule(prior, likelihood, "b")
    np.testing.assert_allclose(posterior.aligned(joint).values, joint.conditional("a", "c").aligned(joint).values)
    # P(y) = sum_x sum_z P(x | y, z) P(y | z) P(x, z) / P(x | z)
    evidence = joint.marginal("a", "c").conditional("c")
    total = (likelihood * prior * joint.marginal("a", "c") / evidence).marginal("b")
    np.testing.assert_allclose(total.values, joint.marginal("b").values)


def test_moments_of_a_table() -> None:
    joint = Factor({"x": [0, 1], "y": [-1, 2, 5]}, [[0.1, 0.2, 0.1], [0.2, 0.1, 0.3]])
    x, y = np.array([0, 1]), np.array([-1, 2, 5])
    table = joint.values
    mean_x, mean_y = table.sum(axis=1) @ x, table.sum(axis=0) @ y
    assert joint.expectation("x") == pytest.approx(mean_x)
    assert joint.variance("y") == pytest.approx(table.sum(axis=0) @ y**2 - mean_y**2)
    assert joint.covariance("x", "y") == pytest.approx(x @ table @ y - mean_x * mean_y)
    spread = np.sqrt(joint.variance("x") * joint.variance("y"))
    assert joint.correlation("x", "y") == pytest.approx(joint.covariance("x", "y") / spread)
    assert joint.expectation(lambda x, y: 2 * x - 3 * y, "x", "y") == pytest.approx(2 * mean_x - 3 * mean_y)


def test_variance_identities() -> None:
    joint = Factor({"x": [0, 1, 4], "y": [1, 3]}, np.outer([0.2, 0.5, 0.3], [0.6, 0.4]))
    mean = joint.expectation("x")
    assert joint.variance("x") == pytest.approx(joint.expectation(lambda x: (x - mean) ** 2, "x"))
    scaled = joint.expectation(lambda x: 9 * x * x, "x") - joint.expectation(lambda x: 3 * x, "x") ** 2
    assert scaled == pytest.approx(9 * joint.variance("x"))
    mean = joint.expectation(lambda x, y: x + y, "x", "y")
    added = joint.expectation(lambda x, y: (x + y) ** 2, "x", "y") - mean**2
    assert added == pytest.approx(joint.variance("x") + joint.variance("y"))


def test_correlation_of_equal_opposite_and_constant_variables() -> None:
    assert Factor({"x": [0, 1], "y": [0, 1]}, np.eye(2) / 2).correlation("x", "y") == pytest.approx(1)
    assert Factor({"x": [0, 1], "y": [1, 0]}, np.eye(2) / 2).correlation("x", "y") == pytest.approx(-1)
    assert np.isnan(Factor({"x": [0, 1], "y": [3]}, [0.5, 0.5]).correlation("x", "y"))


def test_independence_with_and_without_a_condition() -> None:
    cause = Factor({"c": [0, 1]}, [0.3, 0.7])
    a = Factor({"c": [0, 1], "a": [0, 1]}, [[0.9, 0.1], [0.2, 0.8]])
    b = Factor({"c": [0, 1], "b": [0, 1]}, [[0.4, 0.6], [0.1, 0.9]])
    joint = cause * a * b
    assert joint.independent("a", "b", given="c")
    assert not joint.independent("a", "b")
    assert not joint.independent("a", ("b", "c"))
    apart = cause * Factor({"d": "uv"}, [0.5, 0.5])
    assert apart.independent("c", "d")


def test_draws_follow_the_table() -> None:
    joint = random_joint(5, (2, 3))
    drawn = joint.sample(20_000, random_state=0)
    counts = np.zeros((2, 3))
    for a, b in zip(drawn["a"], drawn["b"], strict=True):
        counts[joint.labels["a"].index(a), joint.labels["b"].index(b)] += 1
    # Six cells at 6 standard deviations: a false alarm in less than 1e-7 of all seeds.
    np.testing.assert_array_less(np.abs(counts / 20_000 - joint.values), 6 * np.sqrt(joint.values / 20_000))
    assert drawn == joint.sample(20_000, random_state=0)


def test_the_largest_and_smallest_numbers_are_normalized() -> None:
    for size in (1e308, 5e-324):
        np.testing.assert_array_equal(Factor({"a": [0, 1]}, [size, size]).normalized().values, [0.5, 0.5])
    with pytest.raises(ValueError, match="must not exceed the range"):
        Factor({"a": [0, 1]}, [1e308, 1.0]) * Factor({"a": [0, 1]}, [1e308, 1.0])


def test_factors_do_not_change_and_can_be_pickled() -> None:
    joint = random_joint(6)
    with pytest.raises(ValueError, match="read-only"):
        joint.values[0] = 1
    again = pickle.loads(pickle.dumps(joint))
    assert again.names == joint.names
    np.testing.assert_array_equal(again.values, joint.values)
    assert eval(repr(joint)).labels == joint.labels


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Factor({"a": [0, 1]}, [0.5, -0.5]), "values must not be negative"),
        (lambda: Factor({"a": [0, 1]}, [0.5, np.nan]), "values must be finite"),
        (lambda: Factor({"a": [0, 1]}, [1.0]), "values must hold 2 numbers"),
        (lambda: Factor({"a": [0, 0]}, [1.0, 1.0]), "must be distinct"),
        (lambda: Factor({"a": [0, 1]}, [0, 0]).normalized(), "must have a positive sum"),
        (lambda: Factor({"a": [0, 1]}, [1, 1]).given({"a": 7}), "must be one of"),
        (lambda: Factor({"a": [0, 1]}, [1, 1]).marginal("b"), "The variable must be one of"),
        (lambda: Factor({"a": ["x"]}, [1]).expectation("a"), "must be numbers"),
        (lambda: Factor({"a": [0, 1]}, [1, 1]) * Factor({"a": [0, 2]}, [1, 1]), "the same labels"),
        (lambda: Factor({"a": [0, 1]}, [1, 1]) / Factor({"a": [0, 1]}, [0, 1]), "by zero"),
        (lambda: Factor({"a": [0, 1]}, [1, 1]).independent("a", "a"), "no variable in common"),
    ],
)
def test_bad_input(make: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()
