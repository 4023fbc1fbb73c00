"""Thresholds that keep named rates.

* `risk_control`: the search; `threshold_tests`: exact multiple tests; `demanded_rates`: what can be asked for.
* `control_certificate`: what was found, and the checkers; `threshold_planning`: the rows that would help.
"""

from certus.guarantees.thresholds.risk_control import Guard, control_rates

__all__ = ["Guard", "control_rates"]
