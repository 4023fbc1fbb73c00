"""How the solution of a support vector machine moves as C grows: piecewise linear. Hastie et al. (2004).

Every variable t has 0 <= a_t <= C w_t and a slope g_t = s_t (F + b) + p_t (see cpp/svm/problem.hpp). At the optimum
it is idle (a_t = 0, g_t >= 0), on the margin (g_t = 0) or at its bound (a_t = C w_t, g_t <= 0). As long as nobody
changes sides, the signed multipliers of the margin and the intercept solve one linear system whose right-hand side
is linear in C, so that everything is linear in C; the next breakpoint is where somebody must change sides.

Ties: limits are tested with a tiny tolerance, and of all variables that reach theirs together the one that moves
fastest goes first. A variable whose features depend on those of the margin changes places with one of them, which
moves multipliers but no score. What neither resolves is left to an exact solver a little further on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from certus.svm._native_calls import Floats
from certus.svm.solvers.margin_system import MarginSystem
from certus.svm.solvers.unpinned_intercept import next_pin

IDLE, MARGIN, BOUND = range(3)

SLACK = 1e-11  # by how much limits may be passed, relative to the size of the numbers
WRONG = 1e-7  # a failure of the conditions by more than this calls for the exact solver
NOISE = 1e-13  # rates below this, relative to what they are summed from, are zero
STALLED = 200  # steps without progress in C before the exact solver is called
JUMPS = (1.0005, 1.01, 1.2, 2.0)  # how much further on the exact solver starts, one after the other
RESTARTS = 40
FAR = 1e8  # a breakpoint so many times further on cannot be told from none

Exact = Callable[[float, Floats], tuple[Floats, float]]  # (C, feasible start) -> multipliers and intercept


class DegenerateError(ArithmeticError):
    """The sides cannot be told by linear algebra; an exact solution further on can."""


@dataclass(frozen=True)
class PathProblem:
    """The family of problems over C; variable t belongs to row t mod rows of the kernel matrix."""

    gram: Floats
    sign: Floats
    linear: Floats
    weights: Floats  # w: the upper bounds at C = 1
    bias: bool

    @property
    def rows(self) -> NDArray[np.intp]:
        """Row of every variable."""
        return np.arange(len(self.sign), dtype=np.intp) % len(self.gram)


@dataclass(frozen=True)
class Piece:
    """Values linear in C: constant and rate of the margin's signed multipliers, the scores and the intercept."""

    margin: Floats  # 2 x members
    scores: Floats  # 2 x rows
    intercept: tuple[float, float]

    def at(self, C: float) -> tuple[Floats, Floats, float]:
        """Margin's signed multipliers, scores and intercept."""
        return (
            self.margin[0] + C * self.margin[1],
            self.scores[0] + C * self.scores[1],
            self.intercept[0] + C * self.intercept[1],
        )


@dataclass(frozen=True)
class State:
    """A solution at one C."""

    C: float
    alpha: Floats
    intercept: float
    slopes: Floats  # g


@dataclass(frozen=True)
class _Event:
    C: float
    variables: tuple[int, ...]
    upwards: bool = False  # a margin variable that reaches its upper bound


class PathFollower:
    """Follows the solution of a `PathProblem` from small to large C; `states` are its breakpoints."""

    def __init__(self, problem: PathProblem, exact: Exact, most_restarts: int = RESTARTS) -> None:
        self.problem = problem
        self.exact = exact
        self._most_restarts = most_restarts
        self.states: list[State] = []
        self.restarts: list[float] = []
        self.exhausted = False  # whether rounding decides about everything beyond the last state
        self.C = 0.0
        self.side: NDArray[np.int8] = np.full(len(problem.sign), IDLE, dtype=np.int8)
        self._rows = problem.rows
        self._size = max(1.0, float(np.abs(problem.linear).max(initial=0.0)))
        self._largest = float(np.abs(problem.gram).max(initial=0.0))
        self._intercept = 0.0
        self._clear()

    # --- where to begin -----------------------------------------------------------------------------------------

    def begin(self, C: float, shares: Floats, intercept: float = 0.0) -> None:
        """Start at a solution whose multipliers are C times the shares; the intercept matters if no row pins it."""
        self._clear()
        self.C, self._intercept = C, intercept
        weights = self.problem.weights
        shares = np.clip(shares, 0.0, weights)
        self.side[:] = IDLE
        for variable in np.flatnonzero(shares >= weights * (1.0 - 1e-9)):
            self._move(int(variable), BOUND)
            shares[variable] = weights[variable]
        for variable in np.flatnonzero((shares > 1e-9 * weights) & (self.side != BOUND)):
            self._enter(int(variable), shares, weights, rising=True)

    def begin_exactly(self, C: float, start: Floats) -> None:
        """Start at the solution at C that the exact solver finds from a feasible start."""
        alpha, intercept = self.exact(C, start)
        self.begin(C, alpha / C, intercept)

    def _clear(self) -> None:
        self._system = MarginSystem(self.problem.gram, self._rows, self.problem.bias)
        self._bound_scores: Floats = np.zeros(len(self.problem.gram))
        self._bound_sum = 0.0
        self.side = np.full(len(self.problem.sign), IDLE, dtype=np.int8)

    # --- following ----------------------------------------------------------------------------------------------

    def follow(self, C_max: float, *, to_the_end: bool = True) -> Piece:
        """Go on to ``C_max``, or for infinity until nobody changes sides any more; the last piece.

        Unless ``to_the_end``, a last piece without breakpoint is not gone through to ``C_max``. Where the numbers do
        not suffice to go on, it stops there and sets ``exhausted``.
        """
        idle_steps = 0
        piece = Piece(np.zeros((2, 0)), np.zeros((2, len(self.problem.gram))), (0.0, 0.0))
        while True:
            try:
                piece, event = self._next(first=idle_steps == 0)
                end = min(event.C, C_max if to_the_end else np.inf)
                if not self.states or (np.isfinite(end) and end > self.C):
                    self._record(piece, self.C)
                idle_steps = idle_steps + 1 if end <= self.C else 0
                if idle_steps > STALLED:
                    raise DegenerateError
                if np.isfinite(end) and end > self.C:
                    self.C = end
                    self._record(piece, end)
                if end >= C_max or not np.isfinite(event.C):
                    return piece
                self._apply(event, piece)
            except DegenerateError:
                if not self._restart(C_max):
                    self.exhausted = True
                    return piece
                idle_steps = 0

    def _next(self, first: bool) -> tuple[Piece, _Event]:
        if self.problem.bias and len(self._system) == 0:
            piece, event = self._unpinned()
        else:
            piece = self._piece()
            event = self._next_event(piece)
        if first and self._failure(piece) > WRONG * self._size:
            raise DegenerateError
        return piece, event

    def _piece(self) -> Piece:
        problem, members = self.problem, self._system.members
        rows = self._rows[members]
        right = np.stack([-problem.sign[members] * problem.linear[members], -self._bound_scores[rows]], axis=1)
        if problem.bias:
            right = np.vstack([[0.0, -self._bound_sum], right])
        found = self._system.solve(right) if len(members) else right
        intercept = (float(found[0, 0]), float(found[0, 1])) if problem.bias else (0.0, 0.0)
        margin = found[int(problem.bias) :].T
        scores = margin @ problem.gram[rows]
        scores[1] += self._bound_scores
        return Piece(margin, scores, intercept)

    def _unpinned(self) -> tuple[Piece, _Event]:
        """Nobody is on the margin: the intercept may move until a lower and an upper limit meet."""
        sign, linear, scores = self.problem.sign, self.problem.linear, self._bound_scores[self._rows]
        below = (self.side == IDLE) == (sign > 0)  # whether s_t (F + b) + p_t bounds b from below
        limits = np.stack([-sign * linear, -scores])  # b at which g_t = 0, constant and rate
        end, pair, intercept = next_pin(limits, below, self.C, self._intercept, SLACK * self._size)
        piece = Piece(np.zeros((2, 0)), np.stack([np.zeros_like(self._bound_scores), self._bound_scores]), intercept)
        return piece, _Event(end, pair)

    def _next_event(self, piece: Piece) -> _Event:
        """Where the first variable must change sides, and which."""
        constant, rate, slack, variables = self._room(piece)
        falling = rate < -self._noise(piece)
        if not falling.any():
            return _Event(np.inf, ())
        constant, rate, slack = constant[falling], -rate[falling], slack[falling]
        variables = variables[falling]
        upwards = np.flatnonzero(falling) >= len(self.side) + len(self._system)
        limit = max(self.C, float(((constant + slack) / rate).min()))
        due = constant / rate <= limit
        chosen = np.flatnonzero(due)[np.argmax(rate[due] / slack[due])]
        end = float(np.clip(constant[chosen] / rate[chosen], self.C, limit))
        if self.C > 0.0 and end > FAR * self.C:
            return _Event(np.inf, ())
        return _Event(end, (int(variables[chosen]),), bool(upwards[chosen]))

    def _room(self, piece: Piece) -> tuple[Floats, Floats, Floats, NDArray[np.intp]]:
        """How far every limit is away, linear in C: constant, rate, tolerance, variable.

        First the slopes of all variables (of those on the margin without limit), then the margin's distances to
        zero, then those to the upper bounds.
        """
        problem, members = self.problem, self._system.members
        slopes = problem.sign * (piece.scores[:, self._rows] + np.array(piece.intercept)[:, None])
        slopes[0] += problem.linear
        slopes *= np.where(self.side == BOUND, -1.0, 1.0)
        slopes[:, members] = np.array([[np.inf], [0.0]])
        values = problem.sign[members] * piece.margin
        weights = problem.weights[members]
        rest = np.stack([-values[0], weights - values[1]])
        small = np.maximum(SLACK * weights * self.C, 1e-300)
        return (
            np.concatenate([slopes[0], values[0], rest[0]]),
            np.concatenate([slopes[1], values[1], rest[1]]),
            np.concatenate([np.full(len(self.side), SLACK * self._size), small, small]),
            np.concatenate([np.arange(len(self.side)), members, members]),
        )

    def _noise(self, piece: Piece) -> Floats:
        """Rates that cannot be told from zero, in the order of `_room`."""
        moved = float(np.abs(piece.margin[1]).sum() + self.problem.weights[self.side == BOUND].sum())
        members = self._system.members
        of_margin = NOISE * np.maximum(self.problem.weights[members], np.abs(piece.margin[1]).max(initial=0.0))
        return np.concatenate([np.full(len(self.side), NOISE * moved * self._largest), of_margin, of_margin])

    def _failure(self, piece: Piece) -> float:
        """By how much a condition fails here; multipliers count relative to C."""
        constant, rate, _, variables = self._room(piece)
        here = constant + self.C * rate
        of_margin = np.arange(len(here)) >= len(self.side)
        size = np.where(of_margin, self.problem.weights[variables] * max(self.C, 1e-300), 1.0)
        if self.C == 0.0:
            here = np.where(of_margin, rate, here)  # all multipliers are zero: their rates must be within bounds
            size = np.where(of_margin, self.problem.weights[variables], 1.0)
        return float(-(here / size).min(initial=0.0))

    # --- changing sides -----------------------------------------------------------------------------------------

    def _apply(self, event: _Event, piece: Piece) -> None:
        _, _, self._intercept = piece.at(self.C)
        alpha = self._alpha(piece)
        for variable in event.variables:
            if self.side[variable] == MARGIN:
                self._system.leave(variable)
                self._move(variable, BOUND if event.upwards else IDLE)
            else:
                rising = self.side[variable] == IDLE
                self._move(variable, MARGIN)
                self._enter(variable, alpha, self.C * self.problem.weights, rising=bool(rising))
        empty = self.problem.bias and len(self._system) == 0
        if empty and abs(self._bound_sum) > 1e-9 * float(self.problem.weights.sum()):
            raise DegenerateError

    def _enter(self, variable: int, values: Floats, upper: Floats, *, rising: bool) -> None:
        """Take a variable into the margin; where that is not possible, exchange it for a member."""
        dependence = self._system.join(variable)
        if dependence is None:
            self._move(variable, MARGIN)
            return
        members = self._system.members
        both = np.append(members, variable)
        sign = self.problem.sign
        change = np.append(-sign[members] * dependence * sign[variable], 1.0) * (1.0 if rising else -1.0)
        room = np.where(change > 0.0, upper[both] - values[both], values[both])
        with np.errstate(divide="ignore", invalid="ignore"):
            steps = np.where(np.abs(change) > 1e-9, np.maximum(room, 0.0) / np.abs(change), np.inf)
        first = int(np.argmin(steps))
        values[both] = np.clip(values[both] + steps[first] * change, 0.0, upper[both])
        leaving, side = int(both[first]), BOUND if change[first] > 0.0 else IDLE
        if leaving != variable:
            self._system.leave(leaving)
            if self._system.join(variable) is not None:
                raise DegenerateError
            self._move(variable, MARGIN)
        self._move(leaving, side)

    def _move(self, variable: int, side: int) -> None:
        """Book a variable to another side, and with it the scores of the bound ones."""
        was = self.side[variable]
        self.side[variable] = side
        step = int(side == BOUND) - int(was == BOUND)
        if step:
            amount = step * self.problem.sign[variable] * self.problem.weights[variable]
            self._bound_scores += amount * self.problem.gram[self._rows[variable]]
            self._bound_sum += amount
            if not (self.side == BOUND).any():  # no rounding errors are left behind
                self._bound_scores[:], self._bound_sum = 0.0, 0.0

    # --- solutions ----------------------------------------------------------------------------------------------

    def _alpha(self, piece: Piece) -> Floats:
        alpha = np.where(self.side == BOUND, self.C * self.problem.weights, 0.0)
        members = self._system.members
        alpha[members] = self.problem.sign[members] * piece.at(self.C)[0]
        return np.clip(alpha, 0.0, self.C * self.problem.weights)

    def rates(self, piece: Piece) -> Floats:
        """How fast every multiplier grows with C."""
        found = np.where(self.side == BOUND, self.problem.weights, 0.0)
        members = self._system.members
        found[members] = self.problem.sign[members] * piece.margin[1]
        return found

    def _record(self, piece: Piece, C: float) -> None:
        if self.states and self.states[-1].C == C:
            return
        _, scores, intercept = piece.at(C)
        slopes = self.problem.sign * (scores[self._rows] + intercept) + self.problem.linear
        self.states.append(State(C, self._alpha(piece), intercept, slopes))

    def _restart(self, C_max: float) -> bool:
        """Go on from an exact solution a little further on; whether there is one that can be followed."""
        if not self.states or self.states[-1].C == 0.0:
            return False
        last = self.states[-1]
        for jump in JUMPS:
            C = min(last.C * jump, C_max)
            if len(self.restarts) >= self._most_restarts or C <= last.C:
                return False
            self.restarts.append(C)
            try:
                self.begin_exactly(C, last.alpha * (C / last.C))
                if self._failure(self._next(first=False)[0]) <= WRONG * self._size:
                    return True
            except DegenerateError:
                continue
        return False
