"""The restricted Boltzmann machine of binary units."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import ClassNamePrefixFeaturesOutMixin
from sklearn.utils import Tags, check_random_state, gen_even_slices

from certus.base import Iterations, Transformer, fit_method, predict_method, register
from certus.base.inputs import RandomStateLike, TableLike, TargetLike, check_X
from certus.base.params import Interval, RandomState, Verbosity
from certus.base.persistence import check_shapes
from certus.guarantees import Report
from certus.neural.learning.binary_layers import BinaryLayers, Floats

PLACE = "score_samples looks at one random feature of each row, drawn by the row's place, as its scikit-learn namesake"


@register(
    guarantees=(),
    cost="fit n p k per epoch, transform n p k",
    draws_rows=True,
    known_failures={
        "check_methods_subset_invariance": PLACE,
        "check_methods_sample_order_invariance": PLACE,
    },
)
class BernoulliRBM(ClassNamePrefixFeaturesOutMixin, Transformer):
    """Restricted Boltzmann machine of binary units: p(v, h) is proportional to exp(h W v + b'h + c'v).

    Learns by persistent contrastive divergence (Tieleman 2008): of every batch the mean of h v' given its rows, less
    the mean over chains that take one Gibbs step per batch. Rows may hold probabilities. Where steps are large, the
    chains lag behind and the likelihood falls again: `log_likelihood` shows it for small machines.

    Parameters
    ----------
    n_components : int, default=256
        Hidden units.
    learning_rate : float, default=0.1
        Step along the estimated gradient of the mean log-likelihood.
    batch_size : int, default=10
        Rows of a batch, and chains.
    n_iter : int, default=10
        Passes over the rows.
    verbose : int, default=0
        1 prints the mean pseudo-likelihood of every pass.
    random_state : int, RandomState or None, default=None
        Seed of the weights and the chains.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        W.
    intercept_hidden_ : ndarray of shape (n_components,)
        b.
    intercept_visible_ : ndarray of shape (n_features,)
        c.
    h_samples_ : ndarray of shape (batch_size, n_components)
        Hidden units of the chains.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.neural import BernoulliRBM
    >>> X = np.repeat([[1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0]], 50, axis=0)
    >>> model = BernoulliRBM(2, learning_rate=0.02, n_iter=600, random_state=0).fit(X)
    >>> bool(np.exp(model.log_likelihood(X[[0, 50]])).sum() > 0.9)
    True
    """

    _constraints: ClassVar[Any] = {
        "n_components": [Interval(1, None, integer=True)],
        "learning_rate": [Interval(0, None, "neither")],
        "batch_size": [Interval(1, None, integer=True)],
        "n_iter": [Interval(0, None, integer=True)],
        "verbose": [Verbosity()],
        "random_state": [RandomState()],
    }
    _state: ClassVar[tuple[str, ...]] = ("components_", "intercept_hidden_", "intercept_visible_", "h_samples_")
    _takes_sparse: ClassVar[bool] = True

    n_components: int
    learning_rate: float
    batch_size: int
    n_iter: int
    components_: NDArray[Any]
    intercept_hidden_: NDArray[Any]
    intercept_visible_: NDArray[Any]
    h_samples_: NDArray[Any]
    n_features_in_: int

    def __init__(
        self,
        n_components: int = 256,
        *,
        learning_rate: float = 0.1,
        batch_size: int = 10,
        n_iter: int = 10,
        verbose: int = 0,
        random_state: RandomStateLike = None,
    ) -> None:
        self._set_parameters(locals())

    # ---- fitting ---------------------------------------------------------------------------------------------------
    @fit_method
    def fit(self, X: TableLike, y: TargetLike | None = None) -> BernoulliRBM:
        """Learn weights and intercepts, from small random weights.

        Parameters
        ----------
        y : ignored
            There for compatibility.
        """
        table = check_X(self, X, reset=True, accept_sparse="csr")
        rows = table.astype(np.float64)
        layers, chains = self._begin(table.shape[1])
        batches = max(1, -(-rows.shape[0] // self.batch_size))
        slices = list(gen_even_slices(batches * self.batch_size, batches, n_samples=rows.shape[0]))
        with Iterations(self, self.n_iter, X, y, runs_to_limit=True) as iterations:
            for _ in range(self.n_iter):
                for part in slices:
                    chains = self._step(layers, rows[part], chains)
                told = {"pseudo_likelihood": float(_pseudo(layers, rows, 0).mean())} if iterations.watched else {}
                if iterations.step(**told):
                    break
        self._keep(layers, chains, table.dtype)
        return self

    @fit_method
    def partial_fit(self, X: TableLike, y: TargetLike | None = None) -> BernoulliRBM:
        """One step with these rows as a batch.

        Parameters
        ----------
        y : ignored
            There for compatibility.
        """
        first = "components_" not in vars(self)
        table = check_X(self, X, reset=first, accept_sparse="csr")
        if first:
            layers, chains = self._begin(table.shape[1])
        else:
            layers, chains = self._layers(), np.asarray(self.h_samples_, dtype=np.float64)
        self._keep(layers, self._step(layers, table.astype(np.float64), chains), table.dtype)
        return self

    def _begin(self, columns: int) -> tuple[BinaryLayers, Floats]:
        self._random = check_random_state(self.random_state)
        weights = self._random.normal(0.0, 0.01, (self.n_components, columns))
        return BinaryLayers(weights, np.zeros(self.n_components), np.zeros(columns)), np.zeros(
            (self.batch_size, self.n_components)
        )

    def _step(self, layers: BinaryLayers, rows: Any, chains: Floats) -> Floats:
        """The means given the rows less those of the chains; gives the chains a Gibbs step further."""
        n_rows, h_rows = rows.shape[0], layers.mean_hidden(rows)
        random = self._generator()
        v_chains = _drawn(layers.mean_visible(chains), random).astype(np.float64)
        h_chains = layers.mean_hidden(v_chains)
        rate, count = float(self.learning_rate), len(chains)
        layers.weights += rate * ((rows.T @ h_rows).T / n_rows - h_chains.T @ v_chains / count)
        layers.hidden += rate * (h_rows.mean(axis=0) - h_chains.mean(axis=0))
        layers.visible += rate * (np.asarray(rows.mean(axis=0)).ravel() - v_chains.mean(axis=0))
        return _drawn(h_chains, random).astype(np.float64)

    def _keep(self, layers: BinaryLayers, chains: Floats, dtype: Any) -> None:
        self.components_ = np.asarray(layers.weights, dtype=dtype)
        self.intercept_hidden_ = np.asarray(layers.hidden, dtype=dtype)
        self.intercept_visible_ = np.asarray(layers.visible, dtype=dtype)
        self.h_samples_ = np.asarray(chains, dtype=dtype)
        self.report_ = Report()

    def _generator(self) -> np.random.RandomState:
        """The stream of the chains, which goes on from call to call."""
        if "_random" not in vars(self):
            self._random = check_random_state(self.random_state)
        return self._random

    # ---- asking ----------------------------------------------------------------------------------------------------
    def _layers(self) -> BinaryLayers:
        return BinaryLayers(
            *(
                np.array(part, dtype=np.float64)
                for part in (self.components_, self.intercept_hidden_, self.intercept_visible_)
            )
        )

    def _mean_hiddens(self, v: Any) -> NDArray[Any]:
        layers = self._layers()
        return layers.by_blocks(layers.mean_hidden, v).astype(self.components_.dtype)

    def _sample_hiddens(self, v: Any, random: np.random.RandomState) -> NDArray[np.bool_]:
        return _drawn(self._layers().mean_hidden(v), random)

    @predict_method
    def transform(self, X: TableLike) -> NDArray[Any]:
        """P(h = 1 | v) of every hidden unit.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        return self._mean_hiddens(check_X(self, X, accept_sparse="csr"))

    @predict_method
    def gibbs(self, v: TableLike) -> NDArray[np.bool_]:
        """Draw hidden units given the rows, and visible ones given these; a further call draws anew.

        Parameters
        ----------
        v : table of shape (n_samples, n_features)
            Rows to start from.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        layers, random = self._layers(), self._generator()
        hidden = _drawn(layers.by_blocks(layers.mean_hidden, check_X(self, v, accept_sparse="csr")), random)
        return _drawn(layers.by_blocks(layers.mean_visible, hidden.astype(np.float64)), random)

    @predict_method
    def score_samples(self, X: TableLike) -> NDArray[np.float64]:
        """An estimate of the log of the pseudo-likelihood: one random feature of each row against its opposite.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return _pseudo(self._layers(), check_X(self, X, accept_sparse="csr"), self.random_state)

    @predict_method
    def log_likelihood(self, X: TableLike) -> NDArray[np.float64]:
        """Log p(v) of every row of 0 and 1, exactly: by all states of the smaller layer, at most 20 units.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        layers = self._layers()
        energy = layers.by_blocks(layers.free_energy, check_X(self, X, accept_sparse="csr"))
        return -energy - layers.log_partition()

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    def _restored(self) -> None:
        if "components_" in vars(self):
            count = len(self.components_)
            check_shapes(
                self,
                components_=(count, self.n_features_in_),
                intercept_hidden_=(count,),
                intercept_visible_=(self.n_features_in_,),
                h_samples_=(None, count),
            )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _drawn(probabilities: NDArray[Any], random: np.random.RandomState) -> NDArray[np.bool_]:
    return np.asarray(random.uniform(size=probabilities.shape) < probabilities)


def _pseudo(layers: BinaryLayers, v: Any, random_state: Any) -> Floats:
    """Columns times the log-probability of a random feature's value, given the others."""
    random, (rows, columns) = check_random_state(random_state), v.shape
    place = np.arange(rows), random.randint(0, columns, rows)
    if sparse.issparse(v):
        change = 1.0 - 2.0 * np.asarray(v[place]).ravel()
        flipped = v + type(v)((change, place), shape=v.shape)
    else:
        flipped = v.copy()
        flipped[place] = 1.0 - flipped[place]
    before, after = (layers.by_blocks(layers.free_energy, table) for table in (v, flipped))
    return -columns * np.logaddexp(0.0, before - after)
