"""Laboratories of learning theory: experiments that make its theorems visible.

The bounds themselves, for classes of hypotheses, are in `certus.guarantees.classes`.
"""

from certus.theory.bayes_actions import BayesAction, bayes_action, cost_action
from certus.theory.bayes_risk import BayesPredictor, bayes_error, bayes_predictor, gaussian_bayes_error
from certus.theory.bias_variance import BiasVariance, CapacityCurve, bias_variance, polynomial_curve
from certus.theory.boolean_functions import (
    BooleanFunctions,
    half_space_labelings,
    linearly_separable,
    separable_boolean_functions,
)
from certus.theory.class_bounds import ClassBounds, class_bounds
from certus.theory.double_descent import DoubleDescent, double_descent
from certus.theory.error_decomposition import ErrorDecomposition, decompose_error
from certus.theory.estimator_bias import EstimatorBias, estimator_bias
from certus.theory.learning_rates import LearningCurve, Rate, fit_rate, learning_rates
from certus.theory.matrix_costs import MatrixCosts, matrix_costs
from certus.theory.neighbor_laboratory import (
    NeighborConsistency,
    distance_contrast,
    half_ball_share,
    idle_column_errors,
    neighbor_consistency,
)
from certus.theory.neighbor_limits import bayes_interval, cover_hart, neighbor_error, neighbor_limit, one_neighbor_error
from certus.theory.no_free_lunch import NoFreeLunch, memorize, memorizer_average, no_free_lunch
from certus.theory.pac_experiment import (
    ErrorDistribution,
    chance_to_miss,
    class_means,
    gaussian_pac_experiment,
    hard_distribution_error,
    pac_experiment,
)
from certus.theory.parameter_counting import ParameterCounts, parameter_counts
from certus.theory.plug_in_rules import class_chance, excess_risk, plug_in_bound, risk
from certus.theory.sample_means import (
    CentralLimit,
    LargeNumbers,
    central_limit,
    chebyshev_bound,
    chebyshev_rows,
    law_of_large_numbers,
)

__all__ = [
    "EstimatorBias",
    "MatrixCosts",
    "estimator_bias",
    "matrix_costs",
    "risk",
    "plug_in_bound",
    "excess_risk",
    "class_chance",
    "neighbor_consistency",
    "idle_column_errors",
    "half_ball_share",
    "distance_contrast",
    "NeighborConsistency",
    "BayesAction",
    "BayesPredictor",
    "BiasVariance",
    "BooleanFunctions",
    "CapacityCurve",
    "CentralLimit",
    "ClassBounds",
    "DoubleDescent",
    "ErrorDecomposition",
    "ErrorDistribution",
    "LargeNumbers",
    "LearningCurve",
    "NoFreeLunch",
    "ParameterCounts",
    "Rate",
    "bayes_action",
    "bayes_error",
    "bayes_interval",
    "bayes_predictor",
    "bias_variance",
    "central_limit",
    "chance_to_miss",
    "chebyshev_bound",
    "chebyshev_rows",
    "class_bounds",
    "class_means",
    "cost_action",
    "cover_hart",
    "decompose_error",
    "double_descent",
    "fit_rate",
    "gaussian_bayes_error",
    "gaussian_pac_experiment",
    "half_space_labelings",
    "hard_distribution_error",
    "law_of_large_numbers",
    "learning_rates",
    "linearly_separable",
    "memorize",
    "memorizer_average",
    "neighbor_error",
    "neighbor_limit",
    "no_free_lunch",
    "one_neighbor_error",
    "pac_experiment",
    "parameter_counts",
    "polynomial_curve",
    "separable_boolean_functions",
]


def __dir__() -> list[str]:
    return __all__
