"""Multi-layer perceptrons for labels. Rumelhart, Hinton, Williams (1986); Kingma, Ba (2015) for Adam."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import expit
from sklearn.utils import column_or_1d
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import type_of_target

from certus.base import Classifier, class_weights, fit_method, predict_method, register, resolve_seed
from certus.base.inputs import ClassWeightLike, RandomStateLike, TableLike, WeightsLike, check_weights, check_Xy
from certus.base.params import Exactly, InstanceOf, Interval, OneOf
from certus.guarantees import Report
from certus.neural import _native_calls as kernels
from certus.neural.learning.network_learner import NetworkLearner
from certus.neural.learning.network_options import has_partial_fit
from certus.neural.learning.network_parameters import CONSTRAINTS, STATE
from certus.neural.learning.training_data import OutputPlan, TrainingData


def _has_posterior(learner: Any) -> bool:
    if learner.prior_fraction is None:
        raise AttributeError("draw needs prior_fraction: without it there is no posterior.")
    return True


@register(
    guarantees=(
        "norm of the gradient",
        "gap to the optimum, without hidden layers",
        "expected error of networks drawn around it, with prior_fraction",
    ),
    cost="fit n times weights per epoch, predict weights per row",
    draws_rows=True,
)
class MLPClassifier(NetworkLearner, Classifier):
    """Multi-layer perceptron for labels, one or several per row, trained by backpropagation.

    Minimizes, over the weights W and intercepts b of all layers,

        mean_i s_i l(y_i, W_L'h_{L-1}(x_i) + b_L) + alpha / (2 rows) |W|^2

    with h_k = activation(W_k'h_{k-1} + b_k), h_0 = x, and l the cross entropy of the softmax (or of the logistic
    function: two classes, several labels per row). Scale the columns first. Results do not depend on the number of
    threads.

    Parameters
    ----------
    class_weight : dict, "balanced" or None
        Weights of the classes, multiplied to those of the rows.
    label_smoothing : float
        Share of a label's probability that is spread over all classes (Szegedy et al. 2016).
    prior_fraction : float or None
        Share of the rows that trains a prior network; the network then learns from all rows, and the others bound
        the expected error of networks drawn around it (`draw`), without rows held out from training.
    confidence : float
        Probability with which that bound holds.

    Attributes
    ----------
    posterior_scale_ : float
        Standard deviation s of the weights of the certified posterior N(w, s^2 I), whose mean is the fitted network.
    posterior_step_ : float
        Where w lies on the way from the prior network (0) to the one that all rows trained (1).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.preprocessing import scale
    >>> from certus.neural import MLPClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = MLPClassifier(solver="lbfgs", hidden_layer_sizes=(8,), alpha=0.1, random_state=0).fit(scale(X), y)
    >>> model.score(scale(X), y) > 0.97
    True
    """

    _constraints = {
        **CONSTRAINTS,
        "class_weight": [Exactly(None), OneOf("balanced"), InstanceOf(dict)],
        "label_smoothing": [Interval(0, 1, closed="left")],
        "prior_fraction": [Interval(0, 1, closed="neither"), Exactly(None)],
        "confidence": [Interval(0, 1, closed="neither")],
    }
    _state = ("classes_", "several_labels_", "posterior_scale_", "posterior_step_", *STATE)
    several_labels_: bool
    class_weight: ClassWeightLike
    label_smoothing: float
    prior_fraction: float | None
    confidence: float

    def __init__(
        self,
        hidden_layer_sizes: Any = (100,),
        activation: Any = "relu",
        *,
        solver: str = "adam",
        alpha: float = 0.0001,
        batch_size: Any = "auto",
        learning_rate: str = "constant",
        learning_rate_init: float = 0.001,
        power_t: float = 0.5,
        max_iter: int = 200,
        shuffle: bool = True,
        random_state: RandomStateLike = None,
        tol: float = 1e-4,
        verbose: bool | int = False,
        warm_start: bool = False,
        momentum: float = 0.9,
        nesterovs_momentum: bool = True,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-8,
        n_iter_no_change: float = 10,
        max_fun: int = 15000,
        learning_rate_end: float = 0.0,
        decay_steps: int | None = None,
        rho: float = 0.9,
        init: str = "glorot",
        init_fraction: float = 0.1,
        l1: float = 0.0,
        dropout: float = 0.0,
        batch_norm: bool = False,
        class_weight: ClassWeightLike = None,
        label_smoothing: float = 0.0,
        prior_fraction: float | None = None,
        confidence: float = 0.95,
        clip_norm: float | None = None,
        n_init: int = 1,
        combine: str = "best",
        pretraining: str | None = None,
        pretraining_iter: int = 10,
        auxiliary: float = 0.0,
        start: Any = None,
        frozen: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(
        self, X: TableLike, y: Any, sample_weight: WeightsLike = None, *, X_val: Any = None, y_val: Any = None
    ) -> MLPClassifier:
        """Train until the loss (or the score on validation rows) no longer improves.

        Parameters
        ----------
        X_val, y_val : table and labels, default=None
            Your own validation rows: the weights of the epoch that does best on them are kept.
        """
        self._train(X, y, sample_weight, X_val, y_val, incremental=False)
        return self

    @available_if(has_partial_fit)  # type: ignore[untyped-decorator]
    @fit_method
    def partial_fit(
        self, X: TableLike, y: Any, sample_weight: WeightsLike = None, classes: Any = None
    ) -> MLPClassifier:
        """One epoch over a batch of rows, from where the last call ended, with the optimiser's memory."""
        self._know_classes(y, classes)
        self._train(X, y, sample_weight, None, None, incremental=True)
        return self

    def _know_classes(self, y: Any, classes: Any) -> None:
        first = not hasattr(self, "classes_")
        if first:
            if classes is None:
                raise ValueError(
                    "classes must be passed on the first call to partial_fit.\n"
                    "Hint: partial_fit(X, y, classes=[...]) with every label that may ever come."
                )
            self.several_labels_ = type_of_target(y).startswith("multilabel")
            self.classes_ = np.arange(np.shape(y)[1]) if self.several_labels_ else np.unique(classes)
        elif classes is not None and not self.several_labels_ and not np.array_equal(np.unique(classes), self.classes_):
            raise ValueError(
                f"`classes={classes!r}` is not the same as on last call to partial_fit, was: {self.classes_!r}."
            )

    # ---- targets ---------------------------------------------------------------------------------------------------
    def _read(self, X: Any, y: Any, sample_weight: Any, *, first: bool) -> TrainingData:
        table, y = check_Xy(
            self, X, y, accept_sparse="csr", multi_output=True, reset=first or not hasattr(self, "n_features_in_")
        )
        fresh = first and not (hasattr(self, "classes_") and not hasattr(self, "coefs_"))
        if sparse.issparse(y):
            y = y.toarray()
        if y.ndim == 2 and y.shape[1] == 1:
            y = column_or_1d(y, warn=True)
        if y.ndim == 2:
            return self._read_several(table, y, self._row_weights(sample_weight, table), fresh=fresh)
        codes = self._codes(y, fresh=fresh)
        weights = self._row_weights(sample_weight, table)
        by_class = class_weights(self.class_weight, self.classes_, y)
        if self.class_weight is not None:
            weights = by_class[codes] * (1.0 if weights is None else weights)
        rows = None if weights is None or weights.all() else np.flatnonzero(weights).astype(np.int64)
        if len(self.classes_) > 2:
            return TrainingData(table, classes=codes.astype(np.int32), weights=weights, rows=rows)
        values = (codes == 1).astype(table.dtype)[:, None]
        return TrainingData(table, values=values, weights=weights, rows=rows)

    def _row_weights(self, sample_weight: Any, table: Any) -> NDArray[np.float64] | None:
        if sample_weight is not None and self.prior_fraction is not None:
            raise ValueError(
                "prior_fraction bounds the error over rows that count equally; got sample_weight.\n"
                "Hint: leave sample_weight out, or use class_weight."
            )
        return check_weights(self, sample_weight, table)

    def _codes(self, y: NDArray[Any], *, fresh: bool) -> NDArray[np.intp]:
        """For each row the place of its label in ``classes_``."""
        if fresh:
            self.several_labels_ = False
            return self._encode_labels(y)
        known = self.classes_
        found = np.unique(y)
        if self.warm_start and hasattr(self, "coefs_") and set(found.tolist()) != set(known.tolist()):
            raise ValueError(
                "warm_start can only be used where `y` has the same classes as in the previous call to fit. Previously "
                f"got {known}, `y` has {found}\nHint: set warm_start=False to learn other classes."
            )
        unknown = np.setdiff1d(found, known)
        if unknown.size:
            raise ValueError(
                f"`y` has classes not in `self.classes_`. `self.classes_` has {known}. 'y' has {unknown}.\n"
                "Hint: name every class in the first call of partial_fit."
            )
        return np.searchsorted(known, y)

    def _read_several(
        self, table: Any, y: NDArray[Any], weights: NDArray[np.float64] | None, *, fresh: bool
    ) -> TrainingData:
        """Several labels per row: a table of 0 and 1."""
        if not type_of_target(y).startswith("multilabel"):
            raise ValueError(
                "Multioutput target data is not supported with label binarization: y has the shape "
                f"{y.shape} and values other than 0 and 1.\nHint: use certus.multioutput.MultiOutputClassifier."
            )
        if self.class_weight is not None:
            raise ValueError("class_weight needs one label per row.\nHint: use sample_weight.")
        if fresh:
            self.several_labels_, self.classes_ = True, np.arange(y.shape[1])
        elif y.shape[1] != len(self.classes_):
            raise ValueError(
                f"y has {y.shape[1]} labels per row, but the network was fitted with {len(self.classes_)}."
            )
        rows = None if weights is None or weights.all() else np.flatnonzero(weights).astype(np.int64)
        values = np.ascontiguousarray(y, dtype=table.dtype)
        return TrainingData(table, values=values, weights=weights, rows=rows)

    def _output(self) -> OutputPlan:
        smoothing, classes = float(self.label_smoothing), len(self.classes_)
        if self.several_labels_:
            return OutputPlan(classes, "logistic", ("logistic", 0.0), smoothing)
        if classes > 2:
            return OutputPlan(classes, "softmax", ("multinomial", 0.0), smoothing)
        return OutputPlan(1, "logistic", ("logistic", 0.0), smoothing)

    def _validation_targets(self, y: Any) -> NDArray[Any]:
        if self.several_labels_:
            return np.asarray(y.toarray() if sparse.issparse(y) else y)
        labels = column_or_1d(y)
        unknown = np.setdiff1d(labels, self.classes_)
        if unknown.size:
            raise ValueError(
                f"y_val holds the labels {unknown}, which the training rows do not.\nHint: split by label."
            )
        codes = np.searchsorted(self.classes_, labels)
        return codes if len(self.classes_) > 2 else codes[:, None]

    def _validation_score(self, scores: NDArray[Any], y: Any, weights: Any) -> float:
        if not np.isfinite(scores).all():
            return float("nan")
        return float(np.average(~self._wrong(scores, y), weights=weights))

    def _wrong(self, scores: NDArray[Any], targets: NDArray[Any]) -> NDArray[np.bool_]:
        if targets.ndim == 1:
            return np.asarray(scores.argmax(axis=1) != targets)
        return np.asarray(((scores > 0.0) != (targets > 0.5)).any(axis=1))

    # ---- predictions -----------------------------------------------------------------------------------------------
    def _probabilities(self, X: TableLike) -> NDArray[Any]:
        """One column per output."""
        table = self._table(X)
        found = [
            _probabilities(member._raw_scores(table), self.out_activation_, member._engine().threads)
            for member in self._averaged()
        ]
        return found[0] if len(found) == 1 else np.mean(found, axis=0)

    @predict_method
    def predict_proba(self, X: TableLike) -> NDArray[Any]:
        """Probabilities of the classes; with several labels per row those of each label."""
        found = self._probabilities(X)
        if self.several_labels_ or len(self.classes_) > 2:
            return found
        if len(self.classes_) == 1:
            return np.ones_like(found)
        return np.hstack([1.0 - found, found])

    @predict_method
    def predict(self, X: TableLike) -> NDArray[Any]:
        """Predict the label of each row, or its labels as 0 and 1."""
        found = self._probabilities(X)
        if self.several_labels_:
            return (found > 0.5).astype(np.int64)
        if len(self.classes_) > 2:
            return self.classes_[found.argmax(axis=1)]
        return self.classes_[np.minimum(found[:, 0] > 0.5, len(self.classes_) - 1).astype(np.intp)]

    @available_if(_has_posterior)  # type: ignore[untyped-decorator]
    @predict_method
    def draw(self, random_state: RandomStateLike = None) -> MLPClassifier:
        """One network of the certified posterior; the certificate is about the mean error of such draws.

        Parameters
        ----------
        random_state : int, RandomState or None, default=None
            Seed of the draw.

        Returns
        -------
        MLPClassifier
            A fitted network with the weights that were drawn.
        """
        random = np.random.default_rng(resolve_seed(random_state))
        drawn = copy.deepcopy(self)
        for view in (*drawn.coefs_, *drawn.intercepts_):
            view += (self.posterior_scale_ * random.standard_normal(view.shape)).astype(view.dtype)
        drawn.report_ = Report()
        return drawn

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags


def _probabilities(scores: NDArray[Any], activation: str, threads: int) -> NDArray[Any]:
    if activation == "logistic":
        return np.asarray(expit(scores))
    kernels.softmax_rows(scores, threads)
    return scores
