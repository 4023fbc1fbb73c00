"""The parameters of stochastic gradient descent, for labels and numbers."""

from __future__ import annotations

from certus.base import RandomStateLike


class StochasticParameters:
    """What the learners by stochastic gradient descent can be told.

    Parameters
    ----------
    penalty : {"l2", "l1", "elasticnet"} or None
        The penalty.
    alpha : float
        Its strength; also sets the step size of learning_rate="optimal" and "pegasos".
    l1_ratio : float
        Share of L1 in the elastic net.
    fit_intercept : bool
        Whether to fit b.
    max_iter : int
        Largest number of epochs.
    tol : float or None
        Stop when the mean objective along the epochs has not fallen by this for ``n_iter_no_change`` epochs.
    shuffle : bool
        Whether to take the rows in a new random order in every epoch.
    verbose : int
        1 prints a table of the iterations, with ever fewer lines; 2 prints all of them. 0 prints nothing.
    epsilon : float
        Threshold of "huber" and the epsilon-insensitive losses.
    n_jobs : int or None
        Threads for the one-against-rest problems; the result does not depend on their number.
    random_state : int, RandomState or None
        Seed of the orders and of the validation split.
    eta0 : float
        Initial step size, or the passive-aggressive cost.
    power_t : float
        Exponent of "invscaling".
    early_stopping : bool
        Whether to judge improvement on held-out rows instead of the training objective.
    validation_fraction : float
        Share of rows held out for that.
    n_iter_no_change : int
        Epochs without improvement before stopping.
    class_weight : dict, "balanced" or None
        Weights of the classes, multiplied to those of the rows.
    warm_start : bool
        Whether to start from the last fit's coefficients.
    average : bool or int
        Whether the result is the average over all steps, or over those after this many.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Coefficients; two classes have one row.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Intercepts.
    n_iter_ : int
        Epochs, the largest number over the problems.
    t_ : float
        Steps made so far, plus 1.
    report_ : Report
        Certificate of the gap where there is one.
    """

    penalty: str | None
    alpha: float
    l1_ratio: float | None
    fit_intercept: bool
    max_iter: int
    tol: float | None
    shuffle: bool
    verbose: int
    eta0: float
    random_state: RandomStateLike
    early_stopping: bool
    validation_fraction: float
    n_iter_no_change: int
    warm_start: bool
