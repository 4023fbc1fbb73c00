"""Where a training stands after an epoch, and the file in which it waits to be resumed."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from certus.base import register_part
from certus.base.persistence import CertusFileError, load, save
from certus.neural.deep.training.weight_arrays import Weights

_NAME = "training.certus"
_HINT = "Hint: delete it to begin anew, or choose another folder as checkpoint."


@register_part("neural.deep")
@dataclass
class TrainingState:
    """Everything that the next epoch depends on: orders and random numbers follow from the seed and its number.

    Attributes
    ----------
    seed : int
        Of the whole training.
    asked : str
        What identifies the training: parameters and data.
    epoch : int
        Finished epochs.
    weights, best_weights : dict of arrays
        Of the module, now and after the best epoch.
    memories : dict
        Of the optimizer of each phase.
    best_epoch, best_score, waited : int, float, int
        The best epoch, its score, and the epochs without improvement since.
    losses, scores : list of float
        Of every epoch.
    """

    seed: int
    asked: str
    epoch: int
    weights: Weights
    best_weights: Weights
    memories: dict[str, Any]
    best_epoch: int
    best_score: float
    waited: int
    losses: list[float]
    scores: list[float]

    def _restored(self) -> None:
        numbers = {"epoch": int, "best_epoch": int, "waited": int, "seed": int, "asked": str, "best_score": float}
        for name, kind in numbers.items():
            if not isinstance(getattr(self, name, None), kind):
                raise ValueError(f"{name} must be {kind.__name__}")
        if not 0 < self.best_epoch <= self.epoch or len(self.losses) != self.epoch or self.waited < 0:
            raise ValueError("its epochs do not fit together")
        for name in ("weights", "best_weights", "memories"):
            if not isinstance(getattr(self, name, None), dict):
                raise ValueError(f"{name} must be a dict")


TrainingState._state = tuple(field.name for field in fields(TrainingState))  # type: ignore[attr-defined]


class Checkpoint:
    """A folder in which a training leaves its state after every epoch.

    Parameters
    ----------
    folder : path
        Made if it is not there.
    asked : str
        What identifies the training.
    """

    def __init__(self, folder: Any, asked: str = "") -> None:
        self.path, self._asked = Path(folder) / _NAME, asked
        self.path.parent.mkdir(parents=True, exist_ok=True)

    def write(self, state: TrainingState) -> None:
        """Replace the file, completely or not at all."""
        state.asked = self._asked
        save(state, self.path)

    def read(self) -> TrainingState | None:
        """The state to go on from, or None if there is none yet."""
        state = self._loaded()
        if state is not None and state.asked != self._asked:
            raise ValueError(
                f"{self.path}: the checkpoint belongs to a training with other parameters or data.\n{_HINT}"
            )
        return state

    def seed(self) -> int | None:
        """The seed of the training that is there, if there is one."""
        state = self._loaded()
        return None if state is None else state.seed

    def _loaded(self) -> TrainingState | None:
        if not self.path.exists():
            return None
        try:
            state = load(self.path)
        except CertusFileError as error:
            reason = str(error).splitlines()[0].removeprefix(f"{self.path}: ")
            raise CertusFileError(f"{self.path}: the checkpoint cannot be read: {reason}\n{_HINT}") from error
        if not isinstance(state, TrainingState):
            raise CertusFileError(f"{self.path}: this is a {type(state).__name__}, not a checkpoint.\n{_HINT}")
        return state
