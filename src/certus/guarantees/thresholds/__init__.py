"""Thresholds that keep named rates, by exact tests."""

from certus.guarantees.thresholds.risk_control import Guard, control_rates

__all__ = ["Guard", "control_rates"]
