"""Hamiltonian dynamics: momentum, leapfrog steps, first step size, and the windows in which the mass is learned."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from certus.sampling.sampler import DualAveraging, Floats, State
from certus.sampling.target import Target

Mass = Floats  # inverse mass: a vector (diagonal) or a matrix


def draw_momentum(mass: Mass, generator: np.random.Generator) -> Floats:
    """A momentum of the distribution N(0, inverse of ``mass``)."""
    noise = generator.standard_normal(len(mass))
    if mass.ndim == 1:
        return noise / np.sqrt(mass)
    return np.asarray(np.linalg.solve(np.linalg.cholesky(mass).T, noise))


def velocity(mass: Mass, momentum: Floats) -> Floats:
    """The time derivative of the position."""
    return mass * momentum if mass.ndim == 1 else mass @ momentum


def energy(mass: Mass, state: State, momentum: Floats) -> float:
    """Potential and kinetic energy."""
    return -state.log_density + 0.5 * float(momentum @ velocity(mass, momentum))


def leapfrog(target: Target, mass: Mass, state: State, momentum: Floats, step: float) -> tuple[State, Floats]:
    """One step that keeps volume and, approximately, energy."""
    half = momentum + 0.5 * step * state.gradient
    position = state.position + step * velocity(mass, half)
    with np.errstate(over="ignore", invalid="ignore"):
        moved = State(position, *target.value_and_gradient(position))
    return moved, half + 0.5 * step * moved.gradient


def first_step(target: Target, mass: Mass, state: State, generator: np.random.Generator) -> float:
    """A step size at which one leapfrog step is accepted with probability near 0.8 (Hoffman, Gelman 2014,
    algorithm 4).
    """
    step, direction = 1.0, 0
    momentum = draw_momentum(mass, generator)
    before = energy(mass, state, momentum)
    for _ in range(60):
        moved, new = leapfrog(target, mass, state, momentum, step)
        change = before - energy(mass, moved, new)
        better = 1 if np.isfinite(change) and change > np.log(0.8) else -1
        if direction == 0:
            direction = better
        elif direction != better:
            break
        step *= 2.0**direction
    return step


def windows(draws: int) -> list[int]:
    """Lengths of the windows of tuning: a first part for the step size, doubling ones for the mass, a last part."""
    if draws < 150:
        return [draws]
    first, last, size = 75, 50, 25
    found, left = [first], draws - first - last
    while left > 0:
        size = left if left < 3 * size else size
        found.append(size)
        left -= size
        size *= 2
    return [*found, last]


def tune(
    sampler: Any, wanted: float, target: Target, state: State, draws: int, generator: np.random.Generator
) -> tuple[Any, State]:
    """Adapt step size and mass in windows, as Stan does."""
    parts = windows(draws)
    for place, length in enumerate(parts):
        start = first_step(target, sampler.mass_of(target), state, generator) if place == 0 else sampler.step_size
        averaging = DualAveraging(wanted, start)
        sampler = replace(sampler, step_size=start)
        kept = np.empty((length, target.dim))
        for draw in range(length):
            state, info = sampler.step(target, state, generator)
            sampler = replace(sampler, step_size=averaging.update(info.acceptance))
            kept[draw] = state.position
        sampler = replace(sampler, step_size=averaging.final)
        if 0 < place < len(parts) - 1:
            sampler = replace(sampler, mass=_learned(kept, sampler.dense))
            sampler = replace(sampler, step_size=first_step(target, sampler.mass, state, generator))
    return sampler, state


def _learned(kept: Floats, dense: bool) -> Mass:
    """The covariance of the draws, pulled a little towards a small multiple of the identity."""
    n = len(kept)
    share, small = n / (n + 5.0), 1e-3 * 5.0 / (n + 5.0)
    if dense:
        spread = np.atleast_2d(np.cov(kept.T))
        return np.asarray(share * spread + small * np.eye(kept.shape[1]))
    return np.asarray(share * kept.var(axis=0, ddof=1) + small)
