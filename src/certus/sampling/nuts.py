"""The no-U-turn sampler. Hoffman, Gelman (2014), with multinomial choice along the path (Betancourt 2017)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from certus.sampling.argument_checks import positive, whole
from certus.sampling.hamiltonian import Mass, draw_momentum, energy, leapfrog, tune, velocity
from certus.sampling.sampler import Floats, Info, Sampler, State
from certus.sampling.target import Target


@dataclass
class _Tree:
    """A piece of a path: both ends, a draw from it, and sums over its points."""

    left: tuple[State, Floats]
    right: tuple[State, Floats]
    draw: State
    log_weight: float
    momentum: Floats  # summed
    turning: bool
    divergent: bool
    acceptance: float  # summed
    points: int


@dataclass(frozen=True)
class NUTS(Sampler):
    """Hamiltonian paths that are doubled until they turn back; the draw is chosen among all their points.

    Parameters
    ----------
    target_accept : float, default=0.8
        Acceptance that the step size is adapted to while tuning; more for targets on which paths diverge.
    max_depth : int, default=10
        Doublings at most.
    dense : bool, default=False
        Whether the whole covariance is learned as mass, instead of its diagonal.
    """

    target_accept: float = 0.8
    max_depth: int = 10
    dense: bool = False
    step_size: float | None = None
    mass: Mass | None = None

    def __post_init__(self) -> None:
        if not 0 < self.target_accept < 1:
            raise ValueError(f"target_accept must be above 0 and below 1, got {self.target_accept!r}.")
        if self.step_size is not None:
            positive("step_size", self.step_size)
        whole("max_depth", self.max_depth, 1)

    def mass_of(self, target: Target) -> Mass:
        """The inverse mass."""
        return np.ones(target.dim) if self.mass is None else self.mass

    def step(self, target: Target, state: State, generator: np.random.Generator) -> tuple[State, Info]:
        mass = self.mass_of(target)
        momentum = draw_momentum(mass, generator)
        before = energy(mass, state, momentum)
        tree = _Tree((state, momentum), (state, momentum), state, 0.0, momentum, False, False, 0.0, 0)
        for depth in range(self.max_depth):
            forward = generator.random() < 0.5
            new = self._grown(target, mass, tree, forward, depth, before, generator)
            tree.acceptance += new.acceptance
            tree.points += new.points
            tree.divergent = new.divergent
            if new.turning or new.divergent:
                break
            # Biased towards the new half, which is farther away.
            if np.log(generator.random()) < new.log_weight - tree.log_weight:
                tree.draw = new.draw
            tree = _joined(mass, tree, new, forward)
            if tree.turning:
                break
        info = Info(tree.acceptance / max(tree.points, 1), tree.divergent, tree.points)
        return tree.draw, info

    def _grown(
        self,
        target: Target,
        mass: Mass,
        tree: _Tree,
        forward: bool,
        depth: int,
        before: float,
        generator: np.random.Generator,
    ) -> _Tree:
        """A path of 2^depth new points from one end of the tree."""
        if depth == 0:
            return self._leaf(target, mass, tree.right if forward else tree.left, forward, before)
        first = self._grown(target, mass, tree, forward, depth - 1, before, generator)
        if first.turning or first.divergent:
            return first
        second = self._grown(target, mass, first, forward, depth - 1, before, generator)
        together = np.logaddexp(first.log_weight, second.log_weight)
        draw = second.draw if np.log(generator.random()) < second.log_weight - together else first.draw
        joined = _joined(mass, first, second, forward)
        joined.draw = draw
        joined.turning = joined.turning or second.turning
        joined.divergent = second.divergent
        joined.acceptance = first.acceptance + second.acceptance
        joined.points = first.points + second.points
        return joined

    def _leaf(self, target: Target, mass: Mass, end: tuple[State, Floats], forward: bool, before: float) -> _Tree:
        eta = 0.1 if self.step_size is None else self.step_size
        state, momentum = leapfrog(target, mass, end[0], end[1], eta if forward else -eta)
        change = before - energy(mass, state, momentum)
        if not np.isfinite(change):
            change = -np.inf
        point = (state, momentum)
        accepted = float(np.exp(min(0.0, change)))
        return _Tree(point, point, state, change, momentum, False, bool(change < -1000), accepted, 1)

    def tuned(self, target: Target, state: State, draws: int, generator: np.random.Generator) -> tuple[NUTS, State]:
        if self.step_size is not None:
            return super().tuned(target, state, draws, generator)
        return tune(self, self.target_accept, target, state, draws, generator)


def _joined(mass: Mass, old: _Tree, new: _Tree, forward: bool) -> _Tree:
    """Both pieces as one path; whether it turns back, at its ends and where the pieces meet."""
    left, right = (old, new) if forward else (new, old)
    momentum = old.momentum + new.momentum
    turning = (
        _turns(mass, momentum, left.left[1], right.right[1])
        or _turns(mass, left.momentum + right.left[1], left.left[1], right.left[1])
        or _turns(mass, right.momentum + left.right[1], left.right[1], right.right[1])
    )
    weight = float(np.logaddexp(old.log_weight, new.log_weight))
    points, acceptance = old.points, old.acceptance
    return _Tree(left.left, right.right, old.draw, weight, momentum, turning, old.divergent, acceptance, points)


def _turns(mass: Mass, summed: Floats, first: Floats, last: Floats) -> bool:
    """Whether the ends no longer move apart (Betancourt's generalized criterion)."""
    way = velocity(mass, summed)
    return bool(way @ first <= 0 or way @ last <= 0)
