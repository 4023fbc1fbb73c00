"""Fitting and asking torch modules, whatever they learn from."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from certus.base import Learner, is_installed, resolve_seed, resolve_threads
from certus.base.inputs import RandomStateLike
from certus.base.params import Boolean, Exactly, InstanceOf, Interval, OneOf, RandomState, Verbosity
from certus.guarantees import Report
from certus.neural.deep.lazy_torch import torch
from certus.neural.deep.training import Objective, Trainer, TrainingOptions, write_weights
from certus.neural.deep.training.optimizers import NAMES
from certus.neural.deep.training.torch_settings import choose_device, own_randomness, own_threads, single_precision
from certus.neural.deep.training.training_state import Checkpoint
from certus.neural.deep.training.weight_arrays import check_weights_fit

CONSTRAINTS: dict[str, list[Any]] = {
    "max_epochs": [Interval(1, None, integer=True)],
    "batch_size": [Interval(1, None, integer=True)],
    "optimizer": [OneOf(*NAMES)],
    "learning_rate": [Interval(0, None, closed="neither")],
    "learning_rate_end": [Interval(0, None)],
    "schedule": [OneOf("constant", "linear", "cosine")],
    "weight_decay": [Interval(0, None)],
    "momentum": [Interval(0, 1)],
    "clip_norm": [Interval(0, None, closed="neither"), Exactly(None)],
    "validation_fraction": [Interval(0, 1, closed="left")],
    "patience": [Interval(1, None, integer=True), Exactly(None)],
    "random_state": [RandomState()],
    "checkpoint": [InstanceOf(str), Exactly(None), InstanceOf(os.PathLike)],
    "resume": [Boolean()],
    "device": [InstanceOf(str)],
    "n_jobs": [Interval(None, None, integer=True), Exactly(None)],
    "verbose": [Verbosity()],
}
STATE = ("weights_", "n_iter_", "best_iter_", "loss_curve_", "validation_scores_")
# Parameters that do not change what is learned.
_BESIDE = ("max_epochs", "checkpoint", "resume", "device", "n_jobs", "verbose", "random_state")


def without_validation(constraints: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """Those of a learner that holds nothing out; it has None as ``patience``."""
    return {name: rules for name, rules in constraints.items() if name not in ("validation_fraction", "patience")}


class DeepLearner(Learner):
    """A learner whose model is a torch module.

    Parameters
    ----------
    max_epochs : int
        Times that every example is learned from, at most.
    batch_size : int
        Examples per step.
    optimizer : {"adamw", "adam", "sgd", "rmsprop", "adagrad"}
        How steps follow gradients.
    learning_rate : float
        Step size at the start.
    learning_rate_end : float
        Step size after ``max_epochs``, for the schedules "linear" and "cosine".
    schedule : {"constant", "linear", "cosine"}
        How the step size goes from the one to the other.
    weight_decay : float
        Pull of the weights towards 0.
    momentum : float
        Of the optimizer "sgd".
    clip_norm : float or None
        Longer gradients are shortened to this length.
    validation_fraction : float
        Share of the examples that is held out (of every class alike); the weights of the epoch with the smallest loss
        on them are kept. 0, or fewer examples than make one: the last epoch is kept.
    patience : int or None
        Stop after so many epochs without a smaller loss on the held-out examples; None: train all epochs.
    random_state : int, RandomState or None
        Seed of first weights, orders, dropout and the held-out examples. torch's and NumPy's own generators are
        neither used nor changed.
    checkpoint : path or None
        A folder in which the training leaves its state after every epoch.
    resume : bool
        Whether to go on from there, if there is a state: the model is then, bit for bit, that of a training that was
        not interrupted.
    device : str
        "auto" takes an accelerator if torch finds one, else the processor; or a name such as "cpu", "cuda:1".
    n_jobs : int or None
        Threads of torch. With one the results are the same everywhere, bit for bit; with more, up to rounding.
    verbose : int
        1 prints a table of the epochs, with ever fewer lines; 2 prints all of them. 0 prints nothing.

    Attributes
    ----------
    weights_ : dict of str to ndarray
        Parameters and buffers of the module after the best epoch.
    n_iter_ : int
        Epochs trained.
    best_iter_ : int
        The epoch whose weights were kept.
    loss_curve_ : list of float
        Mean training loss of every epoch.
    validation_scores_ : list of float
        Score on the held-out examples after every epoch, larger is better; empty if none were held out.
    """

    _state: ClassVar[tuple[str, ...]] = STATE

    random_state: RandomStateLike
    checkpoint: Any
    resume: bool
    device: str
    n_jobs: int | None
    weights_: dict[str, Any]
    n_iter_: int
    best_iter_: int
    loss_curve_: list[float]
    validation_scores_: list[float]
    _network: Any

    # ---- what heirs say --------------------------------------------------------------------------------------------
    def _build(self) -> Any:
        """The untrained module, from parameters and fitted attributes alone."""
        raise NotImplementedError

    def _measured(self) -> Report:
        """What training alone supports."""
        return Report()

    # ---- fitting ---------------------------------------------------------------------------------------------------
    def _seed(self) -> int:
        """The seed of this fit, the same at every call until the fit is over; that of the checkpoint it resumes."""
        if "_drawn_seed" not in vars(self):
            resumed = None
            if self.checkpoint is not None and self.resume:
                resumed = Checkpoint(self.checkpoint).seed()
            self._drawn_seed = resolve_seed(self.random_state) if resumed is None else resumed
        return self._drawn_seed

    def _train(self, objective: Objective) -> None:
        """Build and train the module, set the attributes of a fitted learner, and the report."""
        options, device, seed = TrainingOptions.of(self), choose_device(self.device), self._seed()
        del self._drawn_seed
        for name in (*STATE, "report_", "_network"):
            self.__dict__.pop(name, None)
        checkpoint = None
        if self.checkpoint is not None:
            checkpoint = Checkpoint(self.checkpoint, self._identity(objective))
        trainer = Trainer(self, options, objective, seed)
        with own_threads(resolve_threads(self.n_jobs)):
            with own_randomness(device, seed):
                module = self._build().to(device)
            state = trainer.run(module, device, checkpoint)
        self.weights_ = state.best_weights
        self.n_iter_, self.best_iter_ = state.epoch, state.best_epoch
        self.loss_curve_, self.validation_scores_ = state.losses, state.scores
        module.eval()
        self._network = module
        self.report_ = self._measured()
        if trainer.interrupted:
            self._is_complete = True
            raise KeyboardInterrupt

    def _identity(self, objective: Objective) -> str:
        """What tells the training of a checkpoint from another one."""
        given = self.get_params(deep=False)
        asked = {name: getattr(value, "__qualname__", repr(value)) for name, value in given.items()}
        for name in _BESIDE:
            if name == "max_epochs" and given["schedule"] != "constant":
                continue  # the step sizes depend on it
            if name != "random_state" or not isinstance(given[name], int):
                del asked[name]
        text = f"{type(self).__name__} {sorted(asked.items())} {objective.digest()}"
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()

    def _interrupted(self) -> None:
        """Ctrl-C keeps the best finished epoch, if there is one."""
        if not self.__dict__.pop("_is_complete", False):
            self._forget()
            self.__dict__.pop("_drawn_seed", None)

    def _refused(self, before: dict[str, Any]) -> None:
        """The model is what it was: new scales or labels with old weights would give wrong answers."""
        self.__dict__.clear()
        self.__dict__.update(before)

    def _saved_parameters(self) -> dict[str, Any]:
        """A file says nothing of folders on this machine."""
        return {**super()._saved_parameters(), "checkpoint": None, "resume": False}

    # ---- asking ----------------------------------------------------------------------------------------------------
    def _module(self) -> Any:
        """The trained module; rebuilt when the learner was loaded or copied."""
        if "_network" not in vars(self):
            with own_randomness(torch.device("cpu"), 0):
                module = self._build()
            write_weights(module, self.weights_)
            self._network = module.to(choose_device(self.device)).eval()
        return self._network

    @contextlib.contextmanager
    def _asking(self) -> Iterator[Any]:
        """The trained module in evaluation mode, without gradients, on the threads of this learner."""
        with own_threads(resolve_threads(self.n_jobs)), torch.no_grad():
            module = self._module()
            with own_randomness(self._place(module), 0):  # a module may draw while it answers: then always the same
                yield module

    def _place(self, module: Any) -> Any:
        """The device on which a module is."""
        return next((tensor.device for tensor in module.state_dict().values()), torch.device("cpu"))

    def _tensor(self, values: Any, device: Any = None) -> Any:
        """An array as a tensor; numbers in single precision unless they are whole."""
        array = np.ascontiguousarray(values)
        if array.dtype.kind == "f" and array.dtype != np.float32:
            array = array.astype(np.float32)
        return torch.from_numpy(array).to(device if device is not None else choose_device(self.device))

    def _restored(self) -> None:
        """Refuse a loaded learner whose weights are not those of its module, before anything large is made."""
        if "weights_" in vars(self) and is_installed("deep"):
            with torch.device("meta"), single_precision():  # shapes without memory
                module = self._build()
            check_weights_fit(module, self.weights_)

    def __getstate__(self) -> Any:
        state = dict(super().__getstate__())
        state.pop("_network", None)
        return state
