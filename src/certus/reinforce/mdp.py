"""Markov decision processes that are known: states, actions, probabilities, rewards."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from certus.reinforce.processes import gymnasium_model
from certus.reinforce.processes.pair_table import PairTable, csr_of, normalized_rows, stacked
from certus.reinforce.processes.reward_forms import rewards_of

Floats = NDArray[np.float64]


class MDP:
    """A Markov decision process.

    Rewards for being in a state count there, also at the end: U(s) = R(s) + discount * max_a sum_t p(t | s, a) U(t) and
    U(terminal) = R(terminal). Rewards for acting leave U(terminal) = 0.

    Parameters
    ----------
    transitions : array of shape (A, S, S) or list of A (sparse) matrices of shape (S, S)
        Probabilities of the next state, by action and state.
    rewards : array of shape (S,), (S, A) or (A, S, S)
        For being in a state; for acting in it; for a transition. The last also as a list of matrices.
    discount : float, default=1.0
        What a reward is worth one step later, in [0, 1].
    terminal : sequence of int, optional
        States that end everything. What the arrays say of leaving them is ignored.
    available : boolean array of shape (S, A), optional
        Which actions each state has; all by default.
    start : int or array of shape (S,), optional
        Where episodes begin: a state or a distribution. By default uniform over states that are not terminal.
    state_names, action_names : sequence, optional
        What to call them; numbers by default.

    Attributes
    ----------
    n_states, n_actions : int
        How many there are.
    terminal : boolean array of shape (S,)
        Which states end everything.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.reinforce import MDP, solve
    >>> stay, go = np.eye(2), np.array([[0.0, 1.0], [0.0, 1.0]])
    >>> mdp = MDP([stay, go], np.array([[0.0, 1.0], [0.0, 0.0]]), discount=0.9, terminal=[1])
    >>> solve(mdp).values
    array([1., 0.])
    """

    def __init__(
        self,
        transitions: Any,
        rewards: Any,
        discount: float = 1.0,
        *,
        terminal: ArrayLike | None = None,
        available: ArrayLike | None = None,
        start: ArrayLike | None = None,
        state_names: Sequence[Any] | None = None,
        action_names: Sequence[Any] | None = None,
    ) -> None:
        matrices, n_states = _matrices(transitions)
        ends = _terminal_mask(terminal, n_states)
        has = _available_mask(available, n_states, len(matrices))
        self._name(n_states, len(matrices), discount, state_names, action_names)
        states, actions = np.nonzero(has & ~ends[:, None])
        self._require_actions(states, ends)
        if isinstance(matrices, np.ndarray):
            chosen: Any = matrices[actions, states]
        else:
            chosen = stacked(matrices, n_states)[actions * n_states + states]
            chosen = csr_of(chosen, chosen.shape)
        rows = normalized_rows(chosen, lambda pair: self._pair_name(states[pair], actions[pair]))
        paid = rewards_of(rewards, rows, states, actions, ends, (len(matrices), n_states), self._pair_name)
        self._complete(states, actions, rows, paid, start)

    @classmethod
    def from_pairs(
        cls,
        transitions: Any,
        rewards: ArrayLike,
        discount: float,
        states: ArrayLike,
        actions: ArrayLike,
        *,
        terminal: ArrayLike | None = None,
        start: ArrayLike | None = None,
        state_names: Sequence[Any] | None = None,
        action_names: Sequence[Any] | None = None,
    ) -> Self:
        """A process given by its pairs of a state and an action.

        Parameters
        ----------
        transitions : (sparse) array of shape (n_pairs, S)
            Probabilities of the next state.
        rewards : array of shape (n_pairs,)
            For acting.
        discount : float
            What a reward is worth one step later.
        states, actions : arrays of shape (n_pairs,)
            The state and the action of each pair, in any order.
        terminal, start, state_names, action_names : optional
            As for `MDP`.
        """
        rows = transitions if sparse.issparse(transitions) else np.asarray(transitions, dtype=np.float64)
        of, by = np.asarray(states), np.asarray(actions)
        if rows.ndim != 2 or not (of.shape == by.shape == (rows.shape[0],)) or of.dtype.kind not in "iu":
            raise ValueError(
                f"states and actions must be whole numbers, one for each of the {rows.shape[0]} rows of transitions, "
                f"got "
                f"shapes {of.shape} and {by.shape} of type {of.dtype}."
            )
        n_states, n_actions = rows.shape[1], int(by.max(initial=-1)) + 1
        _check_indices(of, n_states, "states")
        _check_indices(by, n_actions, "actions")
        self = cls.__new__(cls)
        self._name(n_states, n_actions, discount, state_names, action_names)
        ends = _terminal_mask(terminal, n_states)
        numbers = of.astype(np.int64) * n_actions + by
        as_given = not ends.any() and bool((np.diff(numbers) > 0).all())
        order: Any = slice(None)
        if not as_given:
            order = np.argsort(numbers, kind="stable")
            order = order[~ends[of[order]]]
        of, by = of[order], by[order]
        twice = np.flatnonzero((np.diff(of) == 0) & (np.diff(by) == 0))
        if twice.size:
            raise ValueError(f"states, actions: {self._pair_name(of[twice[0]], by[twice[0]])} is given twice.")
        self._require_actions(of, ends)
        whole = sparse.csr_array(rows) if sparse.issparse(rows) else rows
        chosen = whole if as_given else whole[order]
        kept = csr_of(chosen, chosen.shape) if sparse.issparse(chosen) else chosen
        kept = normalized_rows(kept, lambda pair: self._pair_name(of[pair], by[pair]))
        worth = np.asarray(rewards, dtype=np.float64)
        if worth.shape != (rows.shape[0],):
            raise ValueError(f"rewards must have the shape ({rows.shape[0]},), one for each pair, got {worth.shape}.")
        if not np.isfinite(worth[order]).all():
            pair = int(np.flatnonzero(~np.isfinite(worth[order]))[0])
            raise ValueError(f"rewards: for {self._pair_name(of[pair], by[pair])} it is {worth[order][pair]}.")
        self._complete(of, by, kept, (worth[order], np.zeros(n_states), None), start)
        return self

    @classmethod
    def from_functions(
        cls,
        states: Iterable[Hashable],
        actions: Callable[[Any], Iterable[Hashable]],
        transitions: Callable[[Any, Any], Mapping[Any, float]],
        rewards: Callable[..., float],
        discount: float = 1.0,
        *,
        terminal: Iterable[Hashable] = (),
    ) -> Self:
        """A process given by functions of named states.

        Parameters
        ----------
        states : iterable
            Names of the states.
        actions : function of a state
            Names of the actions that it has.
        transitions : function of a state and an action
            A dictionary from next states to their probabilities.
        rewards : function of a state, or of a state and an action
            For being there, or for acting there.
        discount : float, default=1.0
            What a reward is worth one step later.
        terminal : iterable, default=()
            States that end everything.

        Examples
        --------
        >>> from certus.reinforce import MDP, solve
        >>> coin = MDP.from_functions("ab", lambda s: ["flip"], lambda s, a: {"a": 0.5, "b": 0.5}, lambda s: s == "b",
        ...                           terminal="b")
        >>> solve(coin).values
        array([1., 1.])
        """
        names = list(states)
        place = {name: number for number, name in enumerate(names)}
        ends = {place[name] for name in terminal}
        known: dict[Hashable, int] = {}
        columns: list[int] = []
        shares: list[float] = []
        lengths, of, by = [0], [], []
        for number, name in enumerate(names):
            for action in () if number in ends else actions(name):
                for following, share in transitions(name, action).items():
                    if following not in place:
                        raise ValueError(f"transitions: {following!r}, reached from {name!r}, is not among the states.")
                    columns.append(place[following])
                    shares.append(float(share))
                lengths.append(len(columns))
                of.append(number)
                by.append(known.setdefault(action, len(known)))
        rows = sparse.csr_array((shares, columns, lengths), shape=(len(of), len(names)))
        in_state = len(inspect.signature(rewards).parameters) == 1
        acting = list(known)
        paid = [
            float(rewards(names[s]) if in_state else rewards(names[s], acting[a])) for s, a in zip(of, by, strict=True)
        ]
        self = cls.from_pairs(
            rows,
            paid,
            discount,
            np.array(of, dtype=np.int64),
            np.array(by, dtype=np.int64),
            terminal=sorted(ends),
            state_names=names,
            action_names=acting,
        )
        if in_state:
            for number in ends:
                self.pairs.fixed[number] = float(rewards(names[number]))
        return self

    @classmethod
    def from_gymnasium(cls, env: Any, discount: float = 1.0) -> Self:
        """The process behind an environment of gymnasium that shows it as ``P``, or ``P`` itself; wrappers are taken
        off.

        A transition that is marked as terminated leads to one more state, the last one.

        Parameters
        ----------
        env : environment or dict
            FrozenLake, Taxi, CliffWalking and their like; or ``P[state][action]``, lists of (probability, next state,
            reward, terminated).
        discount : float, default=1.0
            What a reward is worth one step later.
        """
        found = gymnasium_model.read(env)
        self = cls.__new__(cls)
        n_states = found.rows.shape[1]
        self._name(n_states, found.n_actions, discount, None, None)
        self._require_actions(found.states, np.arange(n_states) == n_states - 1)
        rows = normalized_rows(found.rows, lambda pair: self._pair_name(found.states[pair], found.actions[pair]))
        expected = np.add.reduceat(rows.data * found.paid, rows.indptr[:-1])
        self._complete(found.states, found.actions, rows, (expected, np.zeros(n_states), found.paid), found.start)
        return self

    def _name(self, n_states: int, n_actions: int, discount: Any, states: Any, actions: Any) -> None:
        if n_states == 0:
            raise ValueError("a process needs at least one state, got none.")
        self.n_states, self.n_actions = n_states, n_actions
        number = float(discount) if not isinstance(discount, (bool, str)) else np.nan
        if not 0.0 <= number <= 1.0:
            raise ValueError(f"discount must lie in [0, 1], got {discount!r}.\nHint: 1 adds rewards without discount.")
        self.discount = number
        self.state_names = _names(states, n_states, "state_names")
        self.action_names = _names(actions, n_actions, "action_names")

    def _pair_name(self, state: Any, action: Any) -> str:
        return f"state {self.state_names[int(state)]!r} and action {self.action_names[int(action)]!r}"

    def _require_actions(self, states: NDArray[Any], ends: NDArray[np.bool_]) -> None:
        idle = np.flatnonzero((np.bincount(states, minlength=self.n_states) == 0) & ~ends)
        if idle.size:
            raise ValueError(
                f"state {self.state_names[int(idle[0])]!r} has no action and is not terminal ({idle.size} of "
                f"{self.n_states} states).\nHint: list states that end everything in `terminal`."
            )

    def _complete(self, states: Any, actions: Any, rows: Any, paid: Any, start: ArrayLike | None) -> None:
        counts = np.bincount(states, minlength=self.n_states)
        self.pairs = PairTable(
            starts=np.concatenate(([0], np.cumsum(counts))).astype(np.int64),
            actions=np.asarray(actions, dtype=np.int32),
            rewards=np.ascontiguousarray(paid[0]),
            rows=rows,
            fixed=paid[1],
            paid=paid[2],
        )
        self.terminal = self.pairs.terminal
        self.start = _start_distribution(start, self.terminal)

    @property
    def available(self) -> NDArray[np.bool_]:
        """Which actions each state has."""
        found = np.zeros((self.n_states, self.n_actions), dtype=bool)
        found[self.pairs.states, self.pairs.actions] = True
        return found

    def with_discount(self, discount: float) -> Self:
        """The same process with another discount."""
        other = type(self).__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._name(self.n_states, self.n_actions, discount, self.state_names, self.action_names)
        return other

    def __repr__(self) -> str:
        form = "sparse" if sparse.issparse(self.pairs.rows) else "dense"
        return (
            f"{type(self).__name__}({self.n_states} states, {self.n_actions} actions, discount={self.discount:g}, "
            f"{form}, "
            f"{int(self.terminal.sum())} terminal)"
        )


def _matrices(transitions: Any) -> tuple[Any, int]:
    """Dense transitions as one array, sparse ones as a list; and the number of states."""
    if isinstance(transitions, (list, tuple)) and any(sparse.issparse(each) for each in transitions):
        return list(transitions), transitions[0].shape[0]
    array = np.asarray(transitions, dtype=np.float64)
    if array.ndim != 3 or array.shape[1] != array.shape[2]:
        raise ValueError(
            f"transitions must have the shape (actions, states, states), got {array.shape}.\n"
            "Hint: transitions[a, s, t] is the probability of t after a in s."
        )
    return array, array.shape[1]


def _check_indices(values: NDArray[Any], most: int, name: str) -> None:
    bad = np.flatnonzero((values < 0) | (values >= most))
    if bad.size:
        raise ValueError(f"{name} must lie in 0 .. {most - 1}; place {bad[0]} is {values[bad[0]]}.")


def _terminal_mask(terminal: ArrayLike | None, n_states: int) -> NDArray[np.bool_]:
    found = np.zeros(n_states, dtype=bool)
    if terminal is not None:
        listed = np.asarray(terminal)
        if listed.size and (listed.ndim != 1 or listed.dtype.kind not in "iu"):
            raise ValueError(
                f"terminal must list states by number, got {listed.dtype} of shape {listed.shape}.\n"
                "Hint: np.flatnonzero turns a mask into numbers."
            )
        _check_indices(listed, n_states, "terminal")
        found[listed.astype(np.int64)] = True
    return found


def _available_mask(available: ArrayLike | None, n_states: int, n_actions: int) -> NDArray[np.bool_]:
    if available is None:
        return np.ones((n_states, n_actions), dtype=bool)
    found = np.asarray(available)
    if found.dtype != bool or found.shape != (n_states, n_actions):
        raise ValueError(
            f"available must be a boolean array of shape ({n_states}, {n_actions}), got {found.dtype} of shape "
            f"{found.shape}."
        )
    return found


def _start_distribution(start: ArrayLike | None, terminal: NDArray[np.bool_]) -> Floats:
    if start is None:
        return np.where(terminal, 0.0, 1.0) / max(1, int((~terminal).sum()))
    given = np.asarray(start)
    if given.ndim == 0:
        _check_indices(given[None], len(terminal), "start")
        return np.eye(1, len(terminal), int(given))[0]
    shares = np.asarray(start, dtype=np.float64)
    if shares.shape != terminal.shape or not (shares >= 0.0).all() or abs(shares.sum() - 1.0) > 1e-9:
        raise ValueError(
            f"start must be a state or {len(terminal)} probabilities that sum to 1, got shape {shares.shape} with sum "
            f"{shares.sum():g}."
        )
    return shares / shares.sum()


def _names(names: Sequence[Any] | None, count: int, what: str) -> list[Any]:
    found = list(range(count)) if names is None else list(names)
    if len(found) != count:
        raise ValueError(f"{what} must have {count} entries, got {len(found)}.")
    return found
