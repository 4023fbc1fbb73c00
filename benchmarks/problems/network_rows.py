"""Rows drawn from a network of 2 to 4 states per node, as numbers of states, and how good learned networks are."""

from typing import Any

import numpy as np

from benchmarks.measure.task import Data, Quality

_SEED = 0


def sampled_rows(n: int, d: int, latent: bool = False) -> Data:
    """Rows of a network of d nodes with up to three parents; ``latent`` leaves a common cause of six columns out."""
    rng = np.random.default_rng(_SEED)
    if latent:
        hidden = rng.integers(0, 3, n)
        chances = rng.dirichlet(np.ones(3), size=(d, 3)).cumsum(axis=2)
        X = (rng.random((n, d, 1)) > chances[np.arange(d), hidden[:, None]]).sum(axis=2).clip(0, 2)
        return {"X": X, "y": hidden, "X_test": X, "y_test": hidden}
    states = rng.integers(2, 5, d)
    X = np.zeros((n, d), dtype=np.int64)
    for node in range(d):
        parents = rng.choice(node, size=min(node, int(rng.integers(0, 4))), replace=False)
        key = np.zeros(n, dtype=np.int64)
        for parent in parents:
            key = key * states[parent] + X[:, parent]
        table = rng.dirichlet(0.5 * np.ones(states[node]), size=int(np.prod(states[parents]))).cumsum(axis=1)
        X[:, node] = (rng.random((n, 1)) > table[key]).sum(axis=1).clip(0, states[node] - 1)
    return {"X": X, "y": X[:, 0], "X_test": X, "y_test": X[:, 0]}


def _bic(model: Any, _prediction: Any, data: Data) -> float:
    from certus.graphical import score_structure

    table = {f"n{j:02d}": column for j, column in enumerate(data["X"].T)}
    return float(score_structure(table, model.parents_) / len(data["X"]))


def _likelihood(model: Any, _prediction: Any, data: Data) -> float:
    return float(model.log_likelihood_) / len(data["X"])


def bic(slack: float) -> Quality:
    """The BIC of the structure per row, natural logarithms."""
    return Quality("BIC per row", _bic, lower_is_better=False, slack=slack)


def likelihood(slack: float) -> Quality:
    """The log-likelihood of the tables per row."""
    return Quality("log-likelihood per row", _likelihood, lower_is_better=False, slack=slack)
