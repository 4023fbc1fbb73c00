"""How many components? A criterion for every number and form of covariances, and the mixture that it favors."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array

from certus.base import OneOf, RandomStateLike, TableLike, check_parameters, resolve_seed
from certus.mixture.gaussian_mixture import GaussianMixture
from certus.mixture.learning.gaussians import KINDS, SingularCovarianceError

CRITERIA = ("bic", "aic", "icl", "held-out")
FOLDS = 5
STARTS = 2


@dataclass(frozen=True)
class ComponentChoice:
    """A number of components, a form of their covariances, and why.

    Parameters
    ----------
    n_components : int
        The number.
    covariance_type : str
        The form.
    scores : dict of (str, int) to float
        The criterion of every form and number that was tried: lower is better.
    model : GaussianMixture
        The fitted mixture.
    criterion : str
        What was compared.
    """

    n_components: int
    covariance_type: str
    scores: dict[tuple[str, int], float]
    model: GaussianMixture
    criterion: str

    def __str__(self) -> str:
        best = (self.covariance_type, self.n_components)
        rows = [
            f"{kind:>16} {k:>4}  {score:>14.6g}{'  *' * ((kind, k) == best)}"
            for (kind, k), score in self.scores.items()
        ]
        return "\n".join([f"{'covariances':>16}    k  {self.criterion:>14}", *rows])


def choose_components(
    X: TableLike,
    components: Iterable[int] = range(1, 11),
    *,
    criterion: str = "bic",
    covariance_types: Iterable[str] = ("full", "tied", "diag", "spherical"),
    random_state: RandomStateLike = None,
) -> ComponentChoice:
    """Choose the number of components of a mixture of Gaussians and the form of their covariances.

    An estimate: no finite number of rows proves that there are so many. `one_component_test` says with a known error
    whether there is more than one.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows; NaN where a cell is missing.
    components : iterable of int, default=range(1, 11)
        Numbers to try.
    criterion : {"bic", "aic", "icl", "held-out"}, default="bic"
        Schwarz's and Akaike's criterion; BIC and twice the entropy of the shares, which asks for components apart from
        each other (Biernacki, Celeux and Govaert 2000); or minus the log-likelihood per row of five held-out fifths.
    covariance_types : iterable of str, default=("full", "tied", "diag", "spherical")
        Forms to try.
    random_state : int, RandomState, Generator or None, default=None
        Seed of starts and folds.

    Returns
    -------
    ComponentChoice
        ``n_components``, ``covariance_type``, ``scores`` and ``model``.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.mixture import choose_components
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(0, 1, 100), rng.normal(9, 1, 100)])[:, None]
    >>> choose_components(X, range(1, 4), random_state=0).n_components
    2
    """
    check_parameters("choose_components", {"criterion": [OneOf(*CRITERIA)]}, {"criterion": criterion})
    table = check_array(X, dtype=np.float64, ensure_all_finite="allow-nan", ensure_min_samples=2)
    tried, kinds = sorted({int(k) for k in components}), tuple(dict.fromkeys(covariance_types))
    most = len(table) if criterion != "held-out" else len(table) - math.ceil(len(table) / FOLDS)
    if not tried or tried[0] < 1 or tried[-1] > most:
        raise ValueError(f"components must be numbers from 1 to {most} for these rows, got {tried}.")
    if not kinds or not set(kinds) <= set(KINDS):
        raise ValueError(f"covariance_types must be among {', '.join(KINDS)}, got {list(kinds)}.")
    seed = resolve_seed(random_state) % 2**32
    scores = {(kind, k): _score(table, kind, k, criterion, seed) for kind in kinds for k in tried}
    kind, k = min(scores, key=lambda pair: scores[pair])
    return ComponentChoice(k, kind, scores, _fitted(table, kind, k, seed), criterion)


def _fitted(X: NDArray[Any], kind: str, components: int, seed: int) -> GaussianMixture:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # a criterion of nearly the best parameters will do
        return GaussianMixture(components, covariance_type=kind, n_init=STARTS, random_state=seed).fit(X)


def _score(X: NDArray[Any], kind: str, components: int, criterion: str, seed: int) -> float:
    """The criterion; infinite where a component collapses."""
    try:
        if criterion == "held-out":
            return _held_out(X, kind, components, seed)
        model = _fitted(X, kind, components, seed)
    except SingularCovarianceError:
        return math.inf
    if criterion == "aic":
        return model.aic(X)
    if criterion == "bic":
        return model.bic(X)
    shares = model.predict_proba(X)
    return model.bic(X) - 2.0 * float((shares * np.log(np.where(shares > 0.0, shares, 1.0))).sum())


def _held_out(X: NDArray[Any], kind: str, components: int, seed: int) -> float:
    """Minus the log-likelihood per row, of rows that the mixture did not see."""
    fold = np.random.default_rng([seed, 1]).permutation(np.arange(len(X)) % FOLDS)
    kept = [part for part in range(FOLDS) if (fold == part).any()]
    total = sum(
        float(_fitted(X[fold != part], kind, components, seed).score_samples(X[fold == part]).sum()) for part in kept
    )
    return -total / len(X)
