"""What training rows alone support.

* `optimality_gap`, `decided_labels`, `mistakes`: how close training came to its goal.
* `scenario_bound`, `sample_compression`: the error of models that few rows determine.
* `margin_bounds`, `pac_bayes`, `pac_bayes_gaussian`, `pac_bayes_linear`, `leave_one_out_bounds`: the error by margins,
  priors, left-out rows.
* `risk_record`, `additive_bounds`: the record that these bounds share; `log_tail`, `pac_bayes_constant`: their numbers.
"""

from certus.guarantees.training.additive_bounds import AdditiveBound
from certus.guarantees.training.decided_labels import check_exact_labels, exact_labels
from certus.guarantees.training.gap_evidence import (
    DUALITY,
    KEPT,
    SELF_CONCORDANT,
    ComplementaryTerms,
    Decrement,
    DualValue,
    FenchelTerms,
    GapBound,
    GapEvidence,
    GapRule,
    ScaledGradient,
    Slope,
    kept,
    kept_array,
    require_kept,
    training_data,
    upper_bound,
)
from certus.guarantees.training.leave_one_out_bounds import (
    jaakkola_haussler,
    ridge_leave_one_out,
    support_leave_one_out,
    xi_alpha,
)
from certus.guarantees.training.margin_bounds import kernel_margin_bound, voting_margin_bound
from certus.guarantees.training.mistakes import check_margins, check_mistake_bound, mistake_bound
from certus.guarantees.training.optimality_gap import gap_record, strong_convexity_gap
from certus.guarantees.training.pac_bayes import pac_bayes_kl
from certus.guarantees.training.pac_bayes_gaussian import pac_bayes_gaussian
from certus.guarantees.training.pac_bayes_linear import pac_bayes_margin
from certus.guarantees.training.sample_compression import compression_bound
from certus.guarantees.training.scenario_bound import campi_garatti

__all__ = [
    "AdditiveBound",
    "DUALITY",
    "KEPT",
    "SELF_CONCORDANT",
    "ComplementaryTerms",
    "Decrement",
    "DualValue",
    "FenchelTerms",
    "GapBound",
    "GapEvidence",
    "GapRule",
    "ScaledGradient",
    "Slope",
    "campi_garatti",
    "check_exact_labels",
    "check_margins",
    "check_mistake_bound",
    "compression_bound",
    "exact_labels",
    "gap_record",
    "jaakkola_haussler",
    "kept",
    "kept_array",
    "kernel_margin_bound",
    "mistake_bound",
    "pac_bayes_gaussian",
    "pac_bayes_kl",
    "pac_bayes_margin",
    "require_kept",
    "ridge_leave_one_out",
    "strong_convexity_gap",
    "support_leave_one_out",
    "training_data",
    "upper_bound",
    "voting_margin_bound",
    "xi_alpha",
]
