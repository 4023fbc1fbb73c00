"""Principal components: the directions of largest variance, and how much no others could exceed them."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags

from certus.base import fit_method, predict_method, register, resolve_seed, resolve_threads, warn_user
from certus.base.blocks import ScaledFit
from certus.base.em import climb
from certus.base.inputs import RandomStateLike, TableLike, TargetLike, WeightsLike, check_weights, check_X
from certus.base.params import Boolean, Exactly, Fraction, Interval, OneOf, RandomState
from certus.base.persistence import check_shapes
from certus.components.evidence.direction_angles import angle_certificate, direction_sines, storage_error
from certus.components.evidence.explained_share import share_certificate
from certus.components.evidence.ritz_measures import PROVED, RitzMeasures, measure, measure_scatter
from certus.components.in_blocks.scatter_in_blocks import Scatter, ScatterFacts, fit_pca
from certus.components.learning.component_count import check_count, resolve_count
from certus.components.learning.component_learner import LARGEST, ComponentLearner
from certus.components.learning.missing_cells import LatentModel, LatentSteps, filled_rows
from certus.components.randomized_decomposition import krylov_steps
from certus.components.solvers.leading_spectrum import LeadingSpectrum, by_krylov, by_lanczos, by_squares, by_triangle
from certus.components.solvers.null_directions import completed
from certus.components.solvers.row_products import RowProducts
from certus.guarantees import Report

Floats = NDArray[np.float64]
OBSERVED_STEPS, OBSERVED_TOL = 2000, 1e-8  # of EM where cells are missing
SPARSE = ("auto", "arpack", "covariance_eigh")


@register(
    guarantees=(
        "interval for what the best directions explain",
        "angle of every direction to the exact one",
        "held-out bound on the capped reconstruction error",
    ),
    cost="fit n p min(n, p) + min(n, p)^3, or 4 q n p k with random vectors; transform n p k",
)
class PCA(ComponentLearner):
    """Principal components: orthonormal directions along which rows vary most.

    All solvers find the directions that maximize the variance; they differ in cost and digits, and the report says how
    close they came. Rows are centered before anything is squared, and sums are in double also for float32.

    Cells may be missing (NaN): then components, mean and noise maximize the likelihood of what is there (probabilistic
    principal components by EM), `transform` takes the expected coordinates, and the report is empty.

    Parameters
    ----------
    n_components : int, float, "mle" or None, default=None
        Number of components; a float between 0 and 1 asks for as many as explain more than this share; "mle" for the
        most probable number (Minka 2000); None for min(n, p), one less for "arpack".
    copy : bool, default=True
        Accepted for compatibility: the table is never changed.
    svd_solver : {"auto", "full", "covariance_eigh", "arpack", "randomized"}, default="auto"
        "full" decomposes the rows and keeps all digits; "covariance_eigh" their covariance (the Gram matrix where there
        are fewer rows than columns); "arpack" is Lanczos' method; "randomized" a block Krylov space, approximate.
        "auto" takes the covariance, and "full" if a component that is kept has lost half of its digits there; where
        both sides are longer than 2000 and few components are asked for, "randomized".
    tol : float, default=0.0
        Relative accuracy of "arpack"; 0 is that of the machine.
    iterated_power : int or "auto", default="auto"
        Steps of "randomized".
    n_oversamples : int, default=10
        Random vectors of "randomized" beyond ``n_components``.
    power_iteration_normalizer : {"auto", "QR", "LU", "none"}, default="auto"
        Accepted for compatibility: every block is made orthonormal.
    random_state : int, RandomState or None, default=None
        Seed of the start of "arpack" and "randomized".

    Attributes
    ----------
    n_samples_ : int or float
        Number of training rows, or the sum of their weights.
    solver_ : str
        The solver that was used.
    direction_sines_ : ndarray of shape (n_components,)
        A bound on the sine of the angle between each component and the exact one; 1 where it is not determined.
    report_ : Report
        What the best directions explain, and how far the components that are determined can be from them.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.components import PCA
    >>> X = np.array([[-1, -1], [-2, -1], [-3, -2], [1, 1], [2, 1], [3, 2]])
    >>> model = PCA(n_components=1).fit(X)
    >>> model.explained_variance_ratio_.round(4), model.report_["explained variance ratio"].check(X)
    (array([0.9924]), True)
    """

    _constraints: ClassVar[Any] = {
        "n_components": [
            Interval(0, None, integer=True),
            Fraction(0, 1, closed="neither"),
            OneOf("mle"),
            Exactly(None),
        ],
        "copy": [Boolean()],
        "whiten": [Boolean()],
        "svd_solver": [OneOf("auto", "full", "covariance_eigh", "arpack", "randomized")],
        "tol": [Interval(0, None)],
        "iterated_power": [OneOf("auto"), Interval(0, None, integer=True)],
        "n_oversamples": [Interval(1, None, integer=True)],
        "power_iteration_normalizer": [OneOf("auto", "QR", "LU", "none")],
        "random_state": [RandomState()],
    }
    _scaled = ScaledFit("exact", fit_pca, {"largest": LARGEST}, target=False)
    _state: ClassVar[tuple[str, ...]] = (
        "components_",
        "explained_variance_",
        "explained_variance_ratio_",
        "singular_values_",
        "mean_",
        "n_components_",
        "n_samples_",
        "noise_variance_",
        "solver_",
        "direction_sines_",
    )

    _takes_missing: ClassVar[bool] = True

    n_components: Any
    svd_solver: str
    n_samples_: float
    solver_: str
    direction_sines_: Floats

    def __init__(
        self,
        n_components: int | float | str | None = None,
        *,
        copy: bool = True,
        whiten: bool = False,
        svd_solver: str = "auto",
        tol: float = 0.0,
        iterated_power: int | str = "auto",
        n_oversamples: int = 10,
        power_iteration_normalizer: str = "auto",
        random_state: RandomStateLike = None,
    ) -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(self, X: TableLike, y: TargetLike | None = None, sample_weight: WeightsLike = None) -> PCA:
        """Find the components.

        Parameters
        ----------
        y : ignored
            There for compatibility.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows: 0 removes a row, a whole number repeats it.
        """
        self._learn(X, sample_weight)
        return self

    @fit_method
    def fit_transform(
        self, X: TableLike, y: TargetLike | None = None, sample_weight: WeightsLike = None
    ) -> NDArray[Any]:
        """Find the components and return the coordinates of the rows.

        Parameters
        ----------
        y : ignored
            There for compatibility.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        return self._coordinates(self._learn(X, sample_weight))

    def _learn(self, X: TableLike, sample_weight: WeightsLike) -> Any:
        if sparse.issparse(X) and self.svd_solver not in SPARSE:
            raise TypeError(
                'PCA only support sparse inputs with the "arpack" and "covariance_eigh" solvers, while '
                f'"{self.svd_solver}" was passed.\nHint: TruncatedSVD takes sparse tables with any solver.'
            )
        table = check_X(self, X, reset=True, accept_sparse="csr", min_rows=2, largest=LARGEST, allow_nan=True)
        weights = check_weights(self, sample_weight, table)
        kept, given = table, weights
        if weights is not None and not weights.all():
            kept, given = table[weights > 0.0], weights[weights > 0.0]
        total = float(kept.shape[0] if given is None else given.sum())
        if total <= 1.0:
            raise ValueError(
                f"The sum of sample_weight must be above 1, got {total:g}: variances divide by it minus 1.\n"
                "Hint: weights count rows; multiply them by the number of rows if they are shares."
            )
        if _lacks_cells(kept):
            self._learn_observed(np.asarray(kept, dtype=np.float64), given, table.dtype)
            return table
        products = RowProducts(kept, given, centered=True, threads=resolve_threads())
        spectrum = self._solve(products)
        self._remember(products, spectrum, table.dtype)
        self._certify_directions(products, spectrum)
        return table

    def _learn_observed(self, rows: Floats, given: Floats | None, dtype: Any) -> None:
        """Probabilistic principal components of the cells that are there."""
        count, width = self._observed_count(rows), rows.shape[1]
        empty = np.isnan(rows).all(axis=0)
        if empty.any():
            raise ValueError(
                f"Every column of X must have a value, got column {int(np.argmax(empty))} with none.\n"
                "Hint: drop this column."
            )
        weights = np.ones(len(rows)) if given is None else given
        scale = float(np.nanmax(np.abs(rows - np.nanmean(rows, axis=0)))) or 1.0
        middle = np.nanmean(rows, axis=0)
        steps = LatentSteps((rows - middle) / scale, weights)
        run = climb(steps, steps.start(count), tol=OBSERVED_TOL, max_iter=OBSERVED_STEPS)
        if not run.converged:
            warn_user(
                f"PCA did not converge in {OBSERVED_STEPS} steps of EM.\nHint: ask for fewer components.",
                ConvergenceWarning,
            )
        model = run.parameters
        directions, lengths, _ = np.linalg.svd(model.loadings, full_matrices=False)
        signs = np.sign(directions[np.abs(directions).argmax(axis=0), np.arange(count)])
        unit = steps.total / (steps.total - 1.0) * scale**2  # variances divide by n - 1, as without missing cells
        self.components_ = (directions * np.where(signs == 0.0, 1.0, signs)).T.astype(dtype)
        self.mean_, self.n_components_ = (middle + scale * model.mean).astype(dtype), count
        self.n_samples_ = len(rows) if given is None else steps.total
        self.explained_variance_ = (lengths**2 + model.noise) * unit
        self.noise_variance_ = float(model.noise * unit)
        whole = float(self.explained_variance_.sum()) + (width - count) * self.noise_variance_
        self.explained_variance_ratio_ = self.explained_variance_ / whole
        self.singular_values_ = np.sqrt(self.explained_variance_ * (steps.total - 1.0))
        self.solver_, self.direction_sines_, self.report_ = "em", np.ones(count), Report()

    def _observed_count(self, rows: Floats) -> int:
        wanted, most = self.n_components, min(rows.shape) - 1
        if wanted is None:
            wanted = most
        if not isinstance(wanted, int | np.integer) or not 1 <= wanted <= most:
            raise ValueError(
                f"n_components must be a whole number from 1 to min(n_samples, n_features) - 1 = {most} for tables "
                f"with missing cells, got {self.n_components!r}."
            )
        return int(wanted)

    def _coordinates(self, table: Any) -> NDArray[Any]:
        return super()._coordinates(self._filled(table) if _lacks_cells(table) else table)

    def _filled(self, table: Any) -> NDArray[Any]:
        directions = np.asarray(self.components_, dtype=np.float64)
        noise = float(self.noise_variance_)
        lengths = np.sqrt(np.maximum(self.explained_variance_ - noise, 0.0))
        model = LatentModel(np.asarray(self.mean_, dtype=np.float64), directions.T * lengths, noise)
        return filled_rows(np.asarray(table, dtype=np.float64), model).astype(table.dtype)

    @predict_method
    def impute(self, X: TableLike) -> NDArray[Any]:
        """The rows with the mean of what is missing, given what is there, under the normal distribution of the model.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        return self._filled(check_X(self, X, largest=LARGEST, allow_nan=True))

    def _solve(self, products: RowProducts) -> LeadingSpectrum:
        """The components and their eigenvalues by the chosen solver, which is set."""
        wanted, rows = self.n_components, self._rows_or_copies(products)
        smaller = min(rows, products.columns)
        solver = self._chosen_solver(products)
        if wanted is None:
            wanted = smaller - 1 if solver == "arpack" else smaller
        asked = "full" if self.svd_solver == "auto" and solver == "covariance_eigh" else solver
        check_count(wanted, asked, rows, products.columns)
        self.solver_ = solver
        if solver == "randomized":
            steps = krylov_steps(self.iterated_power, wanted, smaller)
            seed, few = resolve_seed(self.random_state), min(wanted, products.smaller)
            return completed(by_krylov(products, few, self.n_oversamples, steps, seed), wanted)
        if solver == "arpack":
            few = min(wanted, products.smaller - 1)
            return completed(by_lanczos(products, few, self.tol, resolve_seed(self.random_state)), wanted)
        if solver == "covariance_eigh":
            exact = isinstance(wanted, int | np.integer) and wanted > 0
            found = by_squares(products, min(int(wanted), products.smaller) if exact else None)
            count = resolve_count(wanted, found, products.total)
            if found.first(count).keeps_digits or self.svd_solver != "auto" or products.sparse:
                return completed(found, count)
            self.solver_ = "full"
        found = by_triangle(products)
        return completed(found, resolve_count(wanted, found, products.total))

    def _from_scatter(self, found: Scatter, dtype: Any, *, weighted: bool) -> None:
        """Everything from the scatter matrix of rows that came in blocks."""
        rows, columns = max(found.rows, int(found.total)), len(found.origin)
        if found.total <= 1.0 or found.rows < 2:
            raise ValueError(f"PCA needs at least 2 rows with weights above 1 together, got {found.rows}.")
        wanted = min(rows, columns) if self.n_components is None else self.n_components
        check_count(wanted, "full", rows, columns)
        spectrum = found.spectrum(None)
        spectrum = completed(spectrum, resolve_count(wanted, spectrum, found.total))
        self.solver_ = "covariance_eigh"
        self._remember(ScatterFacts.of(found, weighted=weighted), spectrum, dtype)
        measures = None
        if len(spectrum.vectors):
            measures = measure_scatter(found.scatter / found.unit, spectrum, min(found.rows, 10_000) + columns)
        self._certify_measures(measures, spectrum, found.rows, columns)

    @staticmethod
    def _rows_or_copies(products: RowProducts | ScatterFacts) -> int:
        """How many rows there would be if weights were repetitions."""
        return max(products.rows, int(products.total))

    def _chosen_solver(self, products: RowProducts) -> str:
        if self.svd_solver != "auto":
            return self.svd_solver
        wanted, smaller = self.n_components, products.smaller
        if wanted == "mle":  # compares the smallest values too
            return "covariance_eigh" if products.sparse else "full"
        if not isinstance(wanted, int | np.integer) or smaller <= PROVED or wanted in (0, smaller):
            return "covariance_eigh"
        if products.sparse:
            return "arpack"
        few = (wanted + self.n_oversamples) * 8 < smaller
        return "randomized" if few else "covariance_eigh"

    def _remember(self, products: RowProducts | ScatterFacts, spectrum: LeadingSpectrum, dtype: Any) -> None:
        count, freedom, trace = len(spectrum.vectors), products.total - 1.0, spectrum.trace
        values, squared = spectrum.values[:count], products.scale**2
        self.components_ = spectrum.vectors.astype(dtype)
        self.mean_ = products.mean.astype(dtype)
        self.n_components_ = count
        self.n_samples_ = products.rows if products.weights is None else products.total
        self.explained_variance_ = values / freedom * squared
        self.explained_variance_ratio_ = values / trace if trace > 0.0 else np.zeros(count)
        self.singular_values_ = np.sqrt(values) * products.scale
        others = min(self._rows_or_copies(products), products.columns) - count
        left = max(0.0, trace - float(values.sum())) / freedom / others if others > 0 else 0.0
        self.noise_variance_ = float(min(left * squared, self.explained_variance_.min(initial=np.inf)))

    def _certify_directions(self, products: RowProducts, spectrum: LeadingSpectrum) -> None:
        measures = measure(products, spectrum) if len(spectrum.vectors) else None
        self._certify_measures(measures, spectrum, products.rows, products.columns)

    def _certify_measures(
        self, measures: RitzMeasures | None, spectrum: LeadingSpectrum, rows: int, columns: int
    ) -> None:
        self.report_ = Report()
        self.direction_sines_ = np.ones(len(spectrum.vectors))
        # Where all rows are equal there is nothing to explain.
        if measures is None or measures.trace <= 2.0 * measures.rounding:
            return
        stored = storage_error(self.components_, spectrum.vectors)
        self.direction_sines_ = direction_sines(measures, stored)
        share = share_certificate(measures, rows, columns, centered=True)
        self.report_ = Report([share, angle_certificate(measures, rows, columns, centered=True, stored=stored)])

    @predict_method
    def score_samples(self, X: TableLike) -> Floats:
        """The log-density of every row under the normal distribution with the covariance of the model.

        Where the covariance is singular, the density is that on the directions with variance.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self._log_densities(X)

    @predict_method
    def score(self, X: TableLike, y: TargetLike | None = None, sample_weight: WeightsLike = None) -> float:
        """The mean log-density of the rows.

        Parameters
        ----------
        y : ignored
            There for compatibility.
        """
        return self._mean_density(X, sample_weight)

    def _restored(self) -> None:
        super()._restored()
        if "direction_sines_" in vars(self):
            check_shapes(self, direction_sines_=(self.n_components_,))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.svd_solver in SPARSE
        tags.input_tags.allow_nan = True
        return tags


def _lacks_cells(table: Any) -> bool:
    cells = table.data if sparse.issparse(table) else table
    lacks = bool(np.isnan(cells).any())
    if lacks and sparse.issparse(table):
        raise ValueError("Missing cells of sparse tables are not supported, got NaN.\nHint: make the table dense.")
    return lacks
