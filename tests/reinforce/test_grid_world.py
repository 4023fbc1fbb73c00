"""The world of 4 x 3 cells, with the numbers of the textbooks."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from certus.reinforce import MDP, GridWorld, evaluate, greedy, policy_breakpoints, solve, solve_finite

UNDISCOUNTED = "0.8116 0.8678 0.9178 1.0000\n0.7616 # 0.6603 -1.0000\n0.7053 0.6553 0.6114 0.3879"
DISCOUNTED = "0.5094 0.6496 0.7954 1.0000\n0.3985 # 0.4864 -1.0000\n0.2965 0.2540 0.3448 0.1299"
METHODS = (
    "auto",
    "value-iteration",
    "gauss-seidel",
    "prioritized-sweeping",
    "policy-iteration",
    "modified-policy-iteration",
    "linear-programming",
)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("discount", "table"), [(1.0, UNDISCOUNTED), (0.9, DISCOUNTED)])
def test_values(method: str, discount: float, table: str) -> None:
    world = GridWorld(discount=discount)
    plan = solve(world, method)
    assert world.text(plan.values).split() == table.split()
    assert plan.converged
    assert plan.certified_actions.all()
    assert plan.report.check(world)
    assert_allclose(evaluate(world, plan.policy), plan.values, atol=1e-8)
    assert (greedy(world, plan.values) == plan.policy).all()
    assert_allclose(np.nanmax(plan.q()[~world.terminal], axis=1), plan.values[~world.terminal], atol=1e-8)


def test_policy_iteration_from_all_up_takes_three_rounds() -> None:
    world = GridWorld(discount=0.9)
    plan = solve(world, "policy-iteration", initial=np.zeros(11, dtype=int))
    assert plan.n_iter == 3
    assert (plan.policy == solve(world, "value-iteration").policy).all()


def test_best_route_from_the_corner() -> None:
    world = GridWorld()
    policy, state, route = solve(world).policy, world.state(1, 1), []
    matrices = {name: world._after(name) for name in "UDLR"}
    while not world.terminal[state]:
        state = int(matrices[world.action_names[policy[state]]][state])
        route.append(world.state_names[state])
    assert route == [(1, 2), (1, 3), (2, 3), (3, 3), (4, 3)]


BREAKPOINTS = [
    (-1.6497, (3, 2), "R", "U"),
    (-1.5643, (3, 1), "R", "U"),
    (-0.7311, (1, 1), "R", "U"),
    (-0.4526, (4, 1), "U", "L"),
    (-0.0850, (2, 1), "R", "L"),
    (-0.0448, (3, 1), "U", "L"),
    (-0.0274, (3, 2), "U", "L"),
    (-0.0221, (4, 1), "L", "D"),
]


def test_policy_against_living_reward() -> None:
    world = GridWorld(living_reward=0.0)
    found = policy_breakpoints(world, (~world.terminal).astype(float), -2.0, 1.0)
    names, actions = world.state_names, world.action_names
    changes = [(round(c.theta, 4), names[c.state], actions[c.before], actions[c.after]) for c in found.changes]
    assert changes == BREAKPOINTS
    assert found.unbounded_from == pytest.approx(0.0, abs=1e-9)
    for theta, policy in zip([-2.0, *found.thetas], found.policies, strict=True):  # each is optimal on its piece
        following = min([t for t in found.thetas if t > theta + 1e-6], default=0.0)
        for share in (0.1, 0.5, 0.9):
            here = GridWorld(living_reward=theta + share * (following - theta))
            assert_allclose(evaluate(here, policy), solve(here).values, atol=1e-9)


def test_breakpoints_of_a_discounted_process_against_solutions_on_a_grid() -> None:
    rng = np.random.default_rng(0)
    transitions = rng.dirichlet(np.ones(5), (3, 5))
    rewards, slope = rng.normal(size=(5, 3)), rng.normal(size=(5, 3))
    found = policy_breakpoints(MDP(transitions, rewards, 0.9), slope, -3.0, 3.0)
    assert len(found.thetas) >= 3
    for theta in np.linspace(-2.99, 2.99, 41):
        plan = solve(MDP(transitions, rewards + theta * slope, 0.9))
        assert (plan.policy == found.policies[np.searchsorted(found.thetas, theta)]).all()


def test_a_living_reward_above_0_is_unbounded() -> None:
    plan = solve(GridWorld(living_reward=0.1))
    assert plan.unbounded[~plan.mdp.terminal].all()
    assert np.isinf(plan.values[plan.unbounded]).all()
    assert plan.cycle.size
    assert plan.report.check(plan.mdp)
    assert "unbounded" in plan.report["error of the values"].claim


def test_finite_horizon_comes_close_to_the_infinite_one() -> None:
    world = GridWorld()
    plan = solve_finite(world, 200)
    assert_allclose(plan.values[0], solve(world).values, atol=1e-8)
    assert plan.values[200].tolist() == world.pairs.fixed.tolist()
    one_step = solve_finite(world, 1)
    assert one_step.values[0, world.state(3, 3)] == pytest.approx(-0.04 + 0.8)


def test_layout_errors() -> None:
    with pytest.raises(ValueError, match="line 2, column 1 is 'x'"):
        GridWorld("..\nx.")
    with pytest.raises(ValueError, match="lines of one length"):
        GridWorld("..\n.")
    with pytest.raises(ValueError, match=r"\(2, 2\) is no cell"):
        GridWorld().state(2, 2)
    assert GridWorld("S..+").start.tolist() == [1.0, 0.0, 0.0, 0.0]
