"""Learners that are linear in features: with one feature per state they are the tables, bit for bit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import certus
from certus.reinforce import (
    MDP,
    SARSA,
    Constant,
    EpsilonGreedy,
    FourierFeatures,
    GridWorld,
    LinearQLearning,
    OneHot,
    PassiveTD,
    Polynomial,
    QLearning,
    SemiGradientSARSA,
    SemiGradientTD,
    Softmax,
    TileCoding,
    solve,
)

WORLD = GridWorld()
PLAN = solve(WORLD)


@pytest.mark.parametrize(("linear", "table"), [(LinearQLearning, QLearning), (SemiGradientSARSA, SARSA)])
@pytest.mark.parametrize("exploration", [EpsilonGreedy(0.2), Softmax(0.3)])
def test_one_hot_features_are_the_tables(linear: Any, table: Any, exploration: Any) -> None:
    one = linear(OneHot(11), 0.9, exploration=exploration, random_state=3).fit(WORLD, episodes=300)
    other = table(0.9, exploration=exploration, random_state=3).fit(WORLD, episodes=300)
    acting = ~WORLD.terminal
    assert_array_equal(one.weights_.T[acting], other.q_[acting])
    assert_array_equal(one.history_, other.history_)
    assert_array_equal(one.policy_, other.policy_)
    assert one.report_["loss of the policy"].value == other.report_["loss of the policy"].value


def test_one_hot_differences_are_the_table() -> None:
    one = SemiGradientTD(PLAN.policy, OneHot(11), random_state=3).fit(WORLD, episodes=300)
    other = PassiveTD(PLAN.policy, random_state=3).fit(WORLD, episodes=300)
    assert_array_equal(one.values_, other.values_)


def test_semi_gradient_finds_the_projected_fixed_point() -> None:
    swap = MDP(np.array([[[0.0, 1.0], [1.0, 0.0]]]), np.array([[1.0], [0.0]]), 0.5, start=0, state_names=[1.0, 2.0])
    learner = SemiGradientTD([0, 0], Polynomial(0.0, 2.0, degree=1), 0.5, step=Constant(0.01), random_state=0)
    learner.fit(swap, episodes=20, horizon=5000)
    assert_allclose(learner.values_, solve(swap).values, atol=0.01)  # two features of two states: exact


def test_features() -> None:
    assert_array_equal(OneHot(3).transform([2, 0]), [[0, 0, 1], [1, 0, 0]])
    assert_allclose(Polynomial(0.0, 2.0, degree=2).transform([[1.0]]), [[1.0, 0.5, 0.25]])
    assert Polynomial([0, 0], [1, 1], degree=2).transform([[0.3, 0.4]]).shape == (1, 6)
    assert_allclose(FourierFeatures(0.0, 1.0, order=2).transform([[0.5]]), [[1.0, 0.0, -1.0]], atol=1e-15)
    coded = TileCoding([0, 0], [1, 1], tiles=4, tilings=3).transform(np.random.default_rng(0).random((50, 2)))
    assert_allclose(coded.sum(axis=1), 1.0)
    assert ((coded > 0).sum(axis=1) == 3).all()
    near = TileCoding(0.0, 1.0).transform([[0.5], [0.51], [0.9]]) @ TileCoding(0.0, 1.0).transform([[0.5]]).T
    assert near[1, 0] > near[2, 0]


def test_a_function_of_places_generalises() -> None:
    learner = LinearQLearning(
        FourierFeatures([1, 1], [6, 6], order=3),
        0.95,
        step=Constant(0.02),
        exploration=EpsilonGreedy(0.3),
        random_state=0,
    )
    world = GridWorld([".....+", *["......"] * 5], slip=0.0, discount=0.95)
    learner.fit(world, episodes=2000)
    assert learner.report_["loss of the policy"].value < 0.3
    assert learner.predict([[5, 6]]) == [3]


def test_saving(tmp_path: Path) -> None:
    learner = LinearQLearning(TileCoding([1, 1], [4, 3]), 0.9, random_state=0).fit(WORLD, episodes=20)
    certus.save(learner, tmp_path / "model.certus")
    again = certus.load(tmp_path / "model.certus")
    assert_array_equal(again.predict([[1, 1], [2, 3]]), learner.predict([[1, 1], [2, 3]]))
    assert again.report_ == learner.report_


def test_errors() -> None:
    with pytest.raises(ValueError, match=r"states must have the shape \(n, 2\)"):
        Polynomial([0, 0], [1, 1]).transform([[1.0]])
    with pytest.raises(ValueError, match="low must be less than high"):
        TileCoding(1.0, 0.0).transform([[0.5]])
    named = MDP(np.ones((1, 1, 1)), [0.0], 0.5, state_names=["a"])
    with pytest.raises(ValueError, match="features need states whose names are numbers"):
        LinearQLearning(Polynomial(0, 1)).fit(named, episodes=1)
    with pytest.raises(ValueError, match="states must be whole numbers"):
        OneHot(2).transform([[0.5]])
