"""Processes in every form, the errors of each, and what users of other libraries ask for."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from certus.reinforce import MDP, GridWorld, bellman_bounds, evaluate, greedy, policy_loss, solve
from tests.reinforce.test_grid_world import METHODS

RNG = np.random.default_rng(0)
TRANSITIONS = RNG.dirichlet(np.ones(4), (3, 4))
BY_TRANSITION = RNG.normal(size=(3, 4, 4))
BY_ACTION = np.einsum("ast,ast->sa", TRANSITIONS, BY_TRANSITION)


def test_forms_of_one_process_agree() -> None:
    wanted = solve(MDP(TRANSITIONS, BY_ACTION, 0.9, terminal=[3])).values
    pairs = [(s, a) for s in range(4) for a in range(3)]
    states, actions = np.array(pairs).T
    rows = TRANSITIONS[actions, states]
    names = "wxyz"
    shuffled = RNG.permutation(12)
    forms = [
        MDP([sparse.csr_array(each) for each in TRANSITIONS], BY_ACTION, 0.9, terminal=[3]),
        MDP(TRANSITIONS, BY_TRANSITION, 0.9, terminal=[3]),
        MDP([sparse.coo_array(each) for each in TRANSITIONS], BY_TRANSITION, 0.9, terminal=[3]),
        MDP(list(map(sparse.csr_array, TRANSITIONS)), list(map(sparse.csr_array, BY_TRANSITION)), 0.9, terminal=[3]),
        MDP.from_pairs(rows, BY_ACTION[states, actions], 0.9, states, actions, terminal=[3]),
        MDP.from_pairs(
            sparse.csr_array(rows[shuffled]),
            BY_ACTION[states, actions][shuffled],
            0.9,
            states[shuffled],
            actions[shuffled],
            terminal=[3],
        ),
        MDP.from_functions(
            names,
            lambda s: range(3),
            lambda s, a: dict(zip(names, TRANSITIONS[a, names.index(s)], strict=True)),
            lambda s, a: BY_ACTION[names.index(s), a],
            0.9,
            terminal="z",
        ),
        MDP.from_gymnasium(table(), 0.9),
    ]
    for form in forms:
        assert_allclose(solve(form).values[:3], wanted[:3], atol=1e-9)
    assert forms[0].pairs.rows.indices.dtype == np.int32
    assert isinstance(forms[1].pairs.rows, np.ndarray)


def table() -> dict[int, Any]:
    """The same process as gymnasium's P."""
    return {
        s: {a: [(TRANSITIONS[a, s, t], t, BY_TRANSITION[a, s, t], t == 3) for t in range(4)] for a in range(3)}
        for s in range(4)
    }


def test_rewards_of_states_are_paid_at_the_end_too() -> None:
    mdp = MDP([np.array([[0.0, 1.0], [0.5, 0.5]])], [1.0, 10.0], 0.5, terminal=[1])
    assert solve(mdp).values.tolist() == [6.0, 10.0]


def test_what_arrays_say_of_terminal_states_is_ignored() -> None:
    broken = TRANSITIONS.copy()
    broken[:, 3] = np.nan
    assert_array_equal(
        solve(MDP(broken, BY_ACTION, 0.9, terminal=[3])).values,
        solve(MDP(TRANSITIONS, BY_ACTION, 0.9, terminal=[3])).values,
    )


def changed(**places: Any) -> np.ndarray:
    found = TRANSITIONS.copy()
    found[places["at"]] = places["to"]
    return found


@pytest.mark.parametrize(
    ("transitions", "message"),
    [
        (changed(at=(1, 2, 0), to=-0.5), "for state 2 and action 1 the probability of state 0 is -0.5"),
        (changed(at=(0, 1), to=0.3), "for state 1 and action 0 the probabilities sum to 1.2, not to 1"),
        (changed(at=(2, 0, 1), to=np.nan), r"for state 0 and action 2 a probability is NaN \(of state 1\)"),
        (TRANSITIONS[0], r"must have the shape \(actions, states, states\)"),
    ],
)
def test_bad_probabilities(transitions: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        MDP(transitions, BY_ACTION, 0.9)
    if transitions.ndim == 3:
        with pytest.raises(ValueError, match=message):
            MDP([sparse.csr_array(each) for each in transitions], BY_ACTION, 0.9)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"discount": 1.5}, r"discount must lie in \[0, 1\], got 1.5"),
        ({"discount": True}, "discount must lie"),
        ({"terminal": [4]}, r"terminal must lie in 0 \.\. 3; place 0 is 4"),
        ({"terminal": [True, False, False, False]}, "terminal must list states by number"),
        ({"available": np.ones((4, 2), dtype=bool)}, r"available must be a boolean array of shape \(4, 3\)"),
        ({"available": np.zeros((4, 3), dtype=bool)}, "state 0 has no action and is not terminal"),
        ({"start": [0.5, 0.5, 0.5, 0.0]}, "start must be a state or 4 probabilities that sum to 1"),
        ({"rewards": np.zeros(3)}, r"rewards must have the shape \(4,\), \(4, 3\) or \(3, 4, 4\)"),
        ({"rewards": np.full((4, 3), np.inf)}, "rewards: for state 0 and action 0 it is inf"),
        ({"state_names": ["a"]}, "state_names must have 4 entries, got 1"),
    ],
)
def test_bad_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        MDP(**{"transitions": TRANSITIONS, "rewards": BY_ACTION, "discount": 0.9, **options})


def test_bad_policies_values_and_methods() -> None:
    available = np.ones((4, 3), dtype=bool)
    available[1, 2] = False
    mdp = MDP(TRANSITIONS, BY_ACTION, 0.9, available=available)
    for call in (evaluate, policy_loss):
        with pytest.raises(ValueError, match=r"one action .* for each of the 4 states"):
            call(mdp, [0, 1])
        with pytest.raises(ValueError, match=r"state 1 has no action 2 \(1 of 4 states\)"):
            call(mdp, [0, 2, 0, 0])
        with pytest.raises(ValueError, match=r"policy must have the shape \(4,\) or \(4, 3\)"):
            call(mdp, np.ones((3, 4)))
        with pytest.raises(ValueError, match="in state 0 the probabilities of its actions"):
            call(mdp, np.full((4, 3), 0.5))
    for call in (greedy, bellman_bounds):
        with pytest.raises(ValueError, match="values"):
            call(mdp, [0.0])
    with pytest.raises(ValueError, match="method must be one of"):
        solve(mdp, "guess")
    with pytest.raises(ValueError, match="initial must have the shape"):
        solve(mdp, initial=[0.0])
    with pytest.raises(ValueError, match="mdp must be an MDP"):
        solve(TRANSITIONS)
    with pytest.raises(ValueError, match="max_iter"):
        solve(mdp, max_iter=0)
    with pytest.raises(ValueError, match="does not show its transitions"):
        MDP.from_gymnasium(object())


# --- what users of other libraries ask for


def forest() -> MDP:
    """Two states in which patience pays: methods of one library disagree on such a process."""
    transitions = np.array([[[0.1, 0.9], [0.1, 0.9]], [[1.0, 0.0], [1.0, 0.0]]])
    return MDP(transitions, np.array([[0.0, 0.0], [4.0, 2.0]]), 0.99)


def test_values_agree_between_methods_and_are_those_of_the_policy() -> None:
    plans = [solve(forest(), method) for method in METHODS]
    for plan in plans:
        assert_allclose(plan.values, plans[0].values, rtol=1e-8)
        assert_allclose(evaluate(forest(), plan.policy), plan.values, rtol=1e-8)


def test_max_iter_is_respected_and_the_bounds_hold() -> None:
    world = GridWorld(discount=0.95)
    with pytest.warns(ConvergenceWarning, match="the gap is"):
        rough = solve(world, "value-iteration", max_iter=3)
    assert rough.n_iter == 3
    assert not rough.converged
    exact = solve(world).values
    assert (rough.lower <= exact).all()
    assert (exact <= rough.upper).all()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("discount", [0.9, 1.0])
def test_all_zero_rewards(method: str, discount: float) -> None:
    plan = solve(MDP(TRANSITIONS, np.zeros((4, 3)), discount), method)
    assert_allclose(plan.values, 0.0, atol=1e-9)


def test_policy_iteration_ends_on_ties() -> None:
    world = GridWorld(["." * 13 + "+", *["." * 14] * 13], discount=0.95, living_reward=0.0)
    plan = solve(world, "policy-iteration", max_iter=100)
    assert plan.converged
    assert plan.n_iter < 60


def test_an_undiscounted_cycle_without_a_sum_is_refused() -> None:
    swap = np.array([[[0.0, 1.0], [1.0, 0.0]]])
    with pytest.raises(ValueError, match="sum to 0"):
        solve(MDP(swap, np.array([[1.0], [-1.0]])))
    assert solve(MDP(swap, np.array([[1.0], [-2.0]]))).endless.tolist() == [0, 1]
    assert solve(MDP(swap, np.array([[2.0], [-1.0]]))).unbounded.all()


def cycle_beside_a_free_loop(gain: float, *, free: bool = True) -> MDP:
    """From 0 to 1 for 1 and back for gain - 1; both may end, and 0 may stay for nothing."""
    transitions = np.zeros((3, 3, 3))
    transitions[0, 0, 1] = transitions[0, 1, 0] = transitions[1, :2, 2] = transitions[2, 0, 0] = 1.0
    transitions[2, 1, 2] = 1.0
    rewards = np.array([[1.0, -0.5, 0.0], [gain - 1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    available = np.array([[True, True, free], [True, True, False], [False, False, False]])
    return MDP(transitions, rewards, 1.0, terminal=[2], available=available)


@pytest.mark.parametrize("free", [True, False])
def test_a_cycle_of_small_gain_is_unbounded_and_one_of_small_loss_is_not(free: bool) -> None:
    plan = solve(cycle_beside_a_free_loop(1e-8, free=free))
    assert plan.unbounded[:2].all()
    assert plan.cycle.tolist() == [0, 1]
    plan = solve(cycle_beside_a_free_loop(-1e-8, free=free))
    assert_allclose(plan.values, [1.0, 0.0, 0.0], atol=1e-12)
    assert plan.report.check(plan.mdp)


@pytest.mark.parametrize("gain", [1e-13, 0.0, -1e-13])
def test_what_rounding_cannot_tell_beside_a_free_loop_is_left_open(gain: float) -> None:
    with pytest.warns(ConvergenceWarning):
        plan = solve(cycle_beside_a_free_loop(gain))
    assert plan.upper[0] == np.inf
    assert plan.lower[0] == pytest.approx(1.0)
    assert not plan.converged
    with pytest.raises(ValueError, match="sum to 0"):
        solve(cycle_beside_a_free_loop(gain, free=False))


def test_values_beyond_floating_point_numbers_are_refused() -> None:
    for discount, reward in ((0.99, 1e308), (0.99, -1e280), (1.0, -1e270)):
        with pytest.raises(ValueError, match="can add up to more than 1e\\+280"):
            solve(MDP(TRANSITIONS, np.full((4, 3), reward), discount, terminal=[0]))
    plan = solve(MDP(TRANSITIONS, np.full((4, 3), 1e270), 0.9))
    assert_allclose(plan.values, 1e271, rtol=1e-8)


def test_a_discount_close_to_1_is_honest_about_its_gap() -> None:
    with pytest.warns(ConvergenceWarning, match="rounding alone"):
        plan = solve(MDP(np.ones((1, 1, 1)), [1.0], 1.0 - 1e-15))
    assert plan.lower[0] <= 1.0 / 1e-15 <= plan.upper[0]
    assert not plan.converged


def test_threads_do_not_change_a_bit() -> None:
    rng = np.random.default_rng(1)
    rows = sparse.random_array((6000, 3000), density=0.002, rng=rng, format="csr") + sparse.csr_array(
        (np.ones(6000), (np.arange(6000), np.arange(6000) // 2)), shape=(6000, 3000)
    )
    rows = sparse.csr_array(rows / rows.sum(axis=1)[:, None])
    mdp = MDP.from_pairs(rows, rng.random(6000), 0.95, np.arange(6000) // 2, np.arange(6000) % 2)
    for method in ("value-iteration", "modified-policy-iteration"):
        one, two = (solve(mdp, method, n_jobs=jobs) for jobs in (1, 2))
        assert_array_equal(one.lower, two.lower)
        assert_array_equal(one.upper, two.upper)


@given(
    hnp.arrays(float, st.tuples(*[st.integers(1, 3)] * 3), elements=st.floats(allow_nan=True, allow_infinity=True)),
    hnp.arrays(float, st.integers(1, 3), elements=st.floats(allow_nan=True, allow_infinity=True)),
    st.floats(-0.5, 1.5),
)
def test_any_arrays_give_a_plan_or_one_clear_error(transitions: Any, rewards: Any, discount: float) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        plan, problem = None, ""
        try:
            plan = solve(MDP(transitions, rewards, discount))
        except ValueError as error:
            problem = str(error)
        if plan is None:
            assert any(name in problem for name in ("transitions", "rewards", "discount"))
        else:
            assert (plan.lower <= plan.upper).all()


def test_checking_a_plan_leaves_the_process_as_it_is() -> None:
    table = {
        0: {0: [(0.0, 1, 5.0, False), (0.5, 1, 10.0, False), (0.5, 0, -2.0, False)]},
        1: {0: [(1.0, 1, 7.0, True)]},
    }
    process = MDP.from_gymnasium(table, 0.9)
    rows, paid = process.pairs.rows.copy(), process.pairs.paid.copy()
    solve(process).report.check(process)
    assert (process.pairs.rows != rows).nnz == 0
    np.testing.assert_array_equal(process.pairs.paid, paid)


def test_bounds_know_how_rewards_cancel() -> None:
    transitions = np.zeros((1, 4, 4))
    transitions[0, 0, 1:], transitions[0, 1:, 1:] = [0.5, 0.25, 0.25], np.eye(3)
    rewards = np.zeros((1, 4, 4))
    rewards[0, 0, 1:] = [1e17, -2e17, 1.0]
    with pytest.warns(ConvergenceWarning):
        found = solve(MDP(transitions, rewards, 0.9, terminal=[1, 2, 3]))
    assert found.lower[0] <= 0.25 <= found.upper[0]
