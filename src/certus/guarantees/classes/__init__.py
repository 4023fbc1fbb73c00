"""Bounds for whole classes of hypotheses: finite classes, VC dimension, Rademacher complexity, stability."""

from certus.guarantees.classes.finite_class import excess_bound, finite_class_bound, sample_size, uniform_convergence
from certus.guarantees.classes.growth_sums import cover, sauer
from certus.guarantees.classes.hypothesis_classes import HypothesisClass, stumps
from certus.guarantees.classes.rademacher_bounds import rademacher, rademacher_bound
from certus.guarantees.classes.shattering import growth_function, shattered_sets, vc_dimension
from certus.guarantees.classes.stability import ridge_stability, sgd_stability, stability_bound, svm_stability
from certus.guarantees.classes.vc_bounds import vc_bound, vc_rows

__all__ = [
    "HypothesisClass",
    "cover",
    "excess_bound",
    "finite_class_bound",
    "growth_function",
    "rademacher",
    "rademacher_bound",
    "ridge_stability",
    "sample_size",
    "sauer",
    "sgd_stability",
    "shattered_sets",
    "stability_bound",
    "stumps",
    "svm_stability",
    "uniform_convergence",
    "vc_bound",
    "vc_dimension",
    "vc_rows",
]
