"""Learners around a module of the user's: reading arrays, building the module, saving it if that can be."""

from __future__ import annotations

import copy
from typing import Any, ClassVar

import numpy as np

from certus.base.inputs import check_X
from certus.base.params import Exactly, Function, InstanceOf
from certus.neural.deep.lazy_torch import torch
from certus.neural.deep.learning.array_inputs import ArrayInputs
from certus.neural.deep.learning.deep_learner import CONSTRAINTS, STATE
from certus.neural.deep.learning.module_plan import build_module, is_double, plan_of
from certus.neural.deep.learning.supervised_learner import SupervisedLearner

MODULE_CONSTRAINTS: dict[str, list[Any]] = {
    **CONSTRAINTS,
    "module": [Function(), InstanceOf(dict), Exactly(None)],
}
MODULE_STATE = ("input_shape_", *STATE)
KNOWN_FAILURES = {
    "check_sample_weight_equivalence_on_dense_data": "batches and held-out examples are drawn by the rows' places",
    "check_sample_weight_equivalence_on_sparse_data": "batches and held-out examples are drawn by the rows' places",
    "check_methods_subset_invariance": "products of one row and of many are equal to single precision only",
}
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

    def _read_inputs(self, X: Any, *, reset: bool) -> ArrayInputs:
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
        examples = table.reshape(len(table), *self.input_shape_)
        return ArrayInputs(examples.astype(np.float64 if is_double(self.module) else np.float32, copy=False))

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

    def _saved_parameters(self) -> dict[str, Any]:
        found = super()._saved_parameters()
        if found["module"] is not None and not isinstance(found["module"], dict):
            where = f"{type(self).__name__}.module"
            fitted = "weights_" in vars(self)
            if not fitted and not isinstance(self.module, torch.nn.Module):
                return found  # a function: refused as such
            found["module"] = plan_of(self._module() if fitted else self.module, where)
        return found
