"""Nystrom features: a finite feature map whose inner products approximate a kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin
from sklearn.utils import Tags

from certus.base import Transformer, fit_method, predict_method, register, resolve_threads, warn_user
from certus.base.inputs import RandomStateLike, check_X
from certus.base.params import Exactly, Interval, OneOf, RandomState
from certus.base.persistence import check_shapes
from certus.guarantees import Report
from certus.kernels._native_calls import Array
from certus.kernels.evidence.nystroem_certificate import nystroem_certificate, nystroem_evidence
from certus.kernels.functions.kernel import Kernel, Objects, count
from certus.kernels.learning import landmarks
from certus.kernels.learning.kernel_learner import KernelLearner, blocks, columns, take
from certus.kernels.learning.kernel_parameter import KERNEL_CONSTRAINTS, KernelLike, choose_kernel
from certus.kernels.learning.landmarks import Integers
from certus.kernels.solvers.kernel_ridge_solver import is_semidefinite

AT_ONCE = 4096  # rows whose kernel values are in memory at one time
LEAST = 1e-8  # singular values below this share of the largest are taken for 0
GIVEN = 4000  # rows up to which a given matrix is factorized to see whether it is semidefinite


@register(
    guarantees=("error of the approximated kernel matrix",),
    cost="fit and transform n m p + n m^2 with m components",
    draws_rows=True,
)
class Nystroem(ClassNamePrefixFeaturesOutMixin, KernelLearner, Transformer):
    """Features whose inner products approximate a kernel, from its values with some of the rows.

    With landmarks z_1, ..., z_m among the training rows and K_zz = (k(z_i, z_j)),

        F(x) = K_zz^(-1/2) (k(z_1, x), ..., k(z_m, x)),        F(x).F(x') ~ k(x, x')

    the projection of k(x, .) onto the functions k(z_j, .). Follow it by a linear learner.

    Parameters
    ----------
    coef0 : float or None, default=None
        Of the kernels "poly" and "sigmoid"; None: 1.
    degree : float or None, default=None
        Of the polynomial kernel; None: 3.
    n_components : int, default=100
        Number of landmarks.
    random_state : int, RandomState or None, default=None
        Seed of the draws; for uniform draws the landmarks are those of scikit-learn.
    n_jobs : int or None, default=None
        Accepted for compatibility; `joblib.parallel_config` and OMP_NUM_THREADS set the number of threads.
    sampling : {"uniform", "leverage", "cholesky"}, default="uniform"
        How the landmarks are chosen: all rows equally likely; with probabilities that follow estimated ridge leverage
        scores; or greedily by pivoted Cholesky factorization, which draws nothing and may need fewer.

    Attributes
    ----------
    components_ : ndarray, sparse matrix or list
        The landmarks.
    component_indices_ : ndarray of shape (n_components,)
        Which training rows they are.
    normalization_ : ndarray of shape (n_components, n_components)
        K_zz^(-1/2).
    report_ : Report
        The certified error of the approximation on the training rows, if the kernel is known to be valid.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.kernels import Nystroem
    >>> X = np.linspace(0.0, 1.0, 50)[:, None]
    >>> features = Nystroem(n_components=6, sampling="cholesky").fit(X)
    >>> features.transform(X).shape, features.report_["error of the kernel matrix"].value < 1e-3
    ((50, 6), True)
    """

    _constraints = {
        **KERNEL_CONSTRAINTS,
        "coef0": [Interval(None, None, closed="neither"), Exactly(None)],
        "degree": [Interval(1, None, closed="left"), Exactly(None)],
        "n_components": [Interval(1, None, integer=True)],
        "random_state": [RandomState()],
        "n_jobs": [Interval(None, None, integer=True), Exactly(None)],
        "sampling": [OneOf("cholesky", "leverage", "uniform")],
    }
    _state = ("components_", "component_indices_", "normalization_", "_n_features_out")

    def __init__(
        self,
        kernel: KernelLike = "rbf",
        *,
        gamma: float | None = None,
        coef0: float | None = None,
        degree: float | None = None,
        kernel_params: dict[str, Any] | None = None,
        n_components: int = 100,
        random_state: RandomStateLike = None,
        n_jobs: int | None = None,
        sampling: str = "uniform",
    ) -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(self, X: Objects, y: object = None) -> Nystroem:
        """Choose the landmarks."""
        self._fit(X)
        return self

    @fit_method
    def fit_transform(self, X: Objects, y: object = None) -> Array:
        """Choose the landmarks and return the features of the rows."""
        X, features = self._fit(X)
        return self._features(X) if features is None else features

    def _fit(self, X: Objects) -> tuple[Objects, Array | None]:
        """The checked rows and, if the certificate needed them, their features."""
        X = self._read_rows(X)
        rows = count(X)
        wanted = min(self.n_components, rows)
        if self.n_components > rows:
            warn_user(
                "n_components > n_samples. This is not possible.\n"
                "n_components was set to n_samples, which results in inefficient evaluation of the full kernel.\n"
                f"Hint: use n_components <= {rows}."
            )
        self.component_indices_ = self._choose(X, rows, wanted)
        self.components_ = take(X, self.component_indices_)
        own = self._own()
        self.normalization_ = _inverse_root(own)
        if getattr(X, "dtype", None) == np.float32:
            self.normalization_ = self.normalization_.astype(np.float32)
        self._n_features_out = len(own)
        self.report_ = Report()
        if not self._is_valid(X):
            return X, None
        across = self._across(X)
        features = self._embed(across, X)
        evidence = nystroem_evidence(self._diagonal(X), across, own, self.normalization_.astype(np.float64), features)
        self.report_ = Report([nystroem_certificate(evidence, rows, len(own))])
        return X, features

    def _read_rows(self, X: Objects) -> Objects:
        given = (self.gamma, self.coef0, self.degree)
        if (callable(self.kernel) or self._precomputed()) and any(value is not None for value in given):
            raise ValueError(
                "Don't pass gamma, coef0 or degree to Nystroem if using a callable or precomputed kernel.\n"
                "Hint: pass further arguments of the callable as kernel_params."
            )
        if self._takes_objects():
            return self._read_new(X)
        table = check_X(self, X, reset=True, accept_sparse="csr")
        self._refuse_oblong(table)
        return table

    def _choose(self, X: Objects, rows: int, wanted: int) -> Integers:
        if self.sampling == "uniform":
            return landmarks.uniform(rows, wanted, landmarks.generator(self.random_state))

        def values(chosen: Integers) -> Array:
            return self._matrix(X)[:, chosen] if self._precomputed() else self._matrix(X, take(X, chosen))

        diagonal = self._diagonal(X)
        if self.sampling == "cholesky":
            return landmarks.pivoted_cholesky(values, diagonal, wanted)
        return landmarks.leverage(values, diagonal, wanted, landmarks.generator(self.random_state))

    def _kernel(self, X: Objects) -> Kernel:
        degree = 3 if self.degree is None else self.degree
        coef0 = 1.0 if self.coef0 is None else self.coef0
        return choose_kernel(self.kernel, columns(X), self.gamma, degree, coef0, self.kernel_params)

    def _is_valid(self, X: Objects) -> bool:
        if not self._precomputed():
            return self._is_proved(X)
        return count(X) <= GIVEN and is_semidefinite(self._matrix(X), resolve_threads())

    def _diagonal(self, X: Objects) -> Array:
        return np.diagonal(self._matrix(X)).copy() if self._precomputed() else self._kernel(X).diag(X)

    def _own(self) -> Array:
        values = self._matrix(self.components_)
        return values[:, self.component_indices_] if self._precomputed() else values

    def _across(self, X: Objects) -> Array:
        """Values of rows with the landmarks."""
        if self._precomputed():
            return self._matrix(X)[:, self.component_indices_]
        return self._matrix(X, self.components_)

    def _embed(self, across: Array, X: Objects) -> Array:
        features = across @ self.normalization_.T.astype(np.float64)
        return np.asarray(features.astype(np.float32) if getattr(X, "dtype", None) == np.float32 else features)

    def _features(self, X: Objects) -> Array:
        return np.concatenate([self._embed(self._across(block), block) for block in blocks(X, AT_ONCE)])

    @predict_method
    def transform(self, X: Objects) -> Array:
        """The features of rows."""
        return self._features(self._read_new(X))

    def _restored(self) -> None:
        if not hasattr(self, "normalization_"):
            return
        size = len(self.normalization_)
        check_shapes(self, normalization_=(size, size), component_indices_=(size,))
        if count(self.components_) != size or self._n_features_out != size:
            raise ValueError("components_ and normalization_ do not fit together.")
        width = getattr(self, "n_features_in_", None)
        if isinstance(self.components_, np.ndarray) and self.components_.ndim == 2 and self.kernel != "precomputed":
            check_shapes(self, components_=(size, width))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _inverse_root(own: Array) -> Array:
    """K^(-1/2); directions with next to no weight are left out.

    They would add less to the approximation than the rounding errors that they bring to the certificate.
    """
    U, S, V = np.linalg.svd(own)
    floor = LEAST * float(S.max(initial=0.0))
    scale = np.divide(1.0, np.sqrt(S), out=np.zeros_like(S), where=floor < S)
    return np.asarray((U * scale) @ V)
