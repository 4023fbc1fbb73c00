"""Learners around a module of the user's: reading arrays, building the module, saving it if that can be."""

from __future__ import annotations

import copy
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from certus.base.inputs import check_X
from certus.base.params import Exactly, Function, InstanceOf
from certus.neural.deep.lazy_torch import torch
from certus.neural.deep.learning.array_inputs import ArrayInputs
from certus.neural.deep.learning.deep_learner import CONSTRAINTS, STATE
from certus.neural.deep.learning.module_plan import build_module, plan_of
from certus.neural.deep.learning.supervised_learner import SupervisedLearner
from certus.neural.deep.learning.supervised_objective import Examples, batches_in_order

MODULE_CONSTRAINTS: dict[str, list[Any]] = {
    **CONSTRAINTS,
    "module": [Function(), InstanceOf(dict), Exactly(None)],
}
MODULE_STATE = ("input_shape_", *STATE)
_HIDDEN = 64


class TorchModel(SupervisedLearner):
    """A deep learner around a module of the user's.

    Parameters
    ----------
    module : torch.nn.Module, callable or None
        What is trained: a module, of which a copy is trained and whose weights are where it starts; or a function of
        the number of features (for examples that are no vectors, their shape) and the number of outputs that makes a
        module, such as a class. It is called with a batch of examples and returns one score per class, without
        softmax, or one number per target. None: a layer of 64 rectified units. The module of a saved model is made
        of torch's standard layers in a ``Sequential``; others are refused when saving, by name.

    Attributes
    ----------
    input_shape_ : tuple of int
        The shape of one example.
    """

    _state: ClassVar[tuple[str, ...]] = MODULE_STATE

    module: Any
    input_shape_: tuple[int, ...]

    def _n_outputs(self) -> int:
        raise NotImplementedError

    def _read_inputs(self, X: Any, *, reset: bool) -> NDArray[Any]:
        """Examples as an array of floats: a table, or an array of more axes."""
        shape = np.shape(X) if isinstance(X, np.ndarray) else ()
        if len(shape) <= 2:
            table = np.asarray(check_X(self, X, reset=reset, order="C"))
            if reset:
                self.input_shape_ = table.shape[1:]
        else:
            if not reset and shape[1:] != self.input_shape_:
                raise ValueError(
                    f"{type(self).__name__} was fitted with examples of the shape {self.input_shape_}, "
                    f"got {shape[1:]}.\nHint: bring all examples to one shape."
                )
            table = np.asarray(check_X(self, X.reshape(len(X), -1), reset=reset, order="C"))
            if reset:
                self.input_shape_ = shape[1:]
        return table.reshape(len(table), *self.input_shape_)

    def _build(self) -> Any:
        given = self.module
        if isinstance(given, dict):
            return build_module(given)
        size = self.input_shape_[0] if len(self.input_shape_) == 1 else self.input_shape_
        outputs = self._n_outputs()
        if given is None:
            flat = int(np.prod(self.input_shape_))
            layers = [torch.nn.Linear(flat, _HIDDEN), torch.nn.ReLU(), torch.nn.Linear(_HIDDEN, outputs)]
            return torch.nn.Sequential(*([] if len(self.input_shape_) == 1 else [torch.nn.Flatten()]), *layers)
        if isinstance(given, torch.nn.Module):
            return copy.deepcopy(given)
        made = given(size, outputs)
        if not isinstance(made, torch.nn.Module):
            raise TypeError(
                f"module must make a torch.nn.Module, got {type(made).__name__} from {given!r}.\n"
                "Hint: module=lambda n_features, n_outputs: torch.nn.Linear(n_features, n_outputs)"
            )
        return made

    def _inputs(self, array: NDArray[Any]) -> ArrayInputs:
        """Single precision; double for a module that computes in it."""
        double = isinstance(self.module, torch.nn.Module) and any(
            tensor.dtype == torch.float64 for tensor in self.module.parameters()
        )
        return ArrayInputs(array.astype(np.float64 if double else np.float32, copy=False))

    def _validation_targets(self, y: Any) -> NDArray[Any]:
        """Targets of validation examples as `fit` has them."""
        raise NotImplementedError

    def _validation_examples(self, X: Any, y: Any) -> Examples:
        inputs, targets = self._inputs(self._read_inputs(X, reset=False)), self._validation_targets(y)
        if inputs.count != len(targets):
            raise ValueError(
                f"X_val and y_val must be equally long; got {inputs.count} examples and {len(targets)} targets.\n"
                "Hint: one target per example."
            )
        return Examples(inputs, targets)

    def _outputs(self, X: Any) -> Any:
        """What the trained module returns for every example."""
        inputs = self._inputs(self._read_inputs(X, reset=False))
        with self._asking() as module:
            device = self._place(module)
            return torch.cat([module(*inputs.tensors(rows, device)) for rows in batches_in_order(inputs.count)])

    def _saved_parameters(self) -> dict[str, Any]:
        found = super()._saved_parameters()
        if found["module"] is not None and not isinstance(found["module"], dict):
            where = f"{type(self).__name__}.module"
            fitted = "weights_" in vars(self)
            if not fitted and not isinstance(self.module, torch.nn.Module):
                return found  # a function: refused as such
            found["module"] = plan_of(self._module() if fitted else self.module, where)
        return found
