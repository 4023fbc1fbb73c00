"""Examples with targets: batches of both, mean losses, and the loss on held-out examples as score."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.neural.deep.lazy_torch import torch
from certus.neural.deep.training import Objective


@dataclass
class Examples:
    """Inputs of several examples with targets and weights.

    Attributes
    ----------
    inputs : ArrayInputs or like
        Has ``count``, ``lengths``, ``tensors(rows, device)``, ``part(rows)``, ``arrays()``.
    targets : ndarray
        Codes of labels or scaled numbers, of the first axis ``count``.
    weights : ndarray or None
        Of the examples.
    terms : ndarray or None
        How many losses an example consists of, if not one each (steps of a sequence).
    """

    inputs: Any
    targets: NDArray[Any]
    weights: NDArray[np.float64] | None = None
    terms: NDArray[np.int64] | None = None

    def part(self, rows: NDArray[np.int64]) -> Examples:
        """Some of them."""
        weights, terms = self.weights, self.terms
        return Examples(
            self.inputs.part(rows),
            self.targets[rows],
            None if weights is None else weights[rows],
            None if terms is None else terms[rows],
        )


class SupervisedObjective(Objective):
    """The mean loss of a learner's module on examples with targets.

    Parameters
    ----------
    learner : LabelOutputs or NumberOutputs
        Knows losses from outputs and targets.
    examples, held : Examples, Examples or None
        To learn from, and to judge epochs by.
    device : torch.device
        Where tensors go.
    """

    def __init__(self, learner: Any, examples: Examples, held: Examples | None, device: Any) -> None:
        self.learner, self.examples, self.held, self.device = learner, examples, held, device
        self.count, self.lengths = len(examples.targets), examples.inputs.lengths
        # Numbers per example as tensors once, not batch by batch: small networks spend their time on such calls.
        self._numbers = {id(part): self._of_targets(part) for part in (examples, held) if part is not None}

    def _of_targets(self, examples: Examples) -> tuple[Any, Any]:
        weights = None if examples.weights is None else torch.from_numpy(examples.weights.astype(np.float32))
        return torch.from_numpy(np.ascontiguousarray(examples.targets)), weights

    def batch(self, rows: NDArray[np.int64]) -> Any:
        return self._tensors(self.examples, rows)

    def _tensors(self, examples: Examples, rows: NDArray[np.int64]) -> Any:
        places = torch.from_numpy(rows)
        every_target, every_weight = self._numbers[id(examples)]
        targets = every_target.index_select(0, places)
        weights = None if every_weight is None else every_weight.index_select(0, places)
        if examples.terms is None:
            total = float(len(rows)) if examples.weights is None else float(examples.weights[rows].sum())
        else:
            terms = examples.terms[rows]
            total = float(terms.sum() if examples.weights is None else (terms * examples.weights[rows]).sum())
            targets = targets[:, : int(examples.inputs.lengths[rows].max())]  # steps behind the longest sequence
        inputs = examples.inputs.tensors(rows, self.device)
        return inputs, targets.to(self.device), None if weights is None else weights.to(self.device), total

    def loss(self, module: Any, batch: Any, phase: str) -> tuple[Any, float]:
        inputs, targets, weights, total = batch
        return self.learner._total_loss(module(*inputs), targets, weights), total

    def score(self, module: Any) -> float | None:
        if self.held is None:
            return None
        found, weight = 0.0, 0.0
        for rows in batches_in_order(len(self.held.targets), self.held.inputs.lengths):
            total, terms = self.loss(module, self._tensors(self.held, rows), "loss")
            found, weight = found + float(total), weight + terms
        return -found / weight if weight > 0.0 else None

    def arrays(self) -> Iterable[Any]:
        for examples in (self.examples, self.held):
            if examples is not None:
                yield from examples.inputs.arrays()
                yield examples.targets
                if examples.weights is not None:
                    yield examples.weights


def batches_in_order(
    count: int, lengths: NDArray[np.int64] | None = None, size: int = 512
) -> Iterable[NDArray[np.int64]]:
    """All rows in batches for asking a module; those of like length together."""
    order = np.arange(count) if lengths is None else np.argsort(lengths, kind="stable")
    for begin in range(0, count, size):
        yield order[begin : begin + size]


def held_out_rows(count: int, share: float, seed: int, codes: NDArray[np.intp] | None = None) -> NDArray[np.int64]:
    """Rows to hold out: so large a share, rounded down, of all or of every class."""
    random = np.random.default_rng([seed, 0x56414C])  # "VAL": apart from the orders of the epochs
    order = random.permutation(count)
    if codes is None:
        return np.sort(order[: int(share * count)])
    parts = [order[codes[order] == code] for code in range(int(codes.max(initial=0)) + 1)]
    return np.sort(np.concatenate([part[: int(share * len(part))] for part in parts]))
