"""What all learners are built on: parameters, data, weights, threads, callbacks, catalogue."""

from certus.base.catalogue import register, register_part
from certus.base.class_weights import class_weights
from certus.base.data import LARGEST, assert_finite, check_target, check_weights, check_X, check_Xy
from certus.base.learner import (
    Classifier,
    Clusterer,
    DensityEstimator,
    Learner,
    Regressor,
    Transformer,
    distinct_labels,
    fit_method,
    predict_method,
)
from certus.base.params import ParameterError
from certus.base.random import resolve_seed, resolve_seeds
from certus.base.threads import blas_on_one_thread, resolve_threads

__all__ = [
    "LARGEST",
    "Classifier",
    "Clusterer",
    "DensityEstimator",
    "Learner",
    "ParameterError",
    "Regressor",
    "Transformer",
    "assert_finite",
    "blas_on_one_thread",
    "check_X",
    "check_Xy",
    "check_target",
    "check_weights",
    "class_weights",
    "distinct_labels",
    "fit_method",
    "predict_method",
    "register",
    "register_part",
    "resolve_seed",
    "resolve_seeds",
    "resolve_threads",
]
