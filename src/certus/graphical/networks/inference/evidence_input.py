"""What was observed: a state, a set of states, or likelihoods of the states, per node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.graphical.networks.graphs.dag import unknown_name

Floats = NDArray[np.float64]


class ImpossibleEvidence(ValueError):  # noqa: N818  it is what the evidence is
    """The evidence has probability 0.

    Attributes
    ----------
    subset : dict
        A part of the evidence that is impossible, and of which every smaller part is possible.
    """

    def __init__(self, subset: Mapping[str, Any]) -> None:
        self.subset = dict(subset)
        listed = ", ".join(f"{name!r}: {value!r}" for name, value in self.subset.items())
        super().__init__(
            f"The evidence must be possible, got {{{listed}}}, which has probability 0.\n"
            "Hint: leave out one of these; every smaller part of them is possible."
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return ImpossibleEvidence, (self.subset,)


@dataclass(frozen=True)
class Evidence:
    """Evidence on a network.

    Parameters
    ----------
    given : dict
        As the user gave it.
    states : dict of int to int
        Nodes that are observed, with the places of their states.
    weights : dict of int to ndarray
        Likelihoods of the states of other nodes.
    """

    given: dict[str, Any] = field(default_factory=dict)
    states: dict[int, int] = field(default_factory=dict)
    weights: dict[int, Floats] = field(default_factory=dict)

    @property
    def nodes(self) -> set[int]:
        """All nodes that the evidence is about."""
        return {*self.states, *self.weights}


def read_evidence(
    given: Mapping[str, Any] | None, names: Sequence[str], labels: Mapping[str, Sequence[Any]]
) -> Evidence:
    """Places and weights of evidence by names and labels."""
    if given is None:
        return Evidence()
    if not isinstance(given, Mapping):
        raise TypeError(f"evidence must be a dict from nodes to states, got {given!r}.")
    place = {name: node for node, name in enumerate(names)}
    states: dict[int, int] = {}
    weights: dict[int, Floats] = {}
    for name, value in given.items():
        if name not in place:
            raise ValueError(unknown_name(name, list(names), "The evidence names"))
        found = _weights(name, value, labels[name])
        if isinstance(found, int):
            states[place[name]] = found
        elif np.count_nonzero(found) == 1 and found.max() == 1.0:
            states[place[name]] = int(np.argmax(found))
        else:
            weights[place[name]] = found
    return Evidence(dict(given), states, weights)


def _weights(name: str, value: Any, labels: Sequence[Any]) -> int | Floats:
    value = value.item() if isinstance(value, np.generic) else value
    if not isinstance(value, set | frozenset | list | dict | np.ndarray) and value in labels:
        return labels.index(value)
    if isinstance(value, set | frozenset):
        return _likelihoods(name, dict.fromkeys(value, 1.0), labels)
    if isinstance(value, Mapping):
        return _likelihoods(name, value, labels)
    if isinstance(value, list | tuple | np.ndarray):
        found = np.asarray(value)
        if found.shape == (len(labels),) and found.dtype.kind in "fiub":
            return _checked(name, found.astype(np.float64))
        raise ValueError(f"Likelihoods of {name!r} must be {len(labels)} numbers, one per state, got {value!r}.")
    raise ValueError(_unknown_state(name, value, labels))


def _unknown_state(name: str, value: Any, labels: Sequence[Any]) -> str:
    return (
        f"The evidence on {name!r} must be one of its states, got {value!r}.\n"
        f"Hint: its states are {', '.join(map(repr, list(labels)[:8]))}; a set of states, or a list of likelihoods, "
        "one per state, are evidence too."
    )


def _likelihoods(name: str, given: Mapping[Any, Any], labels: Sequence[Any]) -> Floats:
    found = np.zeros(len(labels))
    for label, weight in given.items():
        if label not in labels:
            raise ValueError(_unknown_state(name, label, labels))
        found[labels.index(label)] = weight
    return _checked(name, found)


def _checked(name: str, weights: Floats) -> Floats:
    if not np.isfinite(weights).all() or (weights < 0).any() or weights.max() <= 0:
        raise ValueError(
            f"Likelihoods of {name!r} must be finite, not negative and not all zero, got {weights.tolist()}."
        )
    return weights
