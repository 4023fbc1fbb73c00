"""Training an engine: epochs of a stochastic solver with its step sizes and stopping rules, or L-BFGS."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning

from certus.base import Iterations, warn_user
from certus.neural import _native_calls as kernels
from certus.neural.engine import NetworkEngine, StepRule
from certus.neural.learning.patience import Patience
from certus.neural.learning.training_data import TrainingData

Score = Callable[[NetworkEngine], float]


def batch_rows(learner: Any, rows: int) -> int:
    """Rows per step."""
    if learner.batch_size == "auto":
        return learner._automatic_batch(rows)
    if learner.batch_size > rows:
        warn_user(f"Got `batch_size` less than 1 or larger than sample size. It is going to be clipped to {rows}.")
    return min(int(learner.batch_size), rows)


def step_rule(learner: Any, batches: int, rate: float) -> StepRule:
    """The optimizer that a learner's parameters ask for; ``batches`` are those of an epoch."""
    solver = learner.solver if learner.solver != "lbfgs" else "adam"
    second = learner.beta_2 if solver in ("adam", "adamw") else learner.rho
    return StepRule(
        solver=solver,
        rate=rate,
        schedule=learner.learning_rate if learner.learning_rate in ("linear", "cosine") else "constant",
        rate_end=float(learner.learning_rate_end),
        decay_steps=float(learner.decay_steps or learner.max_iter * batches),
        first=float(learner.momentum if solver == "sgd" else learner.beta_1),
        second=float(second),
        epsilon=float(learner.epsilon),
        nesterov=bool(learner.nesterovs_momentum),
        alpha=float(learner.alpha),
        l1=float(learner.l1),
        clip_norm=float(learner.clip_norm or 0.0),
        frozen=int(learner.frozen),
    )


class StochasticDescent:
    """Epochs of a learner's network, with what its fitted attributes say of them.

    Parameters
    ----------
    learner : NetworkLearner
        Its parameters say how; its attributes are kept up to date.
    engine : NetworkEngine
        What is trained.
    data : TrainingData
        The rows.
    score : callable or None
        Score of the engine on validation rows, larger is better.
    """

    def __init__(self, learner: Any, engine: NetworkEngine, data: TrainingData, score: Score | None) -> None:
        self.learner, self.engine, self.data, self.score = learner, engine, data, score
        self.batch = batch_rows(learner, data.count)
        self.rate = float(learner.learning_rate_init)
        self.patience = self._new_patience()
        self._kept: tuple[NDArray[Any], NDArray[Any]] | None = None
        self._table, self._targets = kernels.network_table(data.X), data.targets()
        self._rule: StepRule | None = None

    def run(self, epochs: int) -> None:
        """Train until the stopping rule holds or the epochs are used up."""
        learner = self.learner
        order = self.data.order(shuffle=learner.shuffle)
        first = order.copy()
        with Iterations(learner, epochs, titles={"loss": "Iteration loss", "score": "Validation score"}) as told:
            for epoch in range(1, epochs + 1):
                np.copyto(order, first)  # an epoch's order depends on its number alone
                facts = self._epoch(order)
                learner.n_iter_ = epoch
                self._keep_best(epoch, facts)
                if told.step(**facts) or self._over():
                    break
                scheduled = learner.learning_rate in ("linear", "cosine")  # ends there by plan
                if epoch == epochs == learner.max_iter and not scheduled:
                    warn_user(
                        f"Stochastic Optimizer: Maximum iterations ({epochs}) reached and the optimization hasn't "
                        "converged yet.\nHint: raise max_iter, or scale the columns first (StandardScaler).",
                        ConvergenceWarning,
                    )
        if self._kept is not None:
            self.engine.parameters[:], self.engine.statistics[:] = self._kept
        elif self.score is None:
            learner.best_iter_ = learner.n_iter_

    def _epoch(self, order: NDArray[np.int64]) -> dict[str, float]:
        learner, engine = self.learner, self.engine
        if self._rule is None or self._rule.rate != self.rate:
            batches = math.ceil(self.data.count / self.batch)
            self._rule = step_rule(learner, batches, self.rate)
        loss = engine.epoch(
            self._table,
            self._targets,
            self._rule,
            order=order,
            shuffle=bool(learner.shuffle),
            batch=self.batch,
            number=learner.n_epochs_,
        )
        learner.n_epochs_ += 1
        learner.t_ += self.data.count
        learner.loss_ = loss
        learner.loss_curve_.append(loss)
        if learner.solver == "sgd" and learner.learning_rate == "invscaling":
            self.rate = float(learner.learning_rate_init) / (learner.t_ + 1) ** learner.power_t
        facts = {"loss": loss}
        if self.score is not None:
            facts["score"] = self.score(engine)
        return facts

    def _new_patience(self) -> Patience:
        # More than n_iter_no_change epochs without improvement, as scikit-learn counts them.
        limit = self.learner.n_iter_no_change
        return Patience(np.inf if limit is None else float(limit) + 1.0, float(self.learner.tol))

    def _keep_best(self, epoch: int, facts: dict[str, float]) -> None:
        """The better of this epoch and the best one: by the validation score, or by the loss (attributes only)."""
        learner = self.learner
        if self.score is None:
            self.patience.tell(epoch, -facts["loss"])
            learner.best_loss_ = min(facts["loss"], learner.best_loss_)
            return
        learner.validation_scores_.append(facts["score"])
        if self.patience.tell(epoch, facts["score"]).improved:
            learner.best_validation_score_, learner.best_iter_ = facts["score"], epoch
            self._kept = self.engine.parameters.copy(), self.engine.statistics.copy()

    def _over(self) -> bool:
        """Whether nothing improves any more; the adaptive step size shrinks a few times first."""
        if not self.patience.over:
            return False
        learner = self.learner
        if learner.solver == "sgd" and learner.learning_rate == "adaptive" and self.rate > 1e-6:
            self.rate /= 5.0
            self.patience.waited = 0
            return False
        return True


def run_lbfgs(learner: Any, engine: NetworkEngine, data: TrainingData) -> None:
    """Minimize mean loss + alpha / (2 rows) |w|^2 over all rows at once."""
    whole = data.whole()
    table, targets = kernels.network_table(whole.X), whole.targets()
    total = float(data.count) if whole.weights is None else float(whole.weights.sum())
    strength = float(learner.alpha) / total
    moving = slice(sum(coef.size for coef in engine.coefs[: learner.frozen]), engine.n_weights)

    def objective(point: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        engine.parameters[:] = point
        loss, gradient = engine.gradient_of(table, targets)
        weights = point[: engine.n_weights]
        slope = gradient.astype(np.float64)
        slope[moving] += strength * point[moving]
        return loss + 0.5 * strength * float(weights @ weights), slope

    start = engine.parameters.astype(np.float64)
    with Iterations(learner, int(learner.max_iter), titles={"loss": "Iteration loss"}) as told:

        def tell(intermediate_result: Any) -> None:
            if told.step(loss=float(intermediate_result.fun)):
                raise StopIteration

        result = minimize(
            objective,
            start,
            jac=True,
            method="L-BFGS-B",
            callback=tell,
            options={
                "maxiter": int(learner.max_iter),
                "maxfun": int(learner.max_fun),
                "gtol": float(learner.tol),
                "ftol": 2.2e-9 * min(float(learner.tol) / 1e-4, 1.0),  # SciPy's; finer where tol is
            },
        )
    engine.parameters[:] = result.x
    learner.n_iter_ = learner.best_iter_ = min(int(result.nit), int(learner.max_iter))
    learner.n_epochs_ += learner.n_iter_
    learner.loss_ = float(result.fun)
    if result.status == 1:
        warn_user(
            f"lbfgs failed to converge after {learner.n_iter_} iteration(s): {result.message}\n"
            "Hint: raise max_iter or max_fun, or scale the columns first (StandardScaler).",
            ConvergenceWarning,
        )
