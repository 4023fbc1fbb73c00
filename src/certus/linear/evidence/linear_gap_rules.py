"""The rules under which gaps of linear models are certified: theorem, kind of evidence, and the problem behind it.

Names and contents of the witnesses are those of version 0.1.0, whose files these rules check as well.
"""

from __future__ import annotations

from certus.guarantees.training import (
    DUALITY,
    SELF_CONCORDANT,
    Decrement,
    DualValue,
    GapRule,
    ScaledGradient,
    Slope,
)
from certus.linear.evidence import declared_problems

PARTIAL_MINIMUM = (
    "Strong convexity after minimizing over the intercept (Nesterov 2018, 2.1; Rockafellar 1970, theorem 5.7)"
)

LEAST_SQUARES = GapRule(
    "linear/quadratic-gap",
    {"Exact gap of a strongly convex quadratic (Nesterov 2018, Lectures on Convex Optimization, 2.1)": ScaledGradient},
    declared_problems.least_squares,
)
ELASTIC_NET = GapRule("linear/penalized-gap", {DUALITY: DualValue}, declared_problems.elastic_net)
LOGISTIC = GapRule(
    "linear/logistic-gap",
    {
        "Strong convexity with a self-concordant intercept (Nesterov 2018, 2.1; Bach 2010, prop. 1)": Slope,
        DUALITY: DualValue,
        SELF_CONCORDANT: Decrement,
    },
    declared_problems.logistic,
)
MEAN = GapRule(
    "linear/mean-gap",
    {
        PARTIAL_MINIMUM: Slope,
        SELF_CONCORDANT: Decrement,
    },
    declared_problems.mean,
    zero="without coefficients",
)
MACHINE = GapRule(
    "linear/machine-gap",
    {"Weak duality of the support vector machine (Shalev-Shwartz, Ben-David 2014, section 15.4)": DualValue},
    declared_problems.linear_machine,
)
GROUPS = GapRule("linear/group-gap", {DUALITY: DualValue}, declared_problems.groups, zero="without coefficients")
STOCHASTIC = GapRule("linear/stochastic-gap", {DUALITY: DualValue}, declared_problems.stochastic)
HINGE = GapRule("linear/l1-hinge-gap", {DUALITY: DualValue}, declared_problems.l1_hinge, zero="without coefficients")
ROBUST = GapRule("linear/duality-gap", {DUALITY: DualValue}, declared_problems.robust, zero="without coefficients")
