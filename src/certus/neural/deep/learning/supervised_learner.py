"""Fitting deep learners on examples with targets: what is held out, the trainer's objective, and outputs in order."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base import choosing_by_rows
from certus.base.inputs import check_weights
from certus.neural.deep.lazy_torch import torch
from certus.neural.deep.learning.deep_learner import DeepLearner
from certus.neural.deep.learning.supervised_objective import (
    Examples,
    SupervisedObjective,
    batches_in_order,
    held_out_rows,
)
from certus.neural.deep.training.torch_settings import choose_device


class SupervisedLearner(DeepLearner):
    """A deep learner that is fitted to targets; heirs say how examples and targets are read."""

    validation_fraction: float

    def _read_inputs(self, X: Any, *, reset: bool) -> Any:
        """Examples as the module takes them (`ArrayInputs` or like); with ``reset`` their form is learned."""
        raise NotImplementedError

    def _rescaled(self, inputs: Any) -> Any:
        """Inputs as these examples alone would be read: others had no weight."""
        return inputs

    def _n_outputs(self) -> int:
        """Scores or numbers per example, once the targets were read."""
        raise NotImplementedError

    def _known_targets(self, y: Any, inputs: Any) -> tuple[NDArray[Any], NDArray[np.int64] | None]:
        """Targets of validation examples, and how many each has if not one (`Examples.terms`)."""
        raise NotImplementedError

    def _losses(self, outputs: Any, targets: Any) -> Any:
        """The loss of every example."""
        raise NotImplementedError

    def _total_loss(self, outputs: Any, targets: Any, weights: Any) -> Any:
        """The sum of the losses, weighted if there are weights."""
        losses = self._losses(outputs, targets)
        return losses.sum() if weights is None else (losses * weights).sum()

    # ---- fitting ---------------------------------------------------------------------------------------------------
    def _weights(self, sample_weight: Any, inputs: Any) -> NDArray[np.float64] | None:
        return check_weights(self, sample_weight, inputs)

    def _same_number(self, inputs: Any, targets: Any) -> None:
        if inputs.count != len(targets):
            raise ValueError(
                f"Found input variables with inconsistent numbers of samples: X has {inputs.count}, y has "
                f"{len(targets)}.\nHint: one target per example."
            )

    def _fit_examples(self, examples: Examples, X_val: Any, y_val: Any, codes: NDArray[np.intp] | None = None) -> None:
        """Train on examples; `codes` are labels by which a share of every class is held out."""
        device = choose_device(self.device)
        if examples.weights is not None and not examples.weights.all():
            there = np.flatnonzero(examples.weights)
            if not len(there):
                raise ValueError(
                    f"{type(self).__name__}: some weights must be above 0, got 0 for all examples once they are "
                    "multiplied by class_weight.\nHint: give a class that is there a weight."
                )
            examples, codes = examples.part(there), None if codes is None else codes[there]
            examples.inputs = self._rescaled(examples.inputs)
        if X_val is None:
            used, held = self._divided(examples, codes)
        else:
            used, held = examples, self._validation_examples(X_val, y_val)
        self._train(SupervisedObjective(self, used, held, device))

    def _divided(self, examples: Examples, codes: NDArray[np.intp] | None) -> tuple[Examples, Examples | None]:
        """Examples to learn from, and those held out."""
        count = len(examples.targets)
        places = held_out_rows(count, float(self.validation_fraction), self._seed(), codes)
        if not len(places):
            return examples, None
        return examples.part(np.setdiff1d(np.arange(count), places)), examples.part(places)

    def _validation_examples(self, X: Any, y: Any) -> Examples:
        """The user's own held-out examples."""
        if y is None:
            raise ValueError("X_val needs y_val, the targets of the validation examples; got None.\nHint: pass both.")
        with choosing_by_rows():
            inputs = self._read_inputs(X, reset=False)
        targets, terms = self._known_targets(y, inputs)
        if inputs.count != len(targets):
            raise ValueError(
                f"X_val and y_val must be equally long; got {inputs.count} examples and {len(targets)} targets.\n"
                "Hint: one target per example."
            )
        return Examples(inputs, targets, terms=terms)

    # ---- asking ----------------------------------------------------------------------------------------------------
    def _outputs_for(self, inputs: Any) -> list[Any]:
        """What the trained module returns for every example, in their order."""
        found: list[Any] = [None] * inputs.count
        with self._asking() as module:
            device = self._place(module)
            for rows in batches_in_order(inputs.count, inputs.lengths):
                for row, output in zip(rows.tolist(), module(*inputs.tensors(rows, device)), strict=True):
                    found[row] = output
        return found

    def _stacked_outputs(self, X: Any) -> Any:
        """The same, read first, as one tensor."""
        return torch.stack(self._outputs_for(self._read_inputs(X, reset=False)))
