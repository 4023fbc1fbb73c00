"""Bounds for whole classes of hypotheses, which hold however one of them is picked.

Finite classes, growth and VC dimension, Rademacher complexity, stability. They need no held-out rows and far more
training rows than a test set would: `certus.plan` plans with them, the laboratories of `certus.theory` compare them,
and no learner promises anything by them.

* `finite_class`: Occam's bound, uniform convergence, sample sizes.
* `growth_sums`, `hypothesis_classes`, `shattering`: how many labelings a class has; a catalogue of classes.
* `vc_bounds`, `rademacher_bounds`, `stability`: what capacity, noise fitting and insensitivity promise.
"""

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
