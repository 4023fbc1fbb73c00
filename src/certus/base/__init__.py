"""What all learners are built on: parameters, data, weights, threads, callbacks, catalogue."""

from certus.base.callbacks import Iterations
from certus.base.catalogue import find, register, register_part
from certus.base.class_weights import class_weights
from certus.base.convergence import warn_not_converged
from certus.base.density_learner import DensityLearner
from certus.base.docstrings import complete_docstrings
from certus.base.extras import import_extra, is_installed
from certus.base.inputs import (
    FLOATS,
    LARGEST,
    ClassWeightLike,
    ColumnsLike,
    FoldsLike,
    RandomStateLike,
    SparseTable,
    Table,
    TableLike,
    TargetLike,
    WeightsLike,
    assert_finite,
    check_target,
    check_weights,
    check_X,
    check_Xy,
    refuse_large,
    require_target,
)
from certus.base.learner import (
    Classifier,
    Clusterer,
    Learner,
    Regressor,
    StoresParameters,
    Transformer,
    distinct_labels,
    fit_method,
    predict_method,
)
from certus.base.namesakes import present_criterion, warn_deprecated
from certus.base.params import (
    ArrayLike,
    Boolean,
    Constraints,
    Exactly,
    Folds,
    Fraction,
    Function,
    HasMethods,
    InstanceOf,
    Interval,
    OneOf,
    ParameterError,
    RandomState,
    Rule,
    Verbosity,
    check_parameters,
    violation,
)
from certus.base.probabilities import probabilities_of
from certus.base.seeds import resolve_seed, resolve_seeds
from certus.base.settings import Config, config
from certus.base.threads import blas_on_one_thread, resolve_threads
from certus.base.training_rows import RowSketch, choosing_by_rows, saw_table
from certus.base.user_warnings import warn_user

__all__ = [
    "ArrayLike",
    "Boolean",
    "ClassWeightLike",
    "Classifier",
    "Clusterer",
    "ColumnsLike",
    "Config",
    "Constraints",
    "DensityLearner",
    "Exactly",
    "FLOATS",
    "Folds",
    "FoldsLike",
    "Fraction",
    "Function",
    "HasMethods",
    "InstanceOf",
    "Interval",
    "Iterations",
    "LARGEST",
    "Learner",
    "OneOf",
    "ParameterError",
    "RandomState",
    "RandomStateLike",
    "Regressor",
    "RowSketch",
    "Rule",
    "SparseTable",
    "StoresParameters",
    "Table",
    "TableLike",
    "TargetLike",
    "Transformer",
    "Verbosity",
    "WeightsLike",
    "assert_finite",
    "blas_on_one_thread",
    "check_X",
    "check_Xy",
    "check_parameters",
    "check_target",
    "check_weights",
    "choosing_by_rows",
    "class_weights",
    "complete_docstrings",
    "config",
    "distinct_labels",
    "find",
    "fit_method",
    "import_extra",
    "is_installed",
    "predict_method",
    "present_criterion",
    "probabilities_of",
    "refuse_large",
    "require_target",
    "register",
    "register_part",
    "resolve_seed",
    "resolve_seeds",
    "resolve_threads",
    "saw_table",
    "violation",
    "warn_deprecated",
    "warn_not_converged",
    "warn_user",
]


def __dir__() -> list[str]:
    return __all__
