"""Principal components of rows that come in batches."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse

from certus.base import fit_method, register, resolve_threads
from certus.base.blocks import ScaledFit
from certus.base.inputs import TableLike, TargetLike, WeightsLike, check_weights, check_X
from certus.base.params import Boolean, Exactly, Interval
from certus.base.persistence import check_shapes
from certus.components.evidence.direction_angles import angle_certificate, direction_sines, storage_error
from certus.components.evidence.explained_share import share_certificate
from certus.components.evidence.ritz_measures import measure_scatter
from certus.components.in_blocks.scatter_in_blocks import fit_incremental_pca
from certus.components.learning.component_learner import EPSILON, LARGEST, ComponentLearner
from certus.components.solvers.leading_spectrum import LeadingSpectrum, of_scatter, upright
from certus.components.solvers.null_directions import completed
from certus.components.solvers.row_products import RowProducts
from certus.guarantees import Report

Floats = NDArray[np.float64]
EXACT = 4000  # columns up to which the scatter matrix is kept: 128 megabytes


@register(
    guarantees=(
        "interval for what the best directions explain",
        "angle of every direction to the exact one",
        "held-out bound on the capped reconstruction error",
    ),
    cost="fit n p^2 + p^3; partial_fit p^3 per batch; memory p^2; transform n p k",
)
class IncrementalPCA(ComponentLearner):
    """Principal components of all rows that came, in batches of any size: the same as of the rows at once.

    The mean and the scatter matrix of all rows are kept up to 4000 columns, so that nothing is forgotten between
    batches and the report is about all rows. Tables with more columns keep the components alone, as scikit-learn does,
    and what a batch adds to other directions is lost; their report is empty.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of components; None for min(n, p) of the first batch.
    copy : bool, default=True
        Accepted for compatibility: the table is never changed.
    batch_size : int or None, default=None
        Rows that ``fit`` takes at a time from tables with more than 4000 columns; None for five times their number.

    Attributes
    ----------
    var_ : ndarray of shape (n_features,)
        The variance of every column, with divisor n.
    n_samples_seen_ : int or float
        Number of rows that came, or the sum of their weights.
    batch_size_ : int
        The batch size of ``fit``.
    direction_sines_ : ndarray of shape (n_components,)
        A bound on the sine of the angle between each component and the exact one; 1 where it is not determined.
    report_ : Report
        What the best directions explain of all rows that came, and how far the determined components can be from them.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.components import PCA, IncrementalPCA
    >>> rows = np.random.default_rng(0).normal(size=(90, 4))
    >>> model = IncrementalPCA(2)
    >>> for batch in np.split(rows, [1, 2, 50]):
    ...     model = model.partial_fit(batch)
    >>> np.allclose(model.components_, PCA(2).fit(rows).components_)
    True
    """

    _constraints: ClassVar[Any] = {
        "n_components": [Interval(1, None, integer=True), Exactly(None)],
        "whiten": [Boolean()],
        "copy": [Boolean()],
        "batch_size": [Interval(1, None, integer=True), Exactly(None)],
    }
    _state: ClassVar[tuple[str, ...]] = (
        "components_",
        "explained_variance_",
        "explained_variance_ratio_",
        "singular_values_",
        "mean_",
        "var_",
        "n_components_",
        "n_samples_seen_",
        "batch_size_",
        "noise_variance_",
        "direction_sines_",
        "_scatter",
        "_rows_seen",
        "_origin",
        "_move",
    )
    _takes_sparse: ClassVar[bool] = True
    _scaled = ScaledFit("exact", fit_incremental_pca, {"largest": LARGEST}, target=False)

    n_components: int | None
    batch_size: int | None
    batch_size_: int
    n_samples_seen_: float
    var_: Floats
    direction_sines_: Floats
    _scatter: Floats | None
    _rows_seen: int
    _origin: Floats
    _move: Floats

    def __init__(
        self,
        n_components: int | None = None,
        *,
        whiten: bool = False,
        copy: bool = True,
        batch_size: int | None = None,
    ) -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(self, X: TableLike, y: TargetLike | None = None, sample_weight: WeightsLike = None) -> IncrementalPCA:
        """Forget all earlier rows and find the components of these.

        Parameters
        ----------
        y : ignored
            There for compatibility.
        """
        table = check_X(self, X, reset=True, accept_sparse="csr", largest=LARGEST)
        weights = check_weights(self, sample_weight, table)
        self._forget_rows()
        columns = table.shape[1]
        self.batch_size_ = 5 * columns if self.batch_size is None else self.batch_size
        step = table.shape[0] if columns <= EXACT else max(self.batch_size_, self.n_components or 1)
        for first in range(0, table.shape[0], step):
            part = slice(first, first + step)
            self._take(table[part], None if weights is None else weights[part])
        return self

    @fit_method
    def partial_fit(
        self,
        X: TableLike,
        y: TargetLike | None = None,
        check_input: bool = True,
        sample_weight: WeightsLike = None,
    ) -> IncrementalPCA:
        """Take in a further batch of rows, of any number.

        Parameters
        ----------
        y : ignored
            There for compatibility.
        """
        if sparse.issparse(X):
            raise TypeError(
                "IncrementalPCA.partial_fit does not support sparse input. Either convert data to dense or use "
                "IncrementalPCA.fit to do so in batches."
            )
        first = "components_" not in vars(self)
        table = check_X(self, X, reset=first, largest=LARGEST) if check_input else np.asarray(X)
        if first:
            self._forget_rows()
            self.batch_size_ = 5 * table.shape[1] if self.batch_size is None else self.batch_size
        self._take(table, check_weights(self, sample_weight, table))
        return self

    def _forget_rows(self) -> None:
        if "components_" in vars(self):
            del self.components_
        self.n_samples_seen_, self._scatter, self._rows_seen = 0, None, 0

    def _take(self, table: Any, weights: Floats | None) -> None:
        """Add rows to the mean and the scatter matrix, and decompose it."""
        if weights is not None:
            table, weights = table[weights > 0.0], weights[weights > 0.0]
            if not len(weights):
                return
        known = "components_" in vars(self)
        products = RowProducts(table, weights, centered=True, threads=resolve_threads())
        count = self._count(products, known)
        before, added = float(self.n_samples_seen_), products.total
        total = before + added
        seen = self.n_samples_seen_ + (products.rows if weights is None else added)
        origin, move = products.middle()
        shift = (origin - self._origin) + (move - self._move) if known else np.zeros(products.columns)
        jump = math.sqrt(before * added / total) * shift
        if known:
            origin, move = self._origin, self._move + shift * (added / total)
        if products.columns <= EXACT:
            scatter = products.scatter() * products.scale**2 + np.outer(jump, jump)
            self._scatter = scatter if self._scatter is None else self._scatter + scatter
            self.var_ = np.diag(self._scatter) / total
            spectrum, unit = self._decomposed(count, total)
        else:
            earlier = self.var_ * before if known else np.zeros(products.columns)
            own = sum(products.blocks(lambda part: np.square(part).sum(axis=0))) * products.scale**2
            self.var_ = (earlier + own + jump**2) / total
            spectrum, unit = self._merged(products, jump, count, known), 1.0
        self._origin, self._move = origin, move  # their sum rounds away digits of rows far from the origin
        self.n_samples_seen_, self.mean_ = seen, origin + move
        self._rows_seen += products.rows
        self._remember(spectrum, unit, total, table.dtype)
        self._certify_directions(spectrum, self._rows_seen)

    def _count(self, products: RowProducts, known: bool) -> int:
        """The number of components, which stays what it was."""
        columns = products.columns
        if self.n_components is not None and self.n_components > columns:
            raise ValueError(
                f"n_components={self.n_components} invalid for n_features={columns}, need more rows than columns for "
                "IncrementalPCA processing"
            )
        if known and self.n_components not in (None, self.n_components_):
            raise ValueError(
                f"n_components must stay {self.n_components_} between calls of partial_fit, got {self.n_components}.\n"
                "Hint: call fit to begin anew."
            )
        rows = max(products.rows, int(products.total))
        return self.n_components_ if known else self.n_components or min(rows, columns)

    def _decomposed(self, count: int, total: float) -> tuple[LeadingSpectrum, float]:
        """The spectrum of the scatter matrix over a power of two that makes its trace about 1."""
        scatter = self._scatter if self._scatter is not None else np.zeros((0, 0))
        trace = float(np.trace(scatter))
        unit = math.ldexp(1.0, math.frexp(trace)[1] - 1) if trace > 0.0 else 1.0
        noise = EPSILON * (min(total, 1e6) + len(scatter))
        return completed(of_scatter(scatter / unit, count, noise), count), unit

    def _merged(self, products: RowProducts, jump: Floats, count: int, known: bool) -> LeadingSpectrum:
        """The leading part of what was kept, the batch, and the way between their means."""
        parts = [products.whole() * products.scale]
        if known:
            parts += [self.singular_values_[:, None] * self.components_, jump[None, :]]
        _, values, vectors = linalg.svd(np.concatenate(parts), full_matrices=False, check_finite=False)
        trace = float(self.var_.sum() * (self.n_samples_seen_ + products.total))
        return completed(LeadingSpectrum(values**2, upright(vectors), trace, EPSILON), count)

    def _remember(self, spectrum: LeadingSpectrum, unit: float, total: float, dtype: Any) -> None:
        count = len(spectrum.vectors)
        values, freedom = spectrum.values[:count], max(total - 1.0, 1.0)
        self.components_ = spectrum.vectors.astype(dtype)
        self.n_components_ = count
        self.explained_variance_ = values / freedom * unit
        self.explained_variance_ratio_ = values / spectrum.trace if spectrum.trace > 0.0 else np.zeros(count)
        self.singular_values_ = np.sqrt(values) * math.sqrt(unit)
        others = min(int(total), self.components_.shape[1]) - count
        left = max(0.0, spectrum.trace - float(values.sum())) / freedom / others * unit if others > 0 else 0.0
        self.noise_variance_ = float(min(left, self.explained_variance_.min(initial=math.inf)))

    def _certify_directions(self, spectrum: LeadingSpectrum, rows: int) -> None:
        self.report_ = Report()
        self.direction_sines_ = np.ones(self.n_components_)
        if spectrum.small is None or spectrum.trace <= 0.0:
            return
        columns = len(spectrum.small)
        measures = measure_scatter(spectrum.small, spectrum, min(rows, 10_000) + columns)
        if measures.trace <= 2.0 * measures.rounding:
            return
        stored = storage_error(self.components_, spectrum.vectors)
        self.direction_sines_ = direction_sines(measures, stored)
        share = share_certificate(measures, rows, columns, centered=True)
        self.report_ = Report([share, angle_certificate(measures, rows, columns, centered=True, stored=stored)])

    def _restored(self) -> None:
        super()._restored()
        if "components_" in vars(self):
            width = self.n_features_in_
            check_shapes(self, var_=(width,), direction_sines_=(self.n_components_,), _origin=(width,), _move=(width,))
            if self._scatter is not None:
                check_shapes(self, _scatter=(width, width))
