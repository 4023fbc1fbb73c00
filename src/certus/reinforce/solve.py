"""Planning: values and a policy of a known process, with bounds on how far they are from the best."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning

from certus.base import blas_on_one_thread, resolve_threads, warn_user
from certus.guarantees import Report
from certus.reinforce import _native_calls
from certus.reinforce.evaluate import action_values, pairs_of
from certus.reinforce.evidence.planning_certificates import planning_report
from certus.reinforce.evidence.residual_bounds import Bounds, rounding
from certus.reinforce.mdp import MDP
from certus.reinforce.processes.undiscounted import Undiscounted, policy_of_all, undiscounted
from certus.reinforce.solvers.automatic import automatic
from certus.reinforce.solvers.gauss_seidel import gauss_seidel
from certus.reinforce.solvers.linear_programming import linear_programming
from certus.reinforce.solvers.modified_policy_iteration import modified_policy_iteration
from certus.reinforce.solvers.policy_iteration import policy_iteration
from certus.reinforce.solvers.prioritized_sweeping import prioritized_sweeping
from certus.reinforce.solvers.search import Search
from certus.reinforce.solvers.value_iteration import value_iteration

Floats = NDArray[np.float64]
Planner = Callable[[Search, Floats], Floats]
METHODS: dict[str, Planner] = {
    "auto": automatic,
    "value-iteration": value_iteration,
    "gauss-seidel": gauss_seidel,
    "prioritized-sweeping": prioritized_sweeping,
    "policy-iteration": policy_iteration,
    "modified-policy-iteration": lambda search, values: modified_policy_iteration(search, values)[0],
    "linear-programming": lambda search, _: linear_programming(search.table, search.discount),
}
LARGEST_VALUE = 1e280
MOST_ROUNDS = 20_000  # of sweeps, unless the user says otherwise; exact policies finish what is slower than that


@dataclass(frozen=True, eq=False)
class Solution:
    """What planning found.

    Parameters
    ----------
    mdp : MDP
        The process.
    values : array of shape (S,)
        Half way between the bounds; +inf and -inf where it says so.
    policy : array of shape (S,)
        The action in every state, -1 in terminal ones.
    lower, upper : arrays of shape (S,)
        Between which the optimal values lie; the policy is worth at least the lower one.
    gap : float
        Their largest distance.
    certified_actions : boolean array of shape (S,)
        Where the action is proved to be optimal.
    unbounded : boolean array of shape (S,)
        Where rewards can be collected for ever; only without discount.
    cycle : array
        States that are visited for ever at a profit where values are unbounded: the witness.
    endless : array
        States from which no policy is sure to end, worth -inf; only without discount.
    n_iter : int
        Rounds of the method.
    converged : bool
        Whether the gap is as small as was asked.
    pairs : array of shape (S,)
        The pair of state and action that the policy takes, -1 in terminal states.
    """

    mdp: MDP
    values: Floats
    policy: NDArray[np.int64]
    lower: Floats
    upper: Floats
    gap: float
    certified_actions: NDArray[np.bool_]
    unbounded: NDArray[np.bool_]
    cycle: NDArray[np.int64]
    endless: NDArray[np.int64]
    n_iter: int
    converged: bool
    pairs: NDArray[np.int32]

    @cached_property
    def report(self) -> Report:
        """The certificates; ``report.check(mdp)`` derives them again by one sweep over two vectors."""
        bounds = Bounds(self.lower, self.upper, self.pairs)
        infinite = np.isin(np.arange(self.mdp.n_states), self.endless)
        return planning_report(self.mdp, bounds, self.certified_actions, self.unbounded, infinite, self.cycle)

    def q(self) -> Floats:
        """Values of acting, of shape (S, A): r + discount * sum_t p(t | s, a) U(t); NaN without the action."""
        return action_values(self.mdp, self.values)

    def __str__(self) -> str:
        return f"{self.mdp!r}\n{self.report.text()}"


def solve(
    mdp: MDP,
    method: str = "auto",
    *,
    tol: float = 1e-8,
    max_iter: int | None = None,
    initial: ArrayLike | None = None,
    n_jobs: int | None = None,
) -> Solution:
    """Find the optimal values and a policy, and prove how good they are.

    Parameters
    ----------
    mdp : MDP
        The process.
    method : {"auto", "value-iteration", "gauss-seidel", "prioritized-sweeping", "policy-iteration", \
"modified-policy-iteration", "linear-programming"}, default="auto"
        How; "auto" begins with modified policy iteration and goes on with exact policies where that is slow.
    tol : float, default=1e-8
        Stop when the gap is at most tol * max(1, largest value).
    max_iter : int, optional
        Largest number of rounds; the bounds that were reached are given then, with a warning.
    initial : array of shape (S,), optional
        Values or (whole numbers, for policy iteration) actions to begin with.
    n_jobs : int, optional
        Number of threads.

    Returns
    -------
    Solution
        Values, policy, bounds and certificates.

    Examples
    --------
    >>> from certus.reinforce import GridWorld, solve
    >>> plan = solve(GridWorld())
    >>> round(float(plan.values[GridWorld().state(1, 1)]), 4), plan.converged
    (0.7053, True)
    """
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(map(repr, METHODS))}, got {method!r}.")
    if not isinstance(mdp, MDP):
        raise ValueError(f"mdp must be an MDP, got {type(mdp).__name__}.\nHint: MDP(transitions, rewards, discount).")
    if not 0.0 < tol < np.inf:
        raise ValueError(f"tol must be above 0, got {tol!r}.")
    if max_iter is not None and (not isinstance(max_iter, (int, np.integer)) or max_iter < 1):
        raise ValueError(f"max_iter must be a whole number of at least 1, got {max_iter!r}.")
    found = planned(mdp, method, tol=tol, max_iter=max_iter, initial=initial, n_jobs=n_jobs)
    if not found.converged:
        warn_user(
            f"solve: the gap is {found.gap:.3g} after {found.n_iter} rounds, above tol times the largest value.\n"
            "Hint: allow more rounds (max_iter), or a larger tol: close to discount 1 rounding alone may be larger.",
            ConvergenceWarning,
        )
    return found


def planned(
    mdp: MDP,
    method: str = "auto",
    *,
    tol: float = 1e-8,
    max_iter: int | None = None,
    initial: ArrayLike | None = None,
    n_jobs: int | None = None,
) -> Solution:
    """What `solve` does, without a warning where the bounds are wider than asked."""
    _refuse_overflow(mdp)
    parts = undiscounted(mdp.pairs) if mdp.discount == 1.0 else None
    table = mdp.pairs.dense_if_small() if parts is None else parts.reduced
    threads = resolve_threads(n_jobs)
    search = Search(table, mdp.discount, tol, MOST_ROUNDS if max_iter is None else int(max_iter), threads)
    with blas_on_one_thread():
        first, pairs = _beginning(mdp, parts, table, initial)
        planner = METHODS[method]
        if pairs is not None and method == "policy-iteration":
            values = policy_iteration(search, first, pairs)
        else:
            values = planner(search, first)
            if max_iter is None and search.exhausted:
                search.most *= 2
                values = policy_iteration(search, values)
        if search.bounds is None:
            search.finish(values)
        bounds = search.bounds
        assert bounds is not None
        return _solution(mdp, parts, search, bounds)


def _refuse_overflow(mdp: MDP) -> None:
    """Values that floating-point numbers cannot hold would be infinite, and their distance nothing."""
    paid = max(float(np.max(np.abs(each), initial=0.0)) for each in (mdp.pairs.rewards, mdp.pairs.fixed))
    if paid / (1.0 - mdp.discount if mdp.discount < 1.0 else 1e-16) > LARGEST_VALUE:
        raise ValueError(
            f"rewards up to {paid:g} with discount {mdp.discount:g} can add up to more than {LARGEST_VALUE:g}.\n"
            "Hint: divide all rewards by the largest; the best policy stays the same."
        )


def _beginning(mdp: MDP, parts: Undiscounted | None, table: Any, initial: Any) -> tuple[Floats, Any]:
    """First values of the searched table, and the policy's pairs if actions were given."""
    if initial is None:
        return table.fixed.copy(), None
    given = np.asarray(initial)
    if given.shape != (mdp.n_states,):
        raise ValueError(f"initial must have the shape ({mdp.n_states},), got {given.shape}.")
    if given.dtype.kind in "iu":
        pairs = pairs_of(mdp, given)
        if parts is not None:
            return table.fixed.copy(), None
        return table.fixed.copy(), pairs
    values = given.astype(np.float64)
    if not np.isfinite(values).all():
        raise ValueError("initial must be finite numbers.")
    if parts is None:
        return np.where(table.terminal, table.fixed, values), None
    mapped = table.fixed.copy()
    inner = parts.place >= 0
    mapped[parts.place[inner]] = values[inner]
    return np.where(table.terminal, table.fixed, mapped), None


def _solution(mdp: MDP, parts: Undiscounted | None, search: Search, bounds: Bounds) -> Solution:
    table = mdp.pairs
    proved = _certified(search, bounds)
    unbounded = np.zeros(mdp.n_states, dtype=bool)
    endless = np.zeros(mdp.n_states, dtype=bool)
    cycle = np.zeros(0, dtype=np.int64)
    if parts is None:
        lower, upper, pairs = bounds.lower, bounds.upper, bounds.pairs
    else:
        unbounded, endless = parts.unbounded, parts.endless
        cycle = np.unique(table.states[parts.profit])
        infinite = np.where(unbounded, np.inf, -np.inf)
        at = np.maximum(parts.place, 0)
        lower = np.where(parts.place >= 0, bounds.lower[at], infinite)
        upper = np.where(parts.place >= 0, bounds.upper[at], infinite)
        pairs = policy_of_all(table, parts, bounds.pairs)
        proved = np.where(parts.place >= 0, proved[at], True)
    final = Bounds(lower, upper, pairs)
    gap, values = final.gap, final.middle
    size = max(1.0, float(np.max(np.abs(values[np.isfinite(values)]), initial=0.0)))
    converged = bool(gap <= search.tol * size)
    policy = np.where(mdp.terminal, -1, table.actions[np.maximum(pairs, 0)] if len(table.actions) else -1)
    return Solution(
        mdp, values, policy.astype(np.int64), lower, upper, gap, proved | mdp.terminal, unbounded, cycle,
        np.flatnonzero(endless), search.rounds, converged, pairs,
    )  # fmt: skip


def _certified(search: Search, bounds: Bounds) -> NDArray[np.bool_]:
    lower, upper = bounds.lower, bounds.upper
    if not (np.isfinite(lower).all() and np.isfinite(upper).all()):
        return np.zeros(search.table.n_states, dtype=bool)
    size = max(float(np.max(np.abs(end), initial=0.0)) for end in (lower, upper))
    margin = rounding(search.table, search.discount, size)
    return _native_calls.certified_pairs(search.held, lower, upper, bounds.pairs, margin, search.threads)
