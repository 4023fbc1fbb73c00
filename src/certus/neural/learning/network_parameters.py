"""The parameters of multi-layer networks, for labels and numbers: their rules and what they mean."""

from __future__ import annotations

from typing import Any

import numpy as np

from certus.base.inputs import RandomStateLike
from certus.base.params import (
    ArrayLike,
    Boolean,
    Exactly,
    HasMethods,
    Interval,
    OneOf,
    RandomState,
    Verbosity,
)
from certus.neural._native_calls import ACTIVATIONS, SOLVERS

CONSTRAINTS: dict[str, list[Any]] = {
    "hidden_layer_sizes": [ArrayLike(), Interval(1, None, integer=True)],
    "activation": [OneOf(*ACTIVATIONS), ArrayLike()],
    "solver": [OneOf("lbfgs", *SOLVERS)],
    "alpha": [Interval(0, None)],
    "batch_size": [OneOf("auto"), Interval(1, None, integer=True)],
    "learning_rate": [OneOf("constant", "invscaling", "adaptive", "linear", "cosine")],
    "learning_rate_init": [Interval(0, None, closed="neither")],
    "power_t": [Interval(0, None)],
    "max_iter": [Interval(1, None, integer=True)],
    "shuffle": [Boolean()],
    "random_state": [RandomState()],
    "tol": [Interval(0, None)],
    "verbose": [Verbosity()],
    "warm_start": [Boolean()],
    "momentum": [Interval(0, 1)],
    "nesterovs_momentum": [Boolean()],
    "early_stopping": [Boolean()],
    "validation_fraction": [Interval(0, 1, closed="left")],
    "beta_1": [Interval(0, 1, closed="left")],
    "beta_2": [Interval(0, 1, closed="left")],
    "epsilon": [Interval(0, None, closed="neither")],
    "n_iter_no_change": [Interval(1, None, integer=True), Exactly(np.inf)],
    "max_fun": [Interval(1, None, integer=True)],
    "learning_rate_end": [Interval(0, None)],
    "decay_steps": [Interval(1, None, integer=True), Exactly(None)],
    "rho": [Interval(0, 1, closed="left")],
    "init": [OneOf("glorot", "he", "sparse")],
    "init_fraction": [Interval(0, 1, closed="right")],
    "l1": [Interval(0, None)],
    "dropout": [Interval(0, 1, closed="left")],
    "batch_norm": [Boolean()],
    "clip_norm": [Interval(0, None, closed="neither"), Exactly(None)],
    "n_init": [Interval(1, None, integer=True)],
    "combine": [OneOf("best", "average")],
    "pretraining": [OneOf("layerwise", "autoencoder"), Exactly(None)],
    "pretraining_iter": [Interval(1, None, integer=True)],
    "auxiliary": [Interval(0, None)],
    "start": [HasMethods("hidden"), Exactly(None)],
    "frozen": [Interval(0, None, integer=True)],
    "n_jobs": [Interval(None, None, integer=True), Exactly(None)],
}
STATE = (
    "coefs_",
    "intercepts_",
    "scales_",
    "shifts_",
    "running_means_",
    "running_variances_",
    "head_coefs_",
    "head_intercepts_",
    "in_factors_",
    "out_factors_",
    "blends_",
    "members_",
    "loss_",
    "loss_curve_",
    "validation_scores_",
    "best_loss_",
    "best_validation_score_",
    "best_iter_",
    "n_iter_",
    "n_epochs_",
    "n_steps_",
    "t_",
    "n_layers_",
    "n_outputs_",
    "out_activation_",
    "optimizer_state_",
    "n_features_in_",
    "feature_names_in_",
)


class NetworkParameters:
    """What multi-layer networks can be told, and what they learn.

    Parameters
    ----------
    hidden_layer_sizes : int or sequence of int
        Units of every hidden layer; () is a linear model.
    activation : str or sequence of str
        Of all hidden layers or of each: "identity", "logistic", "tanh", "relu", "leaky_relu" (slope 0.01), "selu",
        "softplus", "gelu", "silu" or "mish".
    solver : {"lbfgs", "sgd", "adam", "adamw", "adagrad", "rmsprop"}
        "lbfgs" takes all rows at once and suits small tables; "adamw" takes ``alpha`` as the decay of every step.
    alpha : float
        Squared L2 penalty: alpha / 2 |w|^2 / rows is added to the mean loss of a batch.
    batch_size : int or "auto"
        Rows per step; "auto" is 200 or all, if there are fewer.
    learning_rate : str
        "constant"; with "sgd" also "invscaling" (learning_rate_init / t^power_t, t rows so far) and "adaptive"
        (divided by 5 when nothing improves); "linear" and "cosine" fall to ``learning_rate_end``.
    learning_rate_init : float
        Step size at the start.
    power_t : float
        Exponent of "invscaling".
    max_iter : int
        Largest number of epochs, or of iterations of "lbfgs".
    shuffle : bool
        Whether to take the rows in a new random order in every epoch.
    random_state : int, RandomState or None
        Seed of weights, orders, masks and the validation split.
    tol : float
        An epoch improves if the loss falls (or the validation score rises) by this.
    verbose : int
        1 prints a table of the epochs, with ever fewer lines; 2 prints all of them. 0 prints nothing.
    warm_start : bool
        Whether to start from the last fit's weights.
    momentum : float
        Of "sgd".
    nesterovs_momentum : bool
        Whether it is Nesterov's.
    early_stopping : bool
        Whether to hold rows out and keep the weights of the epoch that does best on them.
    validation_fraction : float
        Share of rows held out for that.
    beta_1, beta_2 : float
        Memory of Adam's two means.
    epsilon : float
        Added to the denominators of adaptive steps.
    n_iter_no_change : int or inf
        Training stops after more than this many epochs without improvement.
    max_fun : int
        Largest number of evaluations of "lbfgs".
    learning_rate_end : float
        Where "linear" and "cosine" end.
    decay_steps : int or None
        After how many steps; None: those of ``max_iter`` epochs.
    rho : float
        Memory of "rmsprop".
    init : {"glorot", "he", "sparse"}
        First weights: uniform with variance 2 / (inputs + outputs) or 2 / inputs, or a fraction of them normal and
        the rest 0.
    init_fraction : float
        That fraction.
    l1 : float
        L1 penalty: l1 |w|_1 / rows, by proximal steps, which make weights exactly 0.
    dropout : float
        Share of the hidden outputs dropped at random in training.
    batch_norm : bool
        Whether what enters every hidden activation is normalized over the batch (Ioffe, Szegedy 2015), in prediction
        by running statistics.
    clip_norm : float or None
        Longest gradient; longer ones are shortened.
    n_init : int
        Networks from different first weights.
    combine : {"best", "average"}
        Keep the one of least loss (best validation score), or average the predictions of all.
    pretraining : {"layerwise", "autoencoder"} or None
        Train hidden layers one after the other first, for the target or to reproduce what enters them.
    pretraining_iter : int
        Epochs of each.
    auxiliary : float
        Weight in the loss of further outputs, one at every hidden layer but the last.
    start : fitted network or None
        Take its hidden layers as first weights (transfer learning).
    frozen : int
        That many layers from the input on stay as they start.
    n_jobs : int or None
        Threads; the result does not depend on their number.

    Attributes
    ----------
    coefs_ : list of ndarray
        Weights of every layer, inputs times outputs.
    intercepts_ : list of ndarray
        Intercepts of every layer.
    loss_ : float
        Loss of the last epoch, with the L2 penalty.
    loss_curve_ : list of float
        That of all epochs.
    best_loss_ : float or None
        The least of them; None with validation rows.
    validation_scores_ : list of float or None
        Score on the validation rows after every epoch.
    best_validation_score_ : float or None
        The best of them.
    best_iter_ : int
        The epoch whose weights these are.
    n_iter_ : int
        Epochs of the last fit.
    n_epochs_ : int
        Epochs since the first weights.
    n_steps_ : int
        Steps of the optimizer.
    t_ : int
        Rows seen in training.
    n_layers_ : int
        Layers, inputs and outputs counted.
    n_outputs_ : int
        Outputs.
    out_activation_ : str
        What turns scores into predictions.
    optimizer_state_ : tuple of ndarray
        What the optimizer remembers, for `partial_fit`.
    members_ : list
        The networks of combine="average".
    """

    hidden_layer_sizes: Any
    activation: Any
    solver: str
    alpha: float
    batch_size: Any
    learning_rate: str
    learning_rate_init: float
    power_t: float
    max_iter: int
    shuffle: bool
    random_state: RandomStateLike
    tol: float
    verbose: int
    warm_start: bool
    momentum: float
    nesterovs_momentum: bool
    early_stopping: bool
    validation_fraction: float
    beta_1: float
    beta_2: float
    epsilon: float
    n_iter_no_change: float
    max_fun: int
    learning_rate_end: float
    decay_steps: int | None
    rho: float
    init: str
    init_fraction: float
    l1: float
    dropout: float
    batch_norm: bool
    clip_norm: float | None
    n_init: int
    combine: str
    pretraining: str | None
    pretraining_iter: int
    auxiliary: float
    start: Any
    frozen: int
    n_jobs: int | None
