"""How many states? A criterion for every number, and the number that it favors."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sklearn.base import clone

from certus.base import OneOf, check_parameters
from certus.graphical.learning.hidden_markov_model import HiddenMarkovModel


@dataclass(frozen=True)
class StateChoice:
    """A number of states and why.

    Parameters
    ----------
    n_components : int
        The number.
    scores : dict of int to float
        The criterion of every number that was tried; lower is better.
    model : HiddenMarkovModel
        The fitted model with that number.
    criterion : str
        How it was chosen.
    """

    n_components: int
    scores: dict[int, float]
    model: HiddenMarkovModel
    criterion: str

    def __str__(self) -> str:
        rows = [f"{k:>6}  {score:>12.6g}{'  *' if k == self.n_components else ''}" for k, score in self.scores.items()]
        return "\n".join([f"states  {self.criterion:>12}", *rows])


def choose_states(
    model: HiddenMarkovModel,
    X: Any,
    states: Iterable[int] = range(1, 7),
    *,
    lengths: Any = None,
    criterion: str = "bic",
) -> StateChoice:
    """Choose the number of states of a hidden Markov model.

    Parameters
    ----------
    model : HiddenMarkovModel
        The model with all other parameters; several starts (``n_init``) keep poor maxima from deciding.
    X : table, list of tables or stream of tables
        Sequences, as in ``fit``.
    states : iterable of int, default=range(1, 7)
        Numbers to try.
    lengths : array-like of shape (n_sequences,), default=None
        Numbers of rows of the sequences.
    criterion : {"bic", "aic"}, default="bic"
        What is minimized. Both are estimates: they promise nothing.

    Returns
    -------
    StateChoice
        ``n_components``, ``scores`` and the fitted ``model``.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.graphical import GaussianHMM, choose_states
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(np.repeat([0.0, 5.0, 10.0, 5.0] * 4, 15), 1.0)[:, None]
    >>> choose_states(GaussianHMM(n_iter=100, n_init=3, random_state=0), X, range(1, 6)).n_components
    3
    """
    check_parameters("choose_states", {"criterion": [OneOf("bic", "aic")]}, {"criterion": criterion})
    tried = sorted({int(k) for k in states})
    if not tried or tried[0] < 1:
        raise ValueError(f"states must be positive whole numbers, got {tried}.")
    models = {k: clone(model).set_params(n_components=k).fit(X, lengths=lengths) for k in tried}
    scores = {k: float(getattr(models[k], criterion)(X, lengths)) for k in tried}
    best = min(tried, key=lambda k: (scores[k], k))
    return StateChoice(best, scores, models[best], criterion)
