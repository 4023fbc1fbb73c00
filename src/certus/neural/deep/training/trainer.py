"""The one loop that trains every torch module: epochs, batches, steps, and what is kept of them."""

from __future__ import annotations

import math
from typing import Any

from certus.base import Iterations, warn_user
from certus.neural.deep.lazy_torch import torch
from certus.neural.deep.training.batch_order import batches_of_epoch
from certus.neural.deep.training.objective import Objective
from certus.neural.deep.training.optimizers import Optimizers
from certus.neural.deep.training.torch_settings import own_randomness
from certus.neural.deep.training.training_options import TrainingOptions
from certus.neural.deep.training.training_state import Checkpoint, TrainingState
from certus.neural.deep.training.weight_arrays import read_weights, write_weights
from certus.neural.learning.patience import Patience


class Trainer:
    """Trains a module on an objective; see the package's docstring for how a learner uses it.

    Parameters
    ----------
    learner : Learner
        Whose callbacks are told, and whose name errors carry.
    options : TrainingOptions
        How.
    objective : Objective
        What is learned.
    seed : int
        Orders of the examples and random numbers follow from it and the number of the epoch.
    """

    def __init__(self, learner: Any, options: TrainingOptions, objective: Objective, seed: int) -> None:
        self.learner, self.options, self.objective, self.seed = learner, options, objective, seed
        self.interrupted = False

    def run(self, module: Any, device: Any, checkpoint: Checkpoint | None = None) -> TrainingState:
        """Train until the epochs are used up or nothing improves; the module ends with the best epoch's weights.

        Ctrl-C ends the training: `interrupted` says so if an epoch was finished, else it is raised.
        """
        options = self.options
        optimizers = Optimizers(options, {p: list(self.objective.parameters(module, p)) for p in self.objective.phases})
        state = checkpoint.read() if checkpoint is not None and options.resume else None
        patience = Patience(math.inf if options.patience is None else options.patience)
        if state is not None:
            self._go_on(state, module, optimizers, patience)
        try:
            with Iterations(self.learner, options.max_epochs, begun=0 if state is None else state.epoch) as told:
                for epoch in range(1 if state is None else state.epoch + 1, options.max_epochs + 1):
                    if patience.over:
                        break
                    facts = self._epoch(module, device, optimizers, epoch)
                    memory = None if checkpoint is None else optimizers
                    state = self._finished(state, module, memory, patience, epoch, facts)
                    if checkpoint is not None:
                        checkpoint.write(state)
                    if told.step(**facts):
                        break
        except KeyboardInterrupt:
            if state is None:
                raise
            self.interrupted = True
        assert state is not None  # there is at least one epoch
        write_weights(module, state.best_weights)
        return state

    def _go_on(self, state: TrainingState, module: Any, optimizers: Optimizers, patience: Patience) -> None:
        """Everything as it was after the last epoch of a checkpoint."""
        self.seed = state.seed
        write_weights(module, state.weights)
        optimizers.restore(state.memories)
        patience.best, patience.best_epoch, patience.waited = state.best_score, state.best_epoch, state.waited
        if state.epoch > self.options.max_epochs:
            warn_user(
                f"The checkpoint holds {state.epoch} epochs, more than max_epochs={self.options.max_epochs}; "
                "it is taken as it is."
            )

    def _epoch(self, module: Any, device: Any, optimizers: Optimizers, epoch: int) -> dict[str, float]:
        """Train on all examples once; the mean losses, and the score."""
        objective, options = self.objective, self.options
        batches = batches_of_epoch(
            objective.count, options.batch_size, seed=self.seed, epoch=epoch, lengths=objective.lengths
        )
        steps = options.max_epochs * len(batches)
        sums = dict.fromkeys(objective.phases, 0.0)
        weights = dict.fromkeys(objective.phases, 0.0)
        with own_randomness(device, self.seed, epoch), torch.enable_grad():
            module.train()
            for place, rows in enumerate(batches):
                rate = options.rate((epoch - 1) * len(batches) + place, steps)
                batch = objective.batch(rows)
                for phase in objective.phases:
                    total, weight = objective.loss(module, batch, phase)
                    if weight <= 0.0:
                        continue
                    sums[phase] += self._finite(total, epoch, phase)
                    weights[phase] += weight
                    optimizers.step(phase, total, weight, rate)
            facts = {phase: sums[phase] / max(weights[phase], 1e-300) for phase in objective.phases}
            module.eval()
            with torch.no_grad():
                score = objective.score(module)
        if score is not None:
            facts["score"] = float(score)
        return facts

    def _finite(self, total: Any, epoch: int, phase: str) -> float:
        value = float(total.item())
        if not math.isfinite(value):
            raise ValueError(
                f"{type(self.learner).__name__}: the {phase.replace('_', ' ')} became {value} in epoch {epoch}.\n"
                "Hint: scale the inputs, lower learning_rate, or set clip_norm=1.0."
            )
        return value

    def _finished(
        self,
        before: TrainingState | None,
        module: Any,
        optimizers: Optimizers | None,
        patience: Patience,
        epoch: int,
        facts: dict[str, float],
    ) -> TrainingState:
        """The state after an epoch; without a score the last epoch is the best one."""
        score = facts.get("score")
        if score is not None:
            patience.tell(epoch, score)
        better = score is None or patience.improved or before is None  # the first score may be no number
        if better:
            patience.best_epoch = epoch
        # Copies are made only of what may be needed again.
        weights = read_weights(module) if better or optimizers is not None else {}
        return TrainingState(
            seed=self.seed,
            asked="",
            epoch=epoch,
            weights=weights,
            best_weights=weights if before is None or better else before.best_weights,
            memories={} if optimizers is None else optimizers.memories(),
            best_epoch=patience.best_epoch,
            best_score=float(patience.best),
            waited=patience.waited,
            losses=[*([] if before is None else before.losses), facts[self.objective.phases[0]]],
            scores=[*([] if before is None else before.scores), *([] if score is None else [score])],
        )
