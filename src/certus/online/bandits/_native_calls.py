"""The one place of the bandits that calls compiled code."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from certus import _native

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
KINDS = ("ucb1", "kl-ucb", "epsilon-greedy", "thompson", "elimination", "exp3", "exp3-ix")


@dataclass
class ArmArrays:
    """What is known of the arms, changed in place by the compiled loops (see cpp/online/arms.hpp)."""

    chosen: Integers
    counts: Integers
    sums: Floats
    scores: Floats
    present: NDArray[np.uint8]
    left: NDArray[np.uint8]

    def native(self) -> _native.ArmArrays:
        """The arrays as the compiled loops read them."""
        return _native.ArmArrays(**{entry.name: getattr(self, entry.name) for entry in fields(self)})


def arm_rule(kind: str, parameter: float, *, decays: bool, seed: int) -> _native.ArmRule:
    """The rule as the compiled loops read it."""
    return _native.ArmRule(KINDS.index(kind), parameter, decays, seed)


def choose_arm(rule: _native.ArmRule, arrays: ArmArrays, number: int) -> tuple[int, float]:
    """The next arm, and how probable it was."""
    found: tuple[int, float] = _native.choose_arm(rule, arrays.native(), number)
    return found


def reward_arms(rule: _native.ArmRule, arrays: ArmArrays, rewards: list[tuple[int, float, float]]) -> None:
    """Learn (arm, reward, probability) in turn."""
    native = arrays.native()
    for arm, reward, probability in rewards:
        _native.reward_arm(rule, native, arm, reward, probability)


def run_arms(rewards: Floats, rule: _native.ArmRule, arrays: ArmArrays, first: int) -> tuple[Integers, Floats]:
    """The arms that are played on rows of rewards, and how probable each was."""
    arms, probabilities = np.zeros(len(rewards), dtype=np.int64), np.zeros(len(rewards))
    _native.run_arms(rewards, rule, arrays.native(), first, arms, probabilities)
    return arms, probabilities
