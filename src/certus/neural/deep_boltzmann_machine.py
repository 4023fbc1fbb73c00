"""The Boltzmann machine of two hidden layers."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin
from sklearn.utils import gen_even_slices

from certus.base import Iterations, Transformer, fit_method, predict_method, register, resolve_seed
from certus.base.inputs import RandomStateLike, TableLike, TargetLike, check_X
from certus.base.params import Interval, RandomState, Verbosity
from certus.base.persistence import check_shapes
from certus.guarantees import Report
from certus.neural.learning.binary_layers import Floats
from certus.neural.learning.three_layers import ThreeLayers

NAMES = ("lower_", "upper_", "intercept_visible_", "intercept_hidden_", "intercept_deep_")
ROWS = 1024  # of a block: Ctrl-C is heard in between


@register(
    guarantees=(), cost="fit n (p k + k m) per epoch and step of mean fields, transform the same", draws_rows=True
)
class DeepBoltzmannMachine(ClassNamePrefixFeaturesOutMixin, Transformer):
    """Boltzmann machine of two hidden layers: p(v, h, g) is proportional to exp(h'W v + g'U h + c'v + b'h + a'g).

    Learns as Salakhutdinov and Hinton (2009): means given the rows by mean fields, means of the model by chains that
    take one Gibbs step per batch. Rows of 0 and 1, or probabilities.

    Parameters
    ----------
    n_hidden : int, default=64
        Units of the layer next to the rows.
    n_deep : int, default=32
        Units of the layer behind it.
    learning_rate : float, default=0.05
        First step along the estimated gradient; it falls to a tenth of that, linearly.
    batch_size : int, default=10
        Rows of a batch, and chains.
    n_iter : int, default=20
        Passes over the rows.
    mean_field_steps : int, default=10
        Rounds of mean fields.
    verbose : int, default=0
        1 prints every pass.
    random_state : int, RandomState or None, default=None
        Seed of the weights and the chains.

    Attributes
    ----------
    lower_, upper_ : ndarray of shape (n_hidden, n_features) and (n_deep, n_hidden)
        W and U.
    intercept_visible_, intercept_hidden_, intercept_deep_ : ndarray
        c, b and a.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.neural import DeepBoltzmannMachine
    >>> X = np.repeat([[1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0]], 50, axis=0)
    >>> model = DeepBoltzmannMachine(4, 2, n_iter=300, random_state=0).fit(X)
    >>> bool((model.lower_bound(X) <= model.log_likelihood(X)).all()), model.transform(X).shape
    (True, (100, 2))
    """

    _constraints: ClassVar[Any] = {
        "n_hidden": [Interval(1, None, integer=True)],
        "n_deep": [Interval(1, None, integer=True)],
        "learning_rate": [Interval(0, None, "neither")],
        "batch_size": [Interval(1, None, integer=True)],
        "n_iter": [Interval(0, None, integer=True)],
        "mean_field_steps": [Interval(1, 10_000, integer=True)],
        "verbose": [Verbosity()],
        "random_state": [RandomState()],
    }
    _state: ClassVar[tuple[str, ...]] = NAMES
    _takes_sparse: ClassVar[bool] = False

    n_hidden: int
    n_deep: int
    learning_rate: float
    batch_size: int
    n_iter: int
    mean_field_steps: int
    n_features_in_: int
    lower_: NDArray[Any]
    upper_: NDArray[Any]
    intercept_visible_: NDArray[Any]
    intercept_hidden_: NDArray[Any]
    intercept_deep_: NDArray[Any]

    def __init__(
        self,
        n_hidden: int = 64,
        n_deep: int = 32,
        *,
        learning_rate: float = 0.05,
        batch_size: int = 10,
        n_iter: int = 20,
        mean_field_steps: int = 10,
        verbose: int = 0,
        random_state: RandomStateLike = None,
    ) -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(self, X: TableLike, y: TargetLike | None = None) -> DeepBoltzmannMachine:
        """Learn weights and intercepts, from small random weights.

        Parameters
        ----------
        y : ignored
            There for compatibility.
        """
        table = check_X(self, X, reset=True)
        rows, random = table.astype(np.float64), np.random.default_rng(resolve_seed(self.random_state))
        k, m, p = self.n_hidden, self.n_deep, table.shape[1]
        layers = ThreeLayers(
            random.normal(0.0, 0.01, (k, p)), random.normal(0.0, 0.01, (m, k)), np.zeros(p), np.zeros(k), np.zeros(m)
        )
        chains = random.random((self.batch_size, p)) < 0.5, random.random((self.batch_size, m)) < 0.5
        batches = max(1, -(-len(rows) // self.batch_size))
        with Iterations(self, self.n_iter, X, y, runs_to_limit=True) as iterations:
            for epoch in range(self.n_iter):
                rate = float(self.learning_rate) * (1.0 - 0.9 * epoch / self.n_iter)
                order = random.permutation(len(rows))
                for part in gen_even_slices(batches * self.batch_size, batches, n_samples=len(rows)):
                    chains = self._step(layers, rows[order[part]], chains, rate, random)
                if iterations.step(rate=rate):
                    break
        parts = (layers.lower, layers.upper, layers.visible, layers.hidden, layers.deep)
        for name, value in zip(NAMES, parts, strict=True):
            setattr(self, name, value.astype(table.dtype))
        self.report_ = Report()
        return self

    def _step(
        self,
        layers: ThreeLayers,
        v: Floats,
        chains: tuple[NDArray[np.bool_], NDArray[np.bool_]],
        rate: float,
        random: np.random.Generator,
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Means given the rows less those of the chains; gives the chains a Gibbs step further."""
        h, g = layers.mean_field(v, self.mean_field_steps)
        v_chain, g_chain = (part.astype(np.float64) for part in chains)
        h_mean = layers.mean_hidden(v_chain, g_chain)
        drawn = (random.random(h_mean.shape) < h_mean).astype(np.float64)
        n, count = len(v), len(v_chain)
        moves = {
            "lower": h.T @ v / n - h_mean.T @ v_chain / count,
            "upper": g.T @ h / n - g_chain.T @ h_mean / count,
            "visible": v.mean(axis=0) - v_chain.mean(axis=0),
            "hidden": h.mean(axis=0) - h_mean.mean(axis=0),
            "deep": g.mean(axis=0) - g_chain.mean(axis=0),
        }
        v_next, g_next = layers.mean_visible(drawn), layers.mean_deep(drawn)
        for name, move in moves.items():
            setattr(layers, name, getattr(layers, name) + rate * move)
        return random.random(v_next.shape) < v_next, random.random(g_next.shape) < g_next

    def _layers(self) -> ThreeLayers:
        lower, upper, *offsets = (np.asarray(getattr(self, name), dtype=np.float64) for name in NAMES)
        return ThreeLayers(lower, upper, *offsets)

    def _blocks(self, X: TableLike) -> list[Floats]:
        table = check_X(self, X).astype(np.float64)
        return [table[start : start + ROWS] for start in range(0, len(table), ROWS)]

    @predict_method
    def transform(self, X: TableLike) -> NDArray[Any]:
        """Mean fields of the deep units.

        Returns
        -------
        ndarray of shape (n_samples, n_deep)
        """
        layers = self._layers()
        found = [layers.mean_field(v, self.mean_field_steps)[1] for v in self._blocks(X)]
        return np.concatenate(found).astype(self.lower_.dtype)

    @predict_method
    def lower_bound(self, X: TableLike) -> NDArray[np.float64]:
        """A lower bound of log p(v), by the mean fields that learning uses; how much is lost tells how good they are.

        The sum over all states is exact, for a first hidden layer of at most 20 units.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        layers, blocks = self._layers(), self._blocks(X)
        _, of_all = layers.log_sums(blocks[0][:1])
        fields = [layers.lower_bound(v, *layers.mean_field(v, self.mean_field_steps)) for v in blocks]
        return np.asarray(np.concatenate(fields) - of_all)

    @predict_method
    def log_likelihood(self, X: TableLike) -> NDArray[np.float64]:
        """Log p(v) of every row of 0 and 1, exactly, for a first hidden layer of at most 20 units.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        sums = [self._layers().log_sums(v) for v in self._blocks(X)]
        return np.concatenate([of_rows - of_all for of_rows, of_all in sums])

    @property
    def _n_features_out(self) -> int:
        return len(self.upper_)

    def _restored(self) -> None:
        if "lower_" in vars(self):
            k, m = len(self.lower_), len(self.upper_)
            check_shapes(
                self,
                lower_=(k, self.n_features_in_),
                upper_=(m, k),
                intercept_visible_=(self.n_features_in_,),
                intercept_hidden_=(k,),
                intercept_deep_=(m,),
            )
