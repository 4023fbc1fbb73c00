"""Multi-layer perceptrons for labels. Rumelhart, Hinton, Williams (1986); Kingma, Ba (2015) for Adam."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import type_of_target

from certus.base import fit_method, register
from certus.base.inputs import ClassWeightLike, RandomStateLike, TableLike, WeightsLike
from certus.base.params import Exactly, InstanceOf, Interval, OneOf
from certus.neural.learning.certified_posterior import CertifiedPosterior
from certus.neural.learning.network_options import has_partial_fit
from certus.neural.learning.network_parameters import CONSTRAINTS, STATE


@register(
    guarantees=(
        "norm of the gradient",
        "gap to the optimum, without hidden layers",
        "expected error of networks drawn around it, with prior_fraction",
    ),
    cost="fit n times weights per epoch, predict weights per row",
    draws_rows=True,
)
class MLPClassifier(CertifiedPosterior):
    """Multi-layer perceptron for labels, one or several per row, trained by backpropagation.

    Minimizes, over the weights W and intercepts b of all layers,

        mean_i s_i l(y_i, W_L'h_{L-1}(x_i) + b_L) + alpha / (2 rows) |W|^2

    with h_k = activation(W_k'h_{k-1} + b_k), h_0 = x, and l the cross entropy of the softmax (or of the logistic
    function: two classes, several labels per row). Scale the columns first. Results do not depend on the number of
    threads.

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
        """One epoch over a batch of rows, from where the last call ended, with the optimizer's memory."""
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
