"""Rules for the parameters of learners, and their check."""

from certus.base.params.parameter_check import ParameterError, check_parameters, violation
from certus.base.params.parameter_rules import (
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
    RandomState,
    Rule,
    Verbosity,
)

__all__ = [
    "ArrayLike",
    "Boolean",
    "Constraints",
    "Exactly",
    "Folds",
    "Fraction",
    "Function",
    "HasMethods",
    "InstanceOf",
    "Interval",
    "OneOf",
    "ParameterError",
    "RandomState",
    "Rule",
    "Verbosity",
    "check_parameters",
    "violation",
]
